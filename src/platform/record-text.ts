import { isAscii } from 'node:buffer';

const [openBracket, closeBracket, quote] = Buffer.from('[]"');
/** What may stand before a quote that opens a text; and the backslash, behind which a quote is part of one. */
const beforeOpening: ReadonlySet<number> = new Set(Buffer.from(':,{[ \t\n\r\\'));

/** A field that is cut out of records: an object that has only texts and numbers, or a list of such objects. */
export interface Unread {
  /** How it begins, up to its first brace. */
  readonly opening: string;
  readonly closing: string;
  /** What it must not have in it. */
  readonly nested: string;
}

export function unreadObject(field: string): Unread {
  return { opening: `,"${field}":{`, closing: '}', nested: '{' };
}

export function unreadList(field: string): Unread {
  return { opening: `,"${field}":[{`, closing: '}]', nested: '[' };
}

/**
 * As a list, by turning the commas around it into brackets: gluing brackets to its text would copy every page. `isPlain`
 * says that all of the page is ASCII, if that is known.
 */
export function textBetween(
  body: Buffer,
  start: number,
  end: number,
  { unread, isPlain }: { unread: readonly Unread[]; isPlain: boolean },
): string {
  const [from, to] = [start - 1, end + 1];
  const [before, after] = [body[from]!, body[end]!];
  body[from] = openBracket!;
  body[end] = closeBracket!;
  const text =
    unread.length === 0 ? textOf(body, from, to, isPlain) : textWithout(body, from, to, { unread, isPlain });
  body[from] = before;
  body[end] = after;
  return text;
}

/** ASCII is the same in both, and the first one takes it without looking for anything else. */
function textOf(body: Buffer, from: number, to: number, isPlain: boolean): string {
  return body.toString(isPlain || isAscii(body.subarray(from, to)) ? 'latin1' : 'utf8', from, to);
}

/** What is cut out is not looked at: it may be no JSON. */
function textWithout(
  body: Buffer,
  from: number,
  to: number,
  { unread, isPlain }: { unread: readonly Unread[]; isPlain: boolean },
): string {
  const latin = body.toString('latin1', from, to);
  const isSame = isPlain || isAscii(body.subarray(from, to));
  let text = '';
  let at = 0;
  for (const cut of findUnread(latin, unread)) {
    text += isSame ? latin.slice(at, cut.from) : textOf(body, from + at, from + cut.from, false);
    at = cut.to;
  }
  return text + (isSame ? latin.slice(at) : textOf(body, from + at, to, false));
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

/** By their first brace: there are few of these, and nothing is found as quickly as a single letter. */
function findUnread(text: string, unread: readonly Unread[]): Cut[] {
  const cuts: Cut[] = [];
  let left = unread.length;
  for (let brace = text.indexOf('{'); brace >= 0 && left > 0;) {
    const field = fieldAt(text, brace, unread);
    const end = field && endOf(text, brace, field);
    if (field) left -= 1;
    if (field && end !== undefined) cuts.push({ from: brace + 1 - field.opening.length, to: end });
    brace = text.indexOf('{', end ?? brace + 1);
  }
  return cuts;
}

/** No text of the record can have its opening: there, a quote stands behind a backslash. */
function fieldAt(text: string, brace: number, unread: readonly Unread[]): Unread | undefined {
  for (const field of unread) if (endsAt(text, brace + 1, field.opening)) return field;
  return undefined;
}

/** From the back, where fields differ. */
function endsAt(text: string, end: number, part: string): boolean {
  if (end < part.length) return false;
  for (let back = 1; back <= part.length; back += 1)
    if (text.charCodeAt(end - back) !== part.charCodeAt(part.length - back)) return false;
  return true;
}

/** Where the field ends that has its first brace here; undefined if that cannot be told for sure. */
function endOf(text: string, brace: number, { closing, nested }: Unread): number | undefined {
  const end = text.indexOf(closing.at(-1)!, brace) + 1;
  const other = text.indexOf(nested, brace + 1);
  const isFlat = text.startsWith(closing, end - closing.length) && (other < 0 || other > end);
  return isFlat && isOutsideTexts(text, end - closing.length) ? end : undefined;
}

/** Whether this brace is none of a text, as a quote before it shows: one that cannot be an opening one closes a text. */
function isOutsideTexts(text: string, brace: number): boolean {
  let at = brace - 1;
  while (isOfWord(text.charCodeAt(at))) at -= 1;
  // A number, true, false or null: before it are a colon and its key.
  if (at < brace - 1) at -= 1;
  return text.charCodeAt(at) === quote && !beforeOpening.has(text.charCodeAt(at - 1));
}

function isOfWord(letter: number): boolean {
  const isSmall = letter >= 0x61 && letter <= 0x7a;
  return isSmall || (letter >= 0x30 && letter <= 0x39) || letter === 0x2d || letter === 0x2e;
}

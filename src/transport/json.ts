/** Why a text is not JSON. The words name one byte of it at most, since it may hold a secret. */
export class NotJson extends SyntaxError {
  readonly isInRecord: boolean;

  constructor(words: string, record: string) {
    super(`the answer is not JSON: ${words}${record && `, in ${record}`}`);
    this.isInRecord = record !== '';
  }
}

/** The end of a value was not found: the text breaks off, or the value is nested too deeply. */
export const brokeOff = -1;
export const tooDeep = -2;
/** Deeper than anything that a platform writes. */
export const mostDepth = 64;
/** So many take a tenth of a second to parse; a platform's answers other than pages have hundreds. */
const mostValues = 250_000;

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = Buffer.from('"\\{}[],');
const replacement = Buffer.from('\uFFFD');

/** Where bytes stand in their answer, to name places in it. */
interface Context {
  readonly placeOf?: (at: number) => number;
  /** The record that they are, in words. */
  readonly record?: string;
}

/**
 * The value that these bytes are. Platforms write control characters of names as they are, which JSON forbids: only then
 * is it read again, with each of them replaced.
 */
export function parseJson(bytes: Buffer, context?: Context): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return parseRepaired(bytes, context);
  }
}

function parseRepaired(bytes: Buffer, context?: Context): unknown {
  try {
    return JSON.parse(withoutControls(bytes).toString());
  } catch {
    throw notJson(bytes, faultIn(bytes.toString('latin1')), context);
  }
}

export function notJson(bytes: Buffer, at: number, { placeOf = (same) => same, record = '' }: Context = {}) {
  const byte = bytes[at];
  const place = placeOf(at).toLocaleString('en-US');
  if (byte === undefined) return new NotJson(`it breaks off at byte ${place}`, record);
  return new NotJson(`byte 0x${byte.toString(16).padStart(2, '0')} at ${place}`, record);
}

function withoutControls(bytes: Buffer): Buffer {
  const repaired = Buffer.allocUnsafe(bytes.length * replacement.length);
  let length = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isText && byte < 0x20) {
      length += replacement.copy(repaired, length);
      continue;
    }
    if (byte === quote) isText = !isText;
    repaired[length++] = byte;
    if (isText && byte === backslash && at + 1 < bytes.length) repaired[length++] = bytes[++at]!;
  }
  return repaired.subarray(0, length);
}

const blanks = /[\t\n\r ]*/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
/** A part of a text; control characters are repaired, so they are no fault. */
const textPart = /[^"\\]{1,1000}|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** What may stand next; an `item` and a `first key` may be missing. */
type Wanted = 'value' | 'item' | 'key' | 'first key' | 'colon' | 'end';
const mayClose: ReadonlySet<Wanted> = new Set(['end', 'item', 'first key']);

/** Where a text stops being JSON; its length if it breaks off. */
function faultIn(text: string): number {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    at = endOfMatch(blanks, text, at);
    const sign = text[at];
    if (sign === undefined) return at;
    const isKey: boolean = wanted === 'key' || wanted === 'first key';
    if (sign === open.at(-1) && mayClose.has(wanted)) {
      open.pop();
      wanted = 'end';
    } else if (wanted === 'end') {
      if (sign !== ',' || open.length === 0) return at;
      wanted = open.at(-1) === '}' ? 'key' : 'value';
    } else if (wanted === 'colon') {
      if (sign !== ':') return at;
      wanted = 'value';
    } else if (sign === '"') {
      at = endOfText(text, at + 1);
      if (text[at] !== '"') return at;
      wanted = isKey ? 'colon' : 'end';
    } else if (isKey) return at;
    else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? '}' : ']');
      wanted = sign === '{' ? 'first key' : 'item';
    } else {
      const end = endOfMatch(scalar, text, at);
      if (end === at) return at;
      at = end - 1;
      wanted = 'end';
    }
    at += 1;
  }
}

function endOfText(text: string, start: number): number {
  for (let at = start; ;) {
    const end = endOfMatch(textPart, text, at);
    if (end === at) return at;
    at = end;
  }
}

/** Where a value ends that stands in a list or an object: at the comma or bracket behind it. One look at each byte. */
export function endOfValue(body: Buffer, start: number, until: number): number {
  let depth = 0;
  let at = start;
  while (at < until) {
    const byte = body[at];
    if (byte === quote) {
      at = endOfQuoted(body, at, until);
      continue;
    }
    if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > mostDepth) return tooDeep;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === comma && depth === 0) return at;
    at += 1;
  }
  return brokeOff;
}

/** Behind the closing quote of the text that begins here. */
export function endOfQuoted(body: Buffer, start: number, until: number): number {
  for (let at = start + 1; at < until; at += 1) {
    if (body[at] === backslash) at += 1;
    else if (body[at] === quote) return at + 1;
  }
  return until;
}

/** Whether so many values are in it that to parse it would hold everybody up, however small it is. */
export function isCostly(body: Buffer): boolean {
  let values = 0;
  for (let at = 0; at < body.length && values <= mostValues;) {
    const byte = body[at];
    if (byte === openBrace || byte === openBracket || byte === comma) values += 1;
    at = byte === quote ? endOfQuoted(body, at, body.length) : at + 1;
  }
  return values > mostValues;
}

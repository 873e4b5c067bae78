import { randomInt } from 'node:crypto';
import { isRecord } from './server.ts';

/** What is remembered of a record's bytes, to know it again. Two words of 32 bits; compared only with those of the same row. */
export interface Print {
  readonly length: number;
  readonly first: number;
  readonly second: number;
}

/** What stood in a list the last time: a record is looked for where it is expected. */
export interface Expected<Item> {
  readonly items: readonly (Item & { readonly print: Print | undefined })[];
  /** Where the next one stands. */
  at: number;
  /** Where the next one stands behind this one, which came instead of the one that stands there. */
  behind(item: Item, there: number): number;
}

export const nothingExpected: Expected<never> = { items: [], at: 0, behind: () => 0 };

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] =
  Buffer.from('"\\{}[],:');

/** Each process begins elsewhere: nobody can work out beforehand which print a record will have. */
const seeds = [randomInt(2 ** 31), randomInt(2 ** 31)] as const;

/**
 * Reads a page: its records, each as `take` makes it, and the rest as JSON. A record whose bytes are as expected is the
 * expected item: it is not parsed. Undefined if the page is JSON without such a list; throws a SyntaxError if it is no JSON.
 */
export function readRecords<Item>(
  body: Buffer,
  list: string,
  take: (record: unknown, print: Print) => Item,
  expected: Expected<Item>,
): { readonly items: Item[]; readonly rest: Readonly<Record<string, unknown>> } | undefined {
  const start = findList(body, list);
  if (start === undefined) return void JSON.parse(body.toString());
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const items: Item[] = [];
  let at = skipBlanks(body, start + 1);
  let isOver = body[at] === closeBracket;
  while (!isOver) {
    const hope = expected.items[expected.at];
    let end = hope?.print && isPrinted(body, view, at, hope.print) ? at + hope.print.length : undefined;
    if (end !== undefined) {
      items.push(hope!);
      expected.at += 1;
    } else {
      end = findEnd(body, at);
      if (end === undefined) throw new SyntaxError('the list breaks off');
      const item = take(JSON.parse(body.toString('utf8', at, end)), printOf(view, at, end));
      items.push(item);
      expected.at = expected.behind(item, expected.at);
    }
    at = skipBlanks(body, end);
    isOver = body[at] === closeBracket;
    if (!isOver) at = skipBlanks(body, at + 1);
  }
  const rest: unknown = JSON.parse(`${body.toString('utf8', 0, start)}[]${body.toString('utf8', at + 1)}`);
  if (!isRecord(rest)) return undefined;
  // A second list of that name would be the one that JSON.parse takes.
  return (rest[list] as unknown[]).length === 0 ? { items, rest } : undefined;
}

function isPrinted(body: Buffer, view: DataView, from: number, print: Print): boolean {
  const end = from + print.length;
  const next = body[skipBlanks(body, end)];
  if (next !== comma && next !== closeBracket) return false;
  const found = printOf(view, from, end);
  return found.first === print.first && found.second === print.second;
}

/** Both words depend on all bytes. They have to keep nobody out, only to differ where the bytes do. */
function printOf(view: DataView, from: number, end: number): Print {
  let [first, second]: [number, number] = [seeds[0], seeds[1]];
  const lastPair = end - ((end - from) % 8);
  let at = from;
  for (; at < lastPair; at += 8) {
    const one = view.getInt32(at, true);
    const other = view.getInt32(at + 4, true);
    first = (Math.imul(first ^ one, 0x9e3779b1) + other) | 0;
    first ^= first >>> 15;
    second = (Math.imul(second ^ other, 0x85ebca6b) + one) | 0;
    second ^= second >>> 13;
  }
  for (; at < end; at += 1) {
    first = Math.imul(first ^ view.getUint8(at), 0x9e3779b1);
    second = Math.imul(second ^ first, 0x85ebca6b);
  }
  return { length: end - from, first, second };
}

/** Where the list of that name begins, among the keys of the page itself. */
function findList(body: Buffer, list: string): number | undefined {
  let at = skipBlanks(body, 0);
  if (body[at] !== openBrace) return undefined;
  at = skipBlanks(body, at + 1);
  while (body[at] === quote) {
    const keyEnd = findTextEnd(body, at);
    const key: unknown = JSON.parse(body.toString('utf8', at, keyEnd));
    at = skipBlanks(body, keyEnd);
    if (body[at] !== colon) return undefined;
    at = skipBlanks(body, at + 1);
    if (key === list) return body[at] === openBracket ? at : undefined;
    const end = findEnd(body, at);
    if (end === undefined || body[end] !== comma) return undefined;
    at = skipBlanks(body, end + 1);
  }
  return undefined;
}

/** Where a value ends that stands in a list or an object: at the comma or bracket behind it. One look at each byte. */
function findEnd(body: Buffer, start: number): number | undefined {
  let depth = 0;
  let at = start;
  while (at < body.length) {
    const byte = body[at];
    if (byte === quote) {
      at = findTextEnd(body, at);
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === comma && depth === 0) return at;
    at += 1;
  }
  return undefined;
}

/** Behind the closing quote of the text that begins here. */
function findTextEnd(body: Buffer, start: number): number {
  for (let at = start + 1; at < body.length; at += 1) {
    if (body[at] === backslash) at += 1;
    else if (body[at] === quote) return at + 1;
  }
  return body.length;
}

function skipBlanks(body: Buffer, start: number): number {
  let at = start;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return at;
}

import { randomInt } from 'node:crypto';
import { AnswerTooLarge } from '../transport/body.ts';
import { brokeOff, endOfQuoted, endOfValue, isCostly, notJson, parseJson } from '../transport/json.ts';
import { isOver, nextSlice, type Slices } from '../yield-to-event-loop.ts';
import { isRecord } from './values.ts';

/** What is remembered of a record's bytes, to know it again. Two words of 32 bits; compared only with those of the same row. */
export interface Print {
  readonly length: number;
  readonly first: number;
  readonly second: number;
}

/** What is made of a record: `''` is the id of one that has none, and without a print it is not known again. */
export interface WithId {
  readonly id: string;
  readonly print?: Print | undefined;
}

/** What stood in a list the last time, and which of it comes first in the page. */
export interface Expected<Item> {
  readonly items: readonly Item[];
  readonly from: number;
}

/** What is made of each record, and which of them are known. */
export interface RecordReader<Item, State> {
  /** A function of a module, since it is called for each record; all that it needs is in its state. */
  readonly take: (state: State, record: unknown, print: Print) => Item;
  readonly state: State;
  readonly expected: Expected<Item>;
}

interface RecordsInput<Item, State> extends RecordReader<Item, State> {
  /** The key of the list. */
  readonly list: string;
  /** A longer list is no page. */
  readonly mostRecords: number;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] =
  Buffer.from('"\\{}[],:');

/** Each process begins elsewhere: nobody can work out beforehand which print a record will have. */
const seeds: readonly [number, number] = [randomInt(2 ** 31), randomInt(2 ** 31)];

/** The longest record, and the most that may stand around the list: several hundred times what a platform writes. */
const mostBytes = 2 ** 20;
/** Between two looks at the clock. */
const stepBytes = 65_536;
/** Of a record that is not read. */
const noPrint: Print = { length: 0, first: 0, second: 0 };
/** If so many are gone in a row, those behind them are still known again. */
const mostGone = 20;

/** How far a list is read. */
interface Walk<Item, State> extends RecordsInput<Item, State> {
  readonly body: Buffer;
  readonly view: DataView;
  readonly items: Item[];
  /** Where the next one stands of those that are expected. */
  next: number;
  at: number;
  /** Within a record that is too long or too deep, which is not read but passed over. */
  skipped: { depth: number; isText: boolean } | undefined;
}

/**
 * Reads a page: its records, each as `take` makes it, and the rest as JSON. A record whose bytes are as expected is the
 * expected item: it is not parsed. One beyond the limits is taken as `undefined`, so that one server hides no other.
 * Undefined if the page is JSON without such a list; throws NotJson if it is no JSON.
 */
export async function readRecords<Item extends WithId, State>(
  body: Buffer,
  input: RecordsInput<Item, State>,
  slices: Slices,
): Promise<{ readonly items: Item[]; readonly rest: Readonly<Record<string, unknown>> } | undefined> {
  const start = findList(body, input.list);
  if (start === undefined) return void (body.length <= mostBytes && parseJson(body));
  const walk: Walk<Item, State> = {
    ...input,
    body,
    view: new DataView(body.buffer, body.byteOffset, body.length),
    items: [],
    next: input.expected.from,
    at: skipBlanks(body, start + 1),
    skipped: undefined,
  };
  if (body[walk.at] !== closeBracket) while (!readSome(walk)) if (isOver(slices)) await nextSlice(slices);
  const rest = restOf(body, start, walk.at);
  if (!isRecord(rest)) return undefined;
  // A second list of that name would be the one that JSON.parse takes.
  return (rest[input.list] as unknown[]).length === 0 ? { items: walk.items, rest } : undefined;
}

/** Reads records for some bytes; true at the bracket that ends the list. */
function readSome<Item extends WithId, State>(walk: Walk<Item, State>): boolean {
  const { body, view, items, expected, take, state, mostRecords } = walk;
  if (walk.skipped) return skipSome(walk, walk.skipped);
  const until = walk.at + stepBytes;
  while (walk.at < until) {
    const { at } = walk;
    const hope = expected.items[walk.next];
    if (hope?.print && isPrinted(body, view, at, hope.print)) {
      items.push(hope);
      walk.next += 1;
      walk.at = at + hope.print.length;
    } else {
      const most = at + mostBytes;
      const end = endOfValue(body, at, most < body.length ? most : body.length);
      if (end < 0) {
        if (end === brokeOff && most >= body.length) throw notJson(body, body.length);
        walk.skipped = { depth: 0, isText: false };
        return false;
      }
      push(walk, take(state, parseRecord(body, at, end, items.length), printOf(view, at, end)));
      walk.at = end;
    }
    if (items.length > mostRecords) throw new AnswerTooLarge(`more than ${mostRecords} records in one page`);
    if (isListOver(walk)) return true;
  }
  return false;
}

/** One that was not as expected: it has changed, is new, or some before it are gone. */
function push<Item extends WithId>(
  walk: Pick<Walk<Item, unknown>, 'items' | 'expected' | 'next'>,
  item: Item,
): void {
  walk.items.push(item);
  const { next } = walk;
  const before = walk.expected.items;
  const end = Math.min(before.length, item.id === '' ? next + 1 : next + mostGone);
  for (let at = next; at < end; at += 1) if (before[at]!.id === item.id) walk.next = at + 1;
}

/** Behind a record: at the bracket that ends the list, or at the next record. */
function isListOver(walk: Pick<Walk<unknown, unknown>, 'body' | 'at'>): boolean {
  const { body } = walk;
  walk.at = skipBlanks(body, walk.at);
  if (body[walk.at] === closeBracket) return true;
  walk.at = skipBlanks(body, walk.at + 1);
  return false;
}

/** Goes on within a record that is beyond the limits, one step at a time: nothing limits its length. */
function skipSome<Item extends WithId, State>(
  walk: Walk<Item, State>,
  skipped: { depth: number; isText: boolean },
): boolean {
  const { body } = walk;
  const until = Math.min(walk.at + stepBytes, body.length);
  let { at } = walk;
  for (; at < until; at += 1) {
    const byte = body[at];
    if (skipped.isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) skipped.isText = false;
    } else if (byte === quote) skipped.isText = true;
    else if (byte === openBrace || byte === openBracket) skipped.depth += 1;
    else if (byte === comma && skipped.depth === 0) break;
    else if ((byte === closeBrace || byte === closeBracket) && skipped.depth-- === 0) break;
  }
  walk.at = at;
  if (at >= body.length) throw notJson(body, body.length);
  if (at >= until) return false;
  push(walk, walk.take(walk.state, undefined, noPrint));
  walk.skipped = undefined;
  return isListOver(walk);
}

function parseRecord(body: Buffer, at: number, end: number, index: number): unknown {
  try {
    return JSON.parse(body.toString('utf8', at, end));
  } catch {
    const bytes = body.subarray(at, end);
    const record = nameOf(bytes) ?? `record ${index + 1} of the list`;
    return parseJson(bytes, { placeOf: (within) => at + within, record });
  }
}

/** By its own id, as far as that can be seen in what is not JSON. */
function nameOf(bytes: Buffer): string | undefined {
  for (let at = 1; at < bytes.length;) {
    const end = endOfValue(bytes, at, bytes.length);
    const field = bytes.toString('latin1', at, end < 0 ? at + 100 : end);
    const id = /^\s*"id"\s*:\s*"([\w.:-]{1,64})"/.exec(field)?.[1];
    if (id !== undefined) return `the record with the id ${id}`;
    if (end < 0) return undefined;
    at = end + 1;
  }
  return undefined;
}

/** The page without its records. */
function restOf(body: Buffer, start: number, end: number): unknown {
  const gap = end - start - 1;
  if (body.length - gap > mostBytes) throw new AnswerTooLarge('more than 1 MiB stands around its list');
  const rest = Buffer.concat([body.subarray(0, start + 1), body.subarray(end)]);
  if (isCostly(rest)) throw new AnswerTooLarge('too many values stand around its list');
  return parseJson(rest, { placeOf: (at) => (at > start ? at + gap : at) });
}

function isPrinted(body: Buffer, view: DataView, from: number, print: Print): boolean {
  const end = from + print.length;
  const next = body[skipBlanks(body, end)];
  if (next !== comma && next !== closeBracket) return false;
  digest(view, from, end);
  return lanes[0] === print.first && lanes[1] === print.second;
}

function printOf(view: DataView, from: number, end: number): Print {
  digest(view, from, end);
  return { length: end - from, first: lanes[0]!, second: lanes[1]! };
}

/** The two words of the latest digest: an object for each record that is compared would be garbage. */
const lanes = new Int32Array(2);

/** Both words depend on all bytes. They have to keep nobody out, only to differ where the bytes do. */
function digest(view: DataView, from: number, end: number): void {
  let [first, second] = seeds;
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
  lanes[0] = first;
  lanes[1] = second;
}

/** Where the list of that name begins, among the keys of the page itself. */
function findList(body: Buffer, list: string): number | undefined {
  const until = Math.min(body.length, mostBytes);
  let at = skipBlanks(body, 0);
  if (body[at] !== openBrace) return undefined;
  at = skipBlanks(body, at + 1);
  while (body[at] === quote) {
    const keyEnd = endOfQuoted(body, at, until);
    const key = parseJson(body.subarray(at, keyEnd));
    at = skipBlanks(body, keyEnd);
    if (body[at] !== colon) return undefined;
    at = skipBlanks(body, at + 1);
    if (key === list) return body[at] === openBracket ? at : undefined;
    const end = endOfValue(body, at, until);
    if (body[end] !== comma) return undefined;
    at = skipBlanks(body, end + 1);
  }
  return undefined;
}

/** So many that they are no layout end the search. */
function skipBlanks(body: Buffer, start: number): number {
  const until = start + mostBytes;
  let at = start;
  while ((body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) && at < until)
    at += 1;
  return at;
}

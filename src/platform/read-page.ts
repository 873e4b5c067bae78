import { isAscii } from 'node:buffer';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import {
  findRecord,
  interruptRun,
  passRecord,
  takeRun,
  type KnownPage,
  type KnownPages,
} from './known-page.ts';
import { findRecordEnd } from './record-end.ts';
import { textBetween, type Unread } from './record-text.ts';

/** So much is parsed within a few milliseconds; then others have their turn. */
const sliceBytes = 262_144;
/** A record that is known takes so much less time than one that is parsed. */
const timesFaster = 8;

/** So many are read one after the other: of ten in a row, nine find the code for it still at hand in the processor. */
const mostParsed = 16;

/** In bytes: a shorter record is parsed sooner than searched for what nobody reads. */
const worthCutting = 2048;

/** Makes sense of a body, in as many turns as it needs. Gives undefined, which JSON cannot say, if it is not JSON. */
export type ParseBody = (body: Buffer) => unknown;

const keyLetters = 4;
const nothing: readonly never[] = [];
const [closeBracket, comma] = Buffer.from('],');
/** In place of the list's own key: a key that shows whether the page has another list of that name further on. */
const taken = 'what was taken';

interface Reading<Item> {
  readonly take: (record: unknown) => Item;
  /** The key of the list. */
  readonly list: string;
  readonly known: KnownPages<Item> | undefined;
  /** Nobody minds if these are left out. */
  readonly unread: readonly Unread[];
  readonly pause: () => Promise<void>;
}

/**
 * Parses a page record by record. `take` takes what it needs of each, and the rest is forgotten before the garbage
 * collector would move it. The answer is the page as JSON.parse would give it, but with what was taken in place of the
 * records; undefined if the page is not JSON, so what was taken of it does not count.
 *
 * A record seems to end where `},{"` and the first letters of the first record follow. What stands before such a place
 * within a record is no JSON; then the record's real end is searched for, byte by byte. What is known by its digest was
 * parsed before, so it ends where it seems to.
 */
export function createPageParser<Item>(
  take: (record: unknown) => Item,
  options: Partial<Omit<Reading<Item>, 'take'>> = {},
): ParseBody {
  const { list = 'servers', known, unread = [], pause = yieldToEventLoop } = options;
  const how = { take, list, known, unread, pause };
  return (body) => parsePage(body, how);
}

/** By itself: what the engine compiles for a function within another one is lost with it, page by page. */
async function parsePage<Item>(body: Buffer, how: Reading<Item>): Promise<unknown> {
  const { take, list, known, unread, pause } = how;
  const key = JSON.stringify(list);
  const items: Item[] = [];
  const parsed: Parsed[] = [];
  const first = findFirstRecord(body, key);
  if (first === 0) return wholePage(parseJson(body), list, take);
  const separator = separatorOf(body, first);
  const knownPage = known?.openPage(body);
  let start = first;
  let effort = 0;
  let unknown = 0;
  /** ASCII, as far as is known. */
  let isPlain = false;
  for (;;) {
    if (effort >= sliceBytes) {
      await pause();
      effort = 0;
    }
    const runEnd = knownPage && takeRun(knownPage, start, items);
    if (runEnd !== undefined) {
      effort += (runEnd - start) / timesFaster;
      start = nextAfter(body, runEnd);
      if (start === runEnd) break;
      continue;
    }
    let end = findGuess(body, start, separator) ?? findLast(body, start);
    if (end === undefined) break;
    const item = knownPage && findRecord(knownPage, start, end);
    if (item === undefined) {
      unknown += 1;
      // At once for the whole page; where few are read, one by one.
      if (unknown === mostParsed) isPlain = isAscii(body);
      let records = parseRecords(body, start, end, { unread, isPlain });
      if (!Array.isArray(records)) {
        end = findRecordEnd(body, start);
        if (end === undefined || (body[end] !== comma && body[end] !== closeBracket)) break;
        records = parseRecords(body, start, end, { unread, isPlain });
        if (!Array.isArray(records)) break;
      }
      const isOne = (records as unknown[]).length === 1;
      const digest = knownPage && isOne ? passRecord(knownPage, start, end) : undefined;
      if (knownPage && !isOne) interruptRun(knownPage);
      for (const record of records as unknown[]) {
        parsed.push({ record, place: items.length, digest });
        // The place is taken until the record is read.
        items.push(undefined as Item);
      }
      if (parsed.length >= mostParsed) readParsed(parsed, items, take, knownPage);
      effort += end - start;
    } else {
      items.push(item);
      effort += (end - start) / timesFaster;
    }
    start = nextAfter(body, end);
    if (start === end) break;
  }
  readParsed(parsed, items, take, knownPage);
  const head = body.toString('utf8', 0, first).replace(key, JSON.stringify(taken));
  const rest = parseJson(head + body.toString('utf8', start));
  if (!isObject(rest)) return undefined;
  const { [taken]: last, ...page } = rest;
  // As JSON.parse has it, the last of two lists is the one that counts.
  if (list in page) return wholePage(page, list, take);
  if (!Array.isArray(last)) return undefined;
  for (const record of last) items.push(take(record));
  return { ...page, [list]: items };
}

function parseJson(text: Buffer | string): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

/** As a list of one, unless the guess at its end was wrong. */
function parseRecords(
  body: Buffer,
  start: number,
  end: number,
  { unread, isPlain }: { unread: readonly Unread[]; isPlain: boolean },
): unknown {
  const cuts = end - start < worthCutting ? nothing : unread;
  return parseJson(textBetween(body, start, end, { unread: cuts, isPlain }));
}

/** A record that is not known, and the place of what will be made of it. */
interface Parsed {
  readonly record: unknown;
  readonly place: number;
  readonly digest: string | undefined;
}

function readParsed<Item>(
  parsed: Parsed[],
  items: Item[],
  take: (record: unknown) => Item,
  page: KnownPage<Item> | undefined,
): void {
  for (const { record, place, digest } of parsed) {
    const item = take(record);
    items[place] = item;
    if (digest !== undefined) page?.known.learn(digest, item);
  }
  parsed.length = 0;
}

function wholePage(page: unknown, list: string, take: (record: unknown) => unknown): unknown {
  if (!isObject(page) || !Array.isArray(page[list])) return page;
  return { ...page, [list]: page[list].map((record) => take(record)) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the first record begins; 0 if the page does not look as usual, and is better parsed as one piece. */
function findFirstRecord(body: Buffer, key: string): number {
  const opening = body.indexOf(`${key}:[{"`);
  const before = opening > 0 ? body.toString('latin1', 0, opening) : '';
  const isOutermost = /^\{[^[{]*$/.test(before) && !before.includes(key) && !before.includes('\\');
  return isOutermost ? opening + `${key}:[`.length : 0;
}

function separatorOf(body: Buffer, first: number): Buffer {
  return Buffer.concat([Buffer.from('},'), body.subarray(first, first + '{"'.length + keyLetters)]);
}

/** Where the record that starts here seems to end. */
function findGuess(body: Buffer, start: number, separator: Buffer): number | undefined {
  const at = body.indexOf(separator, start);
  return at < 0 ? undefined : at + 1;
}

/** Where the last record seems to end. */
function findLast(body: Buffer, start: number): number | undefined {
  const at = body.lastIndexOf('}]');
  return at < start ? undefined : at + 1;
}

/** Where the next record begins, behind one that ends here; at the list's own end, there. */
function nextAfter(body: Buffer, end: number): number {
  return body[end] === comma ? end + 1 : end;
}

import { digestOf } from './digest.ts';
import { mostInRun } from './run-table.ts';

/**
 * A page's way through what is known, record by record in their order. Where the next records are those that came next
 * in the last list, they are taken as one run, by one digest of all their bytes.
 */
export interface KnownPage<Item> {
  readonly body: Buffer;
  /** The same bytes. */
  readonly bytes: DataView;
  readonly known: Known<Item>;
  /** The record before those that may become a run; undefined if nothing known is before them. */
  before: Member | undefined;
  members: Member[];
  /** Where they begin. */
  start: number;
  /** The record that was looked for last, by its end. */
  soughtEnd: number;
  soughtDigest: string;
}

/** A record that has a place among those that are known, or will get one by its digest. */
export type Member = number | string;

/** Records that stand one behind the other. */
export interface Run {
  readonly before: Member;
  readonly bytes: number;
  readonly digest: string;
  readonly members: readonly Member[];
}

/** What one collection knows and learns. */
export interface Known<Item> {
  find(digest: string): { item: Item; member: Member } | undefined;
  learn(digest: string, item: Item): void;
  /** Where records keep their order from list to list. */
  readonly runs?: KnownRuns<Item> | undefined;
}

export interface KnownRuns<Item> {
  /** How long the run behind this record is; 0 if there is none. */
  bytesBehind(place: number): number;
  /** Takes its records if its bytes have this digest, and gives the place of the last one; not if one does not hold. */
  take(place: number, digest: string, items: Item[]): number | undefined;
  learn(run: Run): void;
}

/** Whatever can say of a page which of its records are known. */
export interface KnownPages<Item> {
  openPage(body: Buffer): KnownPage<Item>;
}

const fewest = 4;
/** One digest in so many ends a run. So runs end behind the same records, whatever came or went before them. */
const oneIn = 2;
const [comma, closeBracket] = Buffer.from(',]');

// Functions of their own, not of each page: what the engine compiles for a function is lost with it, page by page.

export function openKnownPage<Item>(body: Buffer, known: Known<Item>): KnownPage<Item> {
  const bytes = new DataView(body.buffer, body.byteOffset, body.length);
  return { body, bytes, known, before: undefined, members: [], start: 0, soughtEnd: 0, soughtDigest: '' };
}

/** Takes the records that followed the latest one last time, if they are here; then says where they end. */
export function takeRun<Item>(page: KnownPage<Item>, start: number, items: Item[]): number | undefined {
  const { body, known, members } = page;
  const latest = members.length > 0 ? members[members.length - 1] : page.before;
  if (typeof latest !== 'number' || !known.runs) return undefined;
  const bytes = known.runs.bytesBehind(latest);
  const end = start + bytes;
  if (bytes === 0 || (body[end] !== comma && body[end] !== closeBracket)) return undefined;
  const last = known.runs.take(latest, digestOf(page.bytes, start, end), items);
  if (last === undefined) return undefined;
  endRun(page, start - 1, last);
  return end;
}

/** What was made of the record between these. */
export function findRecord<Item>(page: KnownPage<Item>, start: number, end: number): Item | undefined {
  const digest = digestOf(page.bytes, start, end);
  page.soughtEnd = end;
  page.soughtDigest = digest;
  const found = page.known.find(digest);
  if (!found) return undefined;
  addMember(page, found.member, digest, start, end);
  return found.item;
}

/** A record that was not found; what is made of it is to be learned by the digest that this gives. */
export function passRecord<Item>(page: KnownPage<Item>, start: number, end: number): string {
  const isSought = page.soughtEnd === end;
  const digest = isSought ? page.soughtDigest : digestOf(page.bytes, start, end);
  addMember(page, digest, digest, start, end);
  return digest;
}

/** What comes next does not follow anything that is known. */
export function interruptRun<Item>(page: KnownPage<Item>): void {
  page.before = undefined;
  page.members = [];
}

function addMember<Item>(
  page: KnownPage<Item>,
  member: Member,
  digest: string,
  start: number,
  end: number,
): void {
  if (!page.known.runs) return;
  if (page.before === undefined) {
    page.before = member;
    return;
  }
  const { members } = page;
  if (members.length === 0) page.start = start;
  members.push(member);
  const mayEnd = members.length >= fewest && digest.charCodeAt(0) % oneIn === 0;
  if (mayEnd || members.length === mostInRun) endRun(page, end, member);
}

function endRun<Item>(page: KnownPage<Item>, end: number, last: Member): void {
  const { bytes, known, before, members, start } = page;
  page.before = last;
  if (members.length === 0) return;
  // Where all records are new, it is dear enough to read them: their runs are learned with the next list.
  if (members.length >= fewest && members.some((member) => typeof member === 'number'))
    known.runs!.learn({
      before: before!,
      bytes: end - start,
      digest: digestOf(bytes, start, end),
      members,
    });
  page.members = [];
}

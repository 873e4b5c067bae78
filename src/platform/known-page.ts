import { digestOf } from './digest.ts';

/**
 * A page's way through what is known, record by record in their order. Where the next records are those that came next
 * in the last list, they are taken as one run, by one digest of all their bytes.
 */
export interface KnownPage<Item> {
  /** Takes the records that followed the latest one last time, if they are here; then says where they end. */
  takeRun(start: number, items: Item[]): number | undefined;
  /** What was made of the record between these. */
  find(start: number, end: number): Item | undefined;
  /** What is made of it now. */
  learn(start: number, end: number, item: Item): void;
  /** What comes next does not follow anything that is known. */
  interrupt(): void;
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

interface Known<Item> {
  find(digest: string): { item: Item; member: Member } | undefined;
  learn(digest: string, item: Item): void;
  takeRun(before: number, start: number, items: Item[]): { end: number; last: number } | undefined;
  learnRun(run: Run): void;
}

const fewest = 6;
const most = 32;
/** One digest in so many ends a run. So runs end behind the same records, whatever came or went before them. */
const oneIn = 8;

export function createKnownPage<Item>(body: Buffer, known: Known<Item>): KnownPage<Item> {
  let before: Member | undefined;
  let members: Member[] = [];
  let runStart = 0;
  let sought = { end: 0, digest: '' };

  function add(member: Member, digest: string, start: number, end: number): void {
    if (before === undefined) {
      before = member;
      return;
    }
    if (members.length === 0) runStart = start;
    members.push(member);
    const mayEnd = members.length >= fewest && digest.charCodeAt(0) % oneIn === 0;
    if (mayEnd || members.length === most) endRun(end, member);
  }

  function endRun(end: number, last: Member): void {
    if (members.length >= fewest) {
      const digest = digestOf(body.subarray(runStart, end));
      known.learnRun({ before: before!, bytes: end - runStart, digest, members });
    }
    before = last;
    members = [];
  }

  return {
    takeRun(start, items) {
      const latest = members.at(-1) ?? before;
      if (typeof latest !== 'number') return undefined;
      const run = known.takeRun(latest, start, items);
      if (!run) return undefined;
      endRun(start - 1, latest);
      before = run.last;
      return run.end;
    },
    find(start, end) {
      const digest = digestOf(body.subarray(start, end));
      sought = { end, digest };
      const found = known.find(digest);
      if (!found) return undefined;
      add(found.member, digest, start, end);
      return found.item;
    },
    learn(start, end, item) {
      const digest = sought.end === end ? sought.digest : digestOf(body.subarray(start, end));
      known.learn(digest, item);
      add(digest, digest, start, end);
    },
    interrupt() {
      before = undefined;
      members = [];
    },
  };
}

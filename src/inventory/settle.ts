import { agrees, isOlder } from '../platform/plain-server.ts';
import { canBeAskedFor } from '../platform/id-ranges.ts';
import type { Server } from '../platform/server.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { isSameInSums, type Lookup, type Surroundings } from './lookups.ts';
import { learnFrom } from './names.ts';
import type { Reading, Row } from './row.ts';

/** After this long, the platform is believed. */
const doubtEndsAfterMs = 1_800_000;
const pauseMs = 1000;
const maxWitnesses = 10;

export interface SettleInput extends Surroundings {
  /** On the monotonic clock. */
  readonly readAt: number;
  /** So many records at most are asked for again. */
  readonly maxAsked: number;
  readonly slices: Slices;
  readonly wait: (ms: number) => Promise<void>;
  /** The records of these, in detail; undefined where the answer did not come. */
  readonly askAgain: (ids: readonly string[]) => Promise<ReadonlyMap<string, Server> | undefined>;
}

/**
 * Decides what is believed of the records that were read with details. What is not settled is read again at the next
 * list; what lacks something is asked for again at once, beside servers that are known to have it: if they have it in
 * the second answer, the platform's lookups work, and what both answers say is true.
 */
export async function settle(entries: readonly (Row | Reading)[], input: SettleInput): Promise<Row[]> {
  const rows: Row[] = [];
  const lacking: number[] = [];
  await inSlices(input.slices, entries.length, { entries, rows, lacking, input }, judgeFirst);
  if (lacking.length === 0) return rows;

  const asked = lacking
    .filter((at) => canBeAskedFor(rows[at]!.id))
    .toSorted((a, b) => Number(rows[a]!.unsettled?.isKept) - Number(rows[b]!.unsettled?.isKept))
    .slice(0, input.maxAsked);
  const witnesses = chooseWitnesses(entries, rows, lacking, input);
  await input.wait(pauseMs);
  const ids = new Set([
    ...asked.map((at) => rows[at]!.id),
    ...[...witnesses.values()].flat().map(({ id }) => id),
  ]);
  const answers = await input.askAgain([...ids]);
  for (const server of answers?.values() ?? []) learnFrom(input.names, server);
  const isConfirmed: Confirm = (lookup, lacking) => {
    const able = (witnesses.get(lookup) ?? []).filter(({ server }) => lookup.canWitness(server, lacking));
    const hasIts = ({ id, server }: Witness) => {
      const second = answers?.get(id);
      return second !== undefined && !lookup.isLess(second, server);
    };
    return able.length > 0 && able.every(hasIts);
  };
  for (const at of asked) {
    const reading = entries[at] as Reading;
    rows[at] = judge(reading, answers?.get(reading.id), isConfirmed, input);
  }
  return rows;
}

/** Whether servers that have what this one lacks were sent theirs in the second answer: the lookup works. */
type Confirm = (lookup: Lookup, lacking: Server) => boolean;

interface Judging {
  readonly entries: readonly (Row | Reading)[];
  readonly rows: Row[];
  /** Where those are that lack something. */
  readonly lacking: number[];
  readonly input: SettleInput;
}

function judgeFirst({ entries, rows, lacking, input }: Judging, at: number): void {
  const entry = entries[at]!;
  if (entry.kind === 'row') {
    rows.push(entry);
    return;
  }
  const row = judge(entry, undefined, unconfirmed, input);
  rows.push(row);
  if (row.unsettled?.doubtedSince !== undefined && isLackingAny(entry, input)) lacking.push(at);
}

const unconfirmed: Confirm = () => false;

function isLackingAny({ server, before }: Reading, around: Surroundings): boolean {
  return around.lookups.some((lookup) => lookup.isLacking(server, before, around));
}

/** What is known of a server after one reading, and after a second answer where it was asked for again. */
function judge(reading: Reading, answer: Server | undefined, isWorking: Confirm, input: SettleInput): Row {
  const { id, before, plain, print, server: first } = reading;
  // An answer of an earlier time shows nothing of this one.
  const second = answer && !isOlder(answer, first) ? answer : undefined;
  let server = second ? together(first, second, input) : first;
  const isAgreed = !plain || agrees(server, plain);
  if (plain && isOlder(server, plain))
    server = before && agrees(before.server, plain) ? before.server : { ...server, ...plain };
  const doubtedSince = before?.unsettled?.doubtedSince ?? input.readAt;
  const isBelieved = input.readAt - doubtedSince >= doubtEndsAfterMs;
  let isKept = false;
  let isDoubted = false;
  let isConfirmed = false;
  for (const lookup of input.lookups) {
    if (!lookup.isLacking(server, before, input)) continue;
    if (second && lookup.isSame(first, second) && isWorking(lookup, second))
      isConfirmed = isSameInSums(first, second);
    else if (!isBelieved) {
      isDoubted = true;
      if (!before || !lookup.isLess(server, before.server)) continue;
      server = lookup.filled(server, before.server);
      isKept = true;
    }
  }
  isConfirmed ||= before !== undefined && (!before.unsettled || isSameInSums(before.server, server));
  const isDifferent = before?.unsettled !== undefined && !isConfirmed;
  const isSettled = isBelieved || (isAgreed && !isDoubted && isConfirmed);
  // A second answer never takes the print of the first one.
  const isSaid = !isKept && (plain ? isAgreed || isBelieved : server === first);
  return {
    kind: 'row',
    id,
    server,
    print: isSaid ? print : undefined,
    readAt: isKept && before ? before.readAt : input.readAt,
    unsettled: isSettled
      ? undefined
      : { doubtedSince: isDoubted || isDifferent ? doubtedSince : undefined, isKept },
    group: undefined,
    host: undefined,
  };
}

/** The second answer, with what the first one has more of; the first one itself, where both say the same. */
function together(first: Server, second: Server, { lookups }: Surroundings): Server {
  if (agrees(second, first) && lookups.every((lookup) => lookup.isSame(second, first))) return first;
  let server = second;
  for (const lookup of lookups) if (lookup.isLess(second, first)) server = lookup.filled(server, first);
  return server;
}

type Witness = Pick<Row, 'id' | 'server'>;

/** Servers that are known to have what is missing, spread over the ids. */
function chooseWitnesses(
  entries: readonly (Row | Reading)[],
  rows: readonly Row[],
  lacking: readonly number[],
  around: Surroundings,
): ReadonlyMap<Lookup, readonly Witness[]> {
  const isLacking = new Set(lacking);
  const missing = around.lookups.filter((lookup) =>
    lacking.some((at) => {
      const { server, before } = entries[at] as Reading;
      return lookup.isLacking(server, before, around);
    }),
  );
  const isFit = ({ id, unsettled }: Row, at: number) =>
    unsettled?.doubtedSince === undefined && !isLacking.has(at) && canBeAskedFor(id);
  return new Map(missing.map((lookup) => [lookup, spreadWitnesses(rows, lookup, isFit)]));
}

/** One of each part of the servers: of those who have some, the one that can witness most. */
function spreadWitnesses(
  rows: readonly Row[],
  lookup: Lookup,
  isFit: (row: Row, at: number) => boolean,
): readonly Witness[] {
  const part = Math.ceil(rows.length / maxWitnesses);
  const best = new Map<number, Row>();
  for (const [at, row] of rows.entries()) {
    if (!lookup.has(row.server) || !isFit(row, at)) continue;
    const index = Math.floor(at / part);
    const known = best.get(index);
    if (!known || lookup.canWitness(row.server, known.server)) best.set(index, row);
  }
  return [...best.values()];
}

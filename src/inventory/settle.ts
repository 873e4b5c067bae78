import type { Clock } from '../clock.ts';
import { agrees, isOlder } from '../platform/plain-server.ts';
import { canBeAskedFor, countUpTo } from '../platform/id-ranges.ts';
import type { Server } from '../platform/server.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { isLessInSums, isSameInSums, type Lookup, type Surroundings } from './lookups.ts';
import { learnFrom } from './names.ts';
import type { Reading, Row } from './row.ts';

/** After this long, the platform is believed. */
const doubtEndsAfterMs = 1_800_000;
const pauseMs = 1000;
const maxWitnesses = 10;
/** Where pages are smaller: who is not asked for waits for another list. */
const leastAsked = 150;

export interface SettleInput extends Surroundings {
  /** When the list began, on the monotonic clock: no detail is older. */
  readonly startedAt: number;
  /** So many records at most are asked for again as a page has. */
  readonly plan: { readonly pageSize: number };
  readonly slices: Slices;
  readonly clock: Pick<Clock, 'wait'>;
  readonly signal: AbortSignal;
  /** The records of these, in detail; undefined where the answer did not come. */
  readonly askAgain: (ids: readonly string[]) => Promise<ReadonlyMap<string, Server> | undefined>;
}

/**
 * Decides what is believed of the records that were read with details. What is not settled is read again at the next
 * list; what lacks something is asked for again at once, beside servers that are known to have it: if they have it in
 * the second answer, the platform's lookups work, and what both answers say is true.
 */
export async function settle(entries: readonly (Row | Reading)[], input: SettleInput): Promise<Row[]> {
  const { plan, slices, clock, signal } = input;
  const judging: Judging = { entries, rows: [], lacking: [], input };
  const { rows, lacking } = judging;
  await inSlices(slices, entries.length, judging, judgeFirst);
  if (lacking.length === 0) return rows;

  const asked = lacking
    .filter((at) => canBeAskedFor(rows[at]!.id))
    .toSorted((a, b) => Number(rows[a]!.unsettled?.isKept) - Number(rows[b]!.unsettled?.isKept))
    .slice(0, Math.max(leastAsked, plan.pageSize));
  const witnesses = await chooseWitnesses(judging);
  await clock.wait(pauseMs, signal);
  const ids = [...asked.map((at) => rows[at]!), ...[...witnesses.values()].flat()].map(({ id }) => id);
  const answers = await input.askAgain([...new Set(ids)]);
  if (!answers) return rows;
  for (const server of answers.values()) learnFrom(input.names, server);
  for (const at of asked) rows[at] = judge(entries[at] as Reading, input, { answers, witnesses });
  for (const server of answers.values()) {
    const at = countUpTo(rows, server.id) - 1;
    if (entries[at]?.id === server.id) rows[at] = withMore(rows[at]!, entries[at], server, input);
  }
  return rows;
}

/** What the second answer has and was not known counts, whoever was asked for. */
function withMore(row: Row, entry: Row | Reading, server: Server, input: SettleInput): Row {
  if (!isLessInSums(row.server, server) || isOlder(server, row.server)) return row;
  const plain = entry.kind === 'reading' ? entry.plain : undefined;
  return judge({ kind: 'reading', id: row.id, server, print: undefined, before: row, plain }, input);
}

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
  const row = judge(entry, input);
  rows.push(row);
  if (
    row.unsettled?.doubtedSince !== undefined &&
    input.lookups.some((lookup) => isLacking(entry, lookup, input))
  )
    lacking.push(at);
}

function isLacking({ server, before }: Reading, lookup: Lookup, around: Surroundings): boolean {
  return lookup.isLacking(server, before, around);
}

/** What was asked for again: the answers, and servers that are known to have what is missing. */
interface SecondAnswers {
  readonly answers: ReadonlyMap<string, Server>;
  readonly witnesses: ReadonlyMap<Lookup, readonly Row[]>;
}

/** Whether servers that have what this one lacks were sent theirs in the second answer: the lookup works. */
function isWorking({ answers, witnesses }: SecondAnswers, lookup: Lookup, lacking: Server): boolean {
  // Who is gone or has changed meanwhile is no witness.
  const isAble = ({ id, server }: Row) => {
    const answer = answers.get(id);
    return answer !== undefined && !isOlder(server, answer) && lookup.canWitness(server, lacking);
  };
  const able = witnesses.get(lookup)?.filter(isAble) ?? [];
  return able.length > 0 && able.every(({ id, server }) => !lookup.isLess(answers.get(id)!, server));
}

/** What is known of a server after one reading, and after a second answer where it was asked for again. */
function judge(reading: Reading, input: SettleInput, again?: SecondAnswers): Row {
  const { id, before, plain, print, server: first } = reading;
  const { startedAt } = input;
  const answer = again?.answers.get(id);
  // An answer of an earlier time shows nothing of this one.
  const second = answer && !isOlder(answer, first) ? answer : undefined;
  let server = second ? together(first, second, input) : first;
  const isAgreed = !plain || agrees(server, plain);
  if (plain && isOlder(server, plain))
    server = before && agrees(before.server, plain) ? before.server : { ...server, ...plain };
  const doubtedSince = before?.unsettled?.doubtedSince ?? startedAt;
  const isBelieved = startedAt - doubtedSince >= doubtEndsAfterMs;
  let isKept = false;
  let isDoubted = false;
  let isConfirmed = false;
  for (const lookup of input.lookups) {
    if (!lookup.isLacking(server, before, input)) continue;
    if (second && lookup.isSame(first, second) && isWorking(again!, lookup, second))
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
    readAt: isKept && before ? before.readAt : startedAt,
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

/** For each lookup that brought too little, servers that are known to have what is missing, spread over the ids. */
async function chooseWitnesses(judging: Judging): Promise<SecondAnswers['witnesses']> {
  const { entries, rows, lacking, input } = judging;
  const witnesses = new Map<Lookup, readonly Row[]>();
  for (const lookup of input.lookups) {
    if (!lacking.some((at) => isLacking(entries[at] as Reading, lookup, input))) continue;
    const best: Row[] = [];
    await inSlices(input.slices, rows.length, { ...judging, lookup, best }, considerWitness);
    witnesses.set(lookup, Object.values(best));
  }
  return witnesses;
}

interface Choosing extends Judging {
  readonly lookup: Lookup;
  /** One of each part of the servers: of those who have some, the one that can witness most. */
  readonly best: Row[];
}

function considerWitness({ entries, rows, input, lookup, best }: Choosing, at: number): void {
  const row = rows[at]!;
  if (!lookup.has(row.server) || !canBeAskedFor(row.id)) return;
  const entry = entries[at]!;
  // What else a record lacks says nothing of this.
  const isDoubtful =
    entry.kind === 'reading' ? isLacking(entry, lookup, input) : row.unsettled?.doubtedSince !== undefined;
  if (isDoubtful) return;
  const part = Math.floor((at * maxWitnesses) / rows.length);
  const known = best[part];
  if (!known || lookup.canWitness(row.server, known.server)) best[part] = row;
}

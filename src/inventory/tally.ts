import type { State } from '../platform/state.ts';
import type { Counted, CountedPart, HostName, Kind } from './counted.ts';
import { addNumbers, zeros } from './group.ts';
import { createValueCounts, type ValueCounts } from './value-counts.ts';

/** How many servers there are, and what their numbers add up to. */
export interface Tally {
  servers: number;
  readonly sums: number[];
}

export interface KindTally extends Tally {
  /** By the index of their breakdown; nothing where there are none. */
  readonly parts: (ValueCounts | undefined)[];
}

export interface HostTally {
  servers: number;
  /** Servers that say that their host is down. */
  down: number;
  readonly states: Map<State, Tally>;
}

/** Servers added up by kind and by host; what has no servers any more is not there. */
export interface Tallies {
  readonly withHosts: boolean;
  readonly kinds: Map<Kind, KindTally>;
  readonly hosts: Map<HostName, HostTally>;
  /** False once a number was no whole one, or too large: taking it away again does not leave what was there before. */
  isExact: boolean;
}

// Functions of their own, not of each tally: what the engine compiles for a function is lost with it, scrape by scrape.

export function createTallies({ withHosts }: { withHosts: boolean }): Tallies {
  return { withHosts, kinds: new Map(), hosts: new Map(), isExact: true };
}

/** Sums that became too large are found by `checkSums`. */
export function addServer(tallies: Tallies, counted: Counted): void {
  const { kind, note } = counted;
  const { numbers, hostNumbers, isExact } = counted.sizes;
  if (!isExact) tallies.isExact = false;
  const tally = kindTallyOf(tallies, kind, numbers.length);
  tally.servers += 1;
  addNumbers(tally.sums, numbers);
  if (note) for (const part of note.parts) addPart(tallies, tally, part, 1);
  if (!tallies.withHosts || !counted.host) return;
  const host = hostTallyOf(tallies, counted.host);
  host.servers += 1;
  host.down += Number(counted.isHostDown);
  const ofState = tallyOf(host.states, kind.state, hostNumbers.length);
  ofState.servers += 1;
  addNumbers(ofState.sums, hostNumbers);
}

/** At the end, and not for each server: what only grows does not become exact again. */
export function checkSums(tallies: Tallies): void {
  for (const { sums } of tallies.kinds.values()) checkNumbers(tallies, sums);
  for (const { states } of tallies.hosts.values())
    for (const { sums } of states.values()) checkNumbers(tallies, sums);
}

/** Adds what others have added up, or takes it away. */
export function mergeTallies(into: Tallies, from: Tallies, sign: 1 | -1): void {
  if (!from.isExact) into.isExact = false;
  for (const [kind, { servers, sums, parts }] of from.kinds) {
    const tally = kindTallyOf(into, kind, sums.length);
    addTo(into, tally, servers, sums, sign);
    for (const [breakdown, counts] of parts.entries())
      for (const { values, count, times } of counts?.all ?? [])
        addPart(into, tally, { breakdown, values, count: sign * count }, sign * times);
    if (tally.servers === 0) into.kinds.delete(kind);
  }
  for (const [name, { servers, down, states }] of from.hosts) {
    const host = hostTallyOf(into, name);
    host.servers += sign * servers;
    host.down += sign * down;
    for (const [state, { servers: ofState, sums }] of states) {
      const tally = tallyOf(host.states, state, sums.length);
      addTo(into, tally, ofState, sums, sign);
      if (tally.servers === 0) host.states.delete(state);
    }
    if (host.servers === 0) into.hosts.delete(name);
  }
}

function addTo(
  tallies: Tallies,
  tally: Tally,
  servers: number,
  numbers: readonly number[],
  sign: 1 | -1,
): void {
  tally.servers += sign * servers;
  addNumbers(tally.sums, numbers, sign);
  checkNumbers(tallies, tally.sums);
}

function addPart(tallies: Tallies, tally: KindTally, part: CountedPart, times: number): void {
  const { breakdown, values, count } = part;
  const counts = (tally.parts[breakdown] ??= createValueCounts());
  const sum = counts.add(values, count, times);
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(sum)) tallies.isExact = false;
}

function checkNumbers(tallies: Tallies, numbers: readonly number[]): void {
  for (let index = 0; index < numbers.length; index += 1)
    if (!Number.isSafeInteger(numbers[index])) tallies.isExact = false;
}

function kindTallyOf({ kinds }: Tallies, kind: Kind, measures: number): KindTally {
  let tally = kinds.get(kind);
  if (!tally) kinds.set(kind, (tally = { servers: 0, sums: zeros(measures), parts: [] }));
  return tally;
}

function hostTallyOf({ hosts }: Tallies, name: HostName): HostTally {
  let host = hosts.get(name);
  if (!host) hosts.set(name, (host = { servers: 0, down: 0, states: new Map() }));
  return host;
}

function tallyOf(tallies: Map<State, Tally>, state: State, measures: number): Tally {
  let tally = tallies.get(state);
  if (!tally) tallies.set(state, (tally = { servers: 0, sums: zeros(measures) }));
  return tally;
}

import type { Server } from '../platform/server.ts';
import type { State } from '../platform/state.ts';
import type { Place } from './places.ts';
import { byCodeUnit } from './tree.ts';
import type { TellTurns } from './validity.ts';

/** How one server counts in a sum. Sizes are in the platform's units. */
export type Measure = (server: Server) => number;

/** What a server may have several of, such as devices. */
export interface Breakdown {
  /** `add` is called for each, with the values of its own labels. */
  parts(server: Server, now: number, add: (values: readonly string[], count: number) => void): void;
  /** Tells when a server may have other parts than before: it is not asked again in between. */
  readonly turns?: TellTurns;
}

/** In place of one that is not wanted. */
export const noBreakdown: Breakdown = { parts: () => undefined };

/** Sums over the servers of one place, status and state, one for each measure, in their order. */
export interface Group {
  /** A list of its own for each place, status and state, the same one while these have servers. */
  readonly place: Place;
  readonly status: string;
  readonly state: State;
  readonly sums: readonly number[];
}

/** A part of a group: what a breakdown counted under the same values. */
export interface Part {
  readonly group: Group;
  readonly values: readonly string[];
  readonly count: number;
}

/** What the servers of one list add up to. */
export interface Sums {
  readonly groups: readonly Group[];
  /** The parts of each breakdown, in the order of the breakdowns. */
  readonly parts: readonly (readonly Part[])[];
  /** Label sets beyond the limit, which are counted under `other`. */
  readonly mergedSets: number;
  /** Distinct projects, those counted under `other` too. */
  readonly projects: number;
}

/**
 * Made from halves: the engine keeps an array that began with whole numbers in another way, and is slower with both. The
 * copy is as long as it has to be, where what was pushed has room for seventeen numbers: there is one for each host.
 */
export function zeros(count: number): number[] {
  const numbers: number[] = [];
  for (let index = 0; index < count; index += 1) numbers.push(0.5);
  return numbers.fill(0).slice();
}

export function addNumbers(sums: number[], numbers: readonly number[], sign: 1 | -1 = 1): void {
  for (let index = 0; index < numbers.length; index += 1) sums[index]! += sign * numbers[index]!;
}

export function byPlaceAndStatus(a: Group, b: Group): number {
  return byValues(a.place, b.place) || byCodeUnit(a.status, b.status) || byCodeUnit(a.state, b.state);
}

export function byGroupAndValues(a: Part, b: Part): number {
  return byPlaceAndStatus(a.group, b.group) || byValues(a.values, b.values);
}

export function byValues(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length; index += 1) {
    const difference = byCodeUnit(a[index]!, b[index]!);
    if (difference !== 0) return difference;
  }
  return 0;
}

import { timestampOf } from '../timestamp.ts';
import type { Server } from '../platform/server.ts';
import { isHostDown } from './hosts.ts';
import type { Place } from './places.ts';
import { byCodeUnit } from './tree.ts';

/** Why a server needs attention, the more pressing first. */
export const problemKinds = [
  'failed',
  'host_down',
  'stuck',
  'unknown',
  'standby_down',
  'task_failed',
  'expired',
  'expiring',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** One object for as long as the server stays the same, with what names it: the server itself is not kept for it. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly place: Place;
  readonly host: string;
  /** Since when, as far as the platform tells; for what has an end, the end itself. */
  readonly moment: number | undefined;
}

export interface ProblemSettings {
  readonly limit: number;
  readonly stuckAfterMs: number;
  readonly expiringWithinMs: number;
}

export interface Problems {
  readonly counts: ReadonlyMap<ProblemKind, number>;
  /** At most the limit, and the same ones each time while the servers stay the same. */
  readonly named: readonly Problem[];
}

const none: readonly never[] = [];

export function problemsOf(server: Server, settings: ProblemSettings, now: number): readonly ProblemKind[] {
  const { state } = server;
  if (state === 'pending_deletion') return none;
  const kinds: ProblemKind[] = [];
  if (state === 'failed') kinds.push('failed');
  if (isHostDown(server)) kinds.push('host_down');
  if (state === 'transition' && now - (timestampOf(server.updatedAt) ?? now) > settings.stuckAfterMs)
    kinds.push('stuck');
  if (state === 'unknown') kinds.push('unknown');
  if (server.backupHostStatus === 'offline') kinds.push('standby_down');
  if (state === 'task_failed') kinds.push('task_failed');
  const { endsAt: end } = server;
  if (end === undefined) return kinds;
  // The planned release of a postpaid server is carried out by the platform, and is nobody's loss.
  if (end <= now) {
    if (server.billingType !== 'postpaid') kinds.push('expired');
  } else if (end - now <= settings.expiringWithinMs && !server.autoRenew) kinds.push('expiring');
  return kinds;
}

/** The moments from which on a server may have a problem that it did not have before, or have one no more. */
export function tellProblemTurns(
  server: Server,
  settings: ProblemSettings,
  turn: (moment: number) => void,
): void {
  const { endsAt: end } = server;
  const changedAt = server.state === 'transition' ? timestampOf(server.updatedAt) : undefined;
  if (changedAt !== undefined) turn(changedAt + settings.stuckAfterMs + 1);
  if (end === undefined) return;
  turn(end - settings.expiringWithinMs);
  turn(end);
}

/** What a server has in common with others: one copy serves all of them. */
export type Shared = Pick<Problem, 'status' | 'place' | 'host'>;

export function problemOf(
  { id, name, endsAt, updatedAt }: Server,
  kind: ProblemKind,
  { status, place, host }: Shared,
): Problem {
  const moment = kind === 'expired' || kind === 'expiring' ? endsAt : timestampOf(updatedAt);
  return { kind, id, name, status, place, host, moment };
}

/** So many beyond twice the limit are remembered before all are sorted and cut; few, since most are sorted for nothing. */
const spare = 50;

/** Counts the problems of servers, one by one, and remembers only as many of each kind as may be named. */
export function createProblemList({ limit }: { limit: number }): {
  add(problem: Problem): void;
  finish(): Problems;
} {
  const counts = new Map<ProblemKind, number>(problemKinds.map((kind) => [kind, 0]));
  const candidates = new Map<ProblemKind, Problem[]>(problemKinds.map((kind) => [kind, []]));
  /** Who comes after this id is not among those that may be named. */
  const lastIds = new Map<ProblemKind, string>();

  function theFirst(kind: ProblemKind, count: number): Problem[] {
    return candidates
      .get(kind)!
      .toSorted((a, b) => byCodeUnit(a.id, b.id))
      .slice(0, count);
  }

  return {
    add(problem) {
      const { kind, id } = problem;
      counts.set(kind, counts.get(kind)! + 1);
      const lastId = lastIds.get(kind);
      if (lastId !== undefined && byCodeUnit(id, lastId) > 0) return;
      const problems = candidates.get(kind)!;
      problems.push(problem);
      if (problems.length <= 2 * limit + spare) return;
      const kept = theFirst(kind, limit);
      candidates.set(kind, kept);
      lastIds.set(kind, kept.at(-1)?.id ?? '');
    },
    finish() {
      const shares = shareOut([...counts.values()], limit);
      const named = problemKinds.flatMap((kind, index) => theFirst(kind, shares[index]!));
      return { counts, named };
    },
  };
}

/** Fair parts of a limit: nobody gets more than it needs while another one lacks something. */
export function shareOut(needs: readonly number[], limit: number): number[] {
  const shares = needs.map(() => 0);
  let left = limit;
  for (;;) {
    const hungry = needs.flatMap((need, index) => (need > shares[index]! ? index : []));
    if (left <= 0 || hungry.length === 0) return shares;
    const part = Math.max(1, Math.floor(left / hungry.length));
    for (const index of hungry) {
      const more = Math.min(part, left, needs[index]! - shares[index]!);
      shares[index]! += more;
      left -= more;
    }
  }
}

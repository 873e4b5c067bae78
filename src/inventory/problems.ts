import type { Server } from '../platform/server.ts';
import type { Location } from './location.ts';
import { byCodeUnit } from './label-sets.ts';
import { hostOf, type Names } from './names.ts';

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

export interface Problem extends Pick<Server, 'id' | 'name' | 'status' | 'info'> {
  readonly kind: ProblemKind;
  readonly location: Location;
  readonly host: string;
  /** Since when, as far as the platform tells; for what expires, when. In milliseconds of Unix time. */
  readonly since: number | undefined;
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

/** What is wrong with one server, each thing by itself. */
export function findProblems(
  server: Server,
  isHostUp: boolean | undefined,
  settings: ProblemSettings,
  now: number,
): readonly ProblemKind[] {
  const { state, updatedAt, endsAt } = server;
  if (state === 'pending_deletion') return none;
  const isFine = state === 'running' || state === 'stopped';
  if (isFine && isHostUp !== false && endsAt === undefined && server.backupHostStatus === '') return none;
  const kinds: ProblemKind[] = [];
  if (state === 'failed') kinds.push('failed');
  if (isHostUp === false && server.hypervisor !== 'baremetal') kinds.push('host_down');
  if (state === 'transition' && now - (updatedAt ?? now) > settings.stuckAfterMs) kinds.push('stuck');
  if (state === 'unknown') kinds.push('unknown');
  if (server.backupHostStatus === 'offline') kinds.push('standby_down');
  if (state === 'task_failed') kinds.push('task_failed');
  if (endsAt !== undefined && endsAt <= now) {
    // The planned release of a postpaid server is carried out by the platform, and is nobody's loss.
    if (server.billingType !== 'postpaid') kinds.push('expired');
  } else if (endsAt !== undefined && endsAt - now <= settings.expiringWithinMs && !server.autoRenew)
    kinds.push('expiring');
  return kinds;
}

export function nameProblem(kind: ProblemKind, server: Server, location: Location, names: Names): Problem {
  const { id, name, status, info, endsAt, updatedAt } = server;
  const since = kind === 'expired' || kind === 'expiring' ? endsAt : updatedAt;
  return { kind, id, name, status, location, host: hostOf(names, server).host, info, since };
}

/** Counts problems, and names as many as may be named, with a fair part for each kind. */
export function summarize(problems: readonly Problem[], limit: number): Problems {
  const byKind = new Map<ProblemKind, Problem[]>(problemKinds.map((kind) => [kind, []]));
  for (const problem of problems) byKind.get(problem.kind)!.push(problem);
  const counts = new Map([...byKind].map(([kind, { length }]) => [kind, length]));
  const shares = shareOut([...counts.values()], limit);
  const named = [...byKind.values()].flatMap((some, index) => some.toSorted(byId).slice(0, shares[index]));
  return { counts, named };
}

function byId(one: Problem, other: Problem): number {
  return byCodeUnit(one.id, other.id);
}

/** Fair parts of a limit, the smallest needs first: nobody gets more than it needs while another one lacks something. */
export function shareOut(needs: readonly number[], limit: number): number[] {
  const shares = needs.map(() => 0);
  const order = [...needs.keys()].toSorted((one, other) => needs[one]! - needs[other]! || other - one);
  let left = limit;
  for (const [taken, index] of order.entries()) {
    shares[index] = Math.min(needs[index]!, Math.floor(left / (order.length - taken)));
    left -= shares[index];
  }
  return shares;
}

import type { Server } from '../platform/server.ts';

/** Why a server needs a person; the more pressing ones first, for they are kept when there are too many. */
export const problemKinds = [
  'failed',
  'host_down',
  'stuck',
  'unknown',
  'standby_down',
  'expired',
  'expiring',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

export interface Problem {
  readonly kind: ProblemKind;
  readonly server: Server;
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

const offline = 'offline';

export function problemsOf(server: Server, settings: ProblemSettings, now: number): ProblemKind[] {
  const { state } = server;
  const kinds: ProblemKind[] = [];
  if (state === 'failed') kinds.push('failed');
  if (server.hostServiceStatus === offline || server.hostStatus === offline) kinds.push('host_down');
  if (state === 'transition' && now - Date.parse(server.updatedAt) > settings.stuckAfterMs)
    kinds.push('stuck');
  if (state === 'unknown') kinds.push('unknown');
  if (server.backupHostStatus === offline) kinds.push('standby_down');
  if (server.expiredAt === '') return kinds;
  const leftMs = Date.parse(server.expiredAt) - now;
  if (leftMs <= 0) kinds.push('expired');
  else if (leftMs <= settings.expiringWithinMs && !server.autoRenew) kinds.push('expiring');
  return kinds;
}

/** Judges servers one by one as of `now`, and remembers only as many as may be named. */
export function createProblemList(
  settings: ProblemSettings,
  now: number,
): { add(server: Server): void; finish(): Problems } {
  const counts = new Map<ProblemKind, number>(problemKinds.map((kind) => [kind, 0]));
  let named: Problem[] = [];

  function keepTheFirst(): void {
    named = named.toSorted(inOrder).slice(0, settings.limit);
  }

  return {
    add(server) {
      for (const kind of problemsOf(server, settings, now)) {
        counts.set(kind, counts.get(kind)! + 1);
        named.push({ kind, server });
      }
      if (named.length > 2 * settings.limit + 1000) keepTheFirst();
    },
    finish() {
      keepTheFirst();
      return { counts, named };
    },
  };
}

function inOrder(a: Problem, b: Problem): number {
  const byKind = problemKinds.indexOf(a.kind) - problemKinds.indexOf(b.kind);
  return byKind || (a.server.id < b.server.id ? -1 : 1);
}

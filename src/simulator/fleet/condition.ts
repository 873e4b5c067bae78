import { settledStatuses, statuses } from './catalogue.ts';
import type { Host } from './landscape.ts';
import type { Random } from './random.ts';
import { dayMs, minuteMs, timestamp } from '../timestamp.ts';

interface Circumstances {
  readonly neverScheduled: boolean;
  readonly hasDevices: boolean;
  readonly host: Host;
  readonly random: Random;
}

export function chooseStatus({ neverScheduled, hasDevices, host, random }: Circumstances): string {
  const status = random.weighted(statuses);
  if (neverScheduled) return 'sched_fail';
  if (!host.online) return 'unknown';
  return hasDevices && random.chance(0.35) ? 'ready' : status;
}

export function isAtRest(status: string): boolean {
  return settledStatuses.has(status) || status.includes('fail');
}

interface Update {
  readonly status: string;
  readonly createdAtMs: number;
  readonly nowMs: number;
  readonly random: Random;
}

/** Most transitions began minutes ago; a few hang since hours. */
export function chooseUpdate({ status, createdAtMs, nowMs, random }: Update): number {
  if (isAtRest(status)) return createdAtMs + random.next() * (nowMs - createdAtMs);
  return Math.max(createdAtMs, nowMs - (random.chance(0.2) ? 5 * 60 : random.below(20)) * minuteMs);
}

export function createBilling({
  prepaid,
  nowMs,
  random,
}: {
  prepaid: boolean;
  nowMs: number;
  random: Random;
}) {
  const expiresInDays = random.weighted([
    [-3, 2],
    [4, 3],
    [random.below(300) + 8, 15],
  ]);
  return {
    auto_renew: prepaid && random.chance(0.5),
    billing_cycle: prepaid ? '1M' : '',
    billing_type: prepaid ? 'prepaid' : 'postpaid',
    expired_at: prepaid ? timestamp(nowMs + expiresInDays * dayMs) : null,
  };
}

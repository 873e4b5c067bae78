import { setTimeout as pass } from 'node:timers/promises';
import type { Answer, Work } from '../../src/simulator/answer.ts';

export type WorkKind = 'login' | 'detailed' | 'plain' | 'show' | 'hosts' | 'detailedHosts' | 'other';

/** In milliseconds of the platform; what is not said costs nothing. */
export interface PlatformCost {
  readonly workers: number;
  /** With details; without them too, unless that has a cost of its own. */
  readonly millisecondsPerServer: number;
  readonly millisecondsPerPlainServer?: number;
  readonly millisecondsPerHost?: number;
  readonly millisecondsPerDetailedHost?: number;
  readonly millisecondsPerRequest?: number;
  readonly millisecondsPerSearchedRow?: number;
  readonly millisecondsPerSummedRow?: number;
  /** How the time passes; a test gives a gate, and who only wants the bill gives nothing to wait for. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

const noCost: PlatformCost = { workers: Infinity, millisecondsPerServer: 0 };

/** As it was measured on the real platform. */
export const measuredCost: PlatformCost = {
  workers: 8,
  millisecondsPerServer: 4.4,
  millisecondsPerPlainServer: 0.67,
  millisecondsPerHost: 0.7,
  millisecondsPerDetailedHost: 17,
  millisecondsPerRequest: 4,
  millisecondsPerSearchedRow: 0.0005,
  millisecondsPerSummedRow: 0.022,
};

export interface Spent {
  readonly requests: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly rows: number;
}

/** What the platform has done for its clients: time as its costs have it, whether it passed or not. */
export interface Ledger {
  readonly total: Spent;
  of(kind: WorkKind): Spent;
  /** Worked to the end although the client had hung up; part of the others. */
  readonly abandoned: Spent;
  clear(): void;
}

export interface Job {
  readonly operation: string;
  readonly isAbandoned: () => boolean;
  readonly task: () => Promise<Answer>;
}

const nothing: Spent = { requests: 0, milliseconds: 0, bytes: 0, rows: 0 };
const noWork: Work = { details: false, rows: 0, searched: 0, summed: 0 };

/**
 * A platform with few workers: a list keeps one of them busy for as long as its rows take, the others wait in line. Who
 * hangs up does not end the work.
 */
export function createWorkplace(cost: PlatformCost = noCost) {
  const { workers, wait = (milliseconds) => pass(milliseconds, undefined, { ref: false }) } = cost;
  const spent = new Map<WorkKind | 'abandoned', Spent>();
  const line: (() => void)[] = [];
  let free = workers;
  const of = (kind: WorkKind | 'abandoned') => spent.get(kind) ?? nothing;
  const enter = (kind: WorkKind | 'abandoned', one: Spent) => spent.set(kind, add(of(kind), one));

  const ledger: Ledger = {
    get total() {
      return [...spent]
        .filter(([kind]) => kind !== 'abandoned')
        .reduce((sum, [, one]) => add(sum, one), nothing);
    },
    of,
    get abandoned() {
      return of('abandoned');
    },
    clear: () => spent.clear(),
  };

  async function work({ operation, isAbandoned, task }: Job): Promise<Answer> {
    const needsWorker = operation !== 'login';
    if (needsWorker && free > 0) free -= 1;
    else if (needsWorker) await new Promise<void>((resolve) => line.push(resolve));
    try {
      const answer = await task();
      if (answer.status >= 300) return answer;
      const { work: done = noWork } = answer;
      const kind = kindOf(operation, done);
      const milliseconds = kind === 'login' ? 0 : priceOf(kind, done, cost);
      if (milliseconds > 0) await wait(milliseconds);
      const one = { requests: 1, milliseconds, bytes: answer.body.length, rows: done.rows };
      enter(kind, one);
      if (isAbandoned()) enter('abandoned', one);
      return answer;
    } finally {
      const next = needsWorker ? line.shift() : undefined;
      if (next !== undefined) next();
      else if (needsWorker) free += 1;
    }
  }
  return { ledger, work };
}

function kindOf(operation: string, { details }: Work): WorkKind {
  if (operation === 'login' || operation === 'show') return operation;
  if (operation === 'list') return details ? 'detailed' : 'plain';
  if (operation === 'hosts') return details ? 'detailedHosts' : 'hosts';
  return 'other';
}

function priceOf(kind: WorkKind, { rows, searched, summed }: Work, cost: PlatformCost): number {
  return (
    (cost.millisecondsPerRequest ?? 0) +
    rows * perRow(kind, cost) +
    searched * (cost.millisecondsPerSearchedRow ?? 0) +
    summed * (cost.millisecondsPerSummedRow ?? 0)
  );
}

function perRow(kind: WorkKind, cost: PlatformCost): number {
  switch (kind) {
    case 'plain':
      return cost.millisecondsPerPlainServer ?? cost.millisecondsPerServer;
    case 'hosts':
    case 'other':
      return cost.millisecondsPerHost ?? 0;
    case 'detailedHosts':
      return cost.millisecondsPerDetailedHost ?? cost.millisecondsPerHost ?? 0;
    default:
      return cost.millisecondsPerServer;
  }
}

function add(one: Spent, other: Spent): Spent {
  return {
    requests: one.requests + other.requests,
    milliseconds: one.milliseconds + other.milliseconds,
    bytes: one.bytes + other.bytes,
    rows: one.rows + other.rows,
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import type { Answer } from '../../src/simulator/answer.ts';
import type { TokenState } from '../../src/simulator/tokens.ts';

/** `list` and `show` are of servers; everything else that is listed has the name of its path. */
export type Operation = 'login' | 'list' | 'show' | 'other' | (typeof listed)[number];
export const listed = ['hosts', 'storages', 'isolated_devices', 'zones', 'cloudregions'] as const;

export interface Arrival {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** Of a repeated parameter the last value; `parameters` has all. */
  readonly query: Readonly<Record<string, string>>;
  readonly parameters: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly tokenSent: string | undefined;
  readonly tokenState: TokenState;
  readonly at: number;
}

export interface JournalEntry extends Arrival {
  /** Requests of the same operation that were being answered when it came, itself among them. */
  readonly atOnce: number;
  /** The kind of fault it met. */
  fault: string | undefined;
  /** Undefined while it is unanswered, and for good if the connection broke first. */
  status: number | undefined;
  isOpen: boolean;
}

export type Journal = ReturnType<typeof createJournal>['journal'];

export function createJournal() {
  let entries: JournalEntry[] = [];
  let underWay: JournalEntry[] = [];
  const of = (operation: Operation): readonly JournalEntry[] =>
    entries.filter((entry) => entry.operation === operation);

  function open(arrival: Arrival): JournalEntry {
    underWay = underWay.filter(({ isOpen }) => isOpen);
    const atOnce = underWay.filter(({ operation }) => operation === arrival.operation).length + 1;
    const entry = { ...arrival, atOnce, fault: undefined, status: undefined, isOpen: true };
    entries.push(entry);
    underWay.push(entry);
    return entry;
  }

  const journal = {
    get entries(): readonly JournalEntry[] {
      return entries;
    },
    of,
    count: (operation?: Operation) => (operation === undefined ? entries : of(operation)).length,
    mostAtOnce: (operation: Operation) => Math.max(0, ...of(operation).map(({ atOnce }) => atOnce)),
    /** Requests that came with a token that had expired by the simulator's clock. */
    get usedDeadTokens(): readonly JournalEntry[] {
      return entries.filter(({ tokenState }) => tokenState === 'expired');
    },
    clear(): void {
      entries = [];
    },
  };
  return { journal, open };
}

/** In milliseconds of the platform; what is not said costs nothing. */
export interface PlatformCost {
  readonly workers: number;
  /** With details; without them too, unless that has a cost of its own. */
  readonly millisecondsPerServer: number;
  readonly millisecondsPerPlainServer?: number;
  /** A host, a storage and so on. */
  readonly millisecondsPerOther?: number;
  readonly millisecondsPerRequest?: number;
  /** How the time passes; a test gives a gate, and who only wants the bill gives nothing to wait for. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

export type Ledger = ReturnType<typeof createWorkplace>['ledger'];
const noCost: PlatformCost = { workers: Infinity, millisecondsPerServer: 0 };
/** As it was measured on the real platform. */
export const measuredCost: PlatformCost = {
  workers: 8,
  millisecondsPerServer: 4.4,
  millisecondsPerPlainServer: 0.67,
  millisecondsPerOther: 0.7,
  millisecondsPerRequest: 4,
};
const nothing = { requests: 0, milliseconds: 0, bytes: 0, rows: 0 };

/**
 * A platform with few workers: a list keeps one of them busy for as long as its rows take, the others wait in line. Who
 * hangs up does not end the work. The ledger has what was done, time as the costs have it, whether it passed or not.
 */
export function createWorkplace(cost: PlatformCost = noCost) {
  const { workers, millisecondsPerServer, millisecondsPerPlainServer = millisecondsPerServer } = cost;
  const { wait = (milliseconds) => pass(milliseconds, undefined, { ref: false }) } = cost;
  const line: (() => void)[] = [];
  let free = workers;
  let spent = nothing;

  async function work({ operation, query }: Arrival, task: () => Promise<Answer>): Promise<Answer> {
    if (operation === 'login') return account(await task(), 0, 0);
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      const answer = await task();
      if (cost === noCost || answer.status >= 300) return answer;
      const ofServer = query['details'] === 'false' ? millisecondsPerPlainServer : millisecondsPerServer;
      const listed = Object.values(JSON.parse(answer.body.toString()) as object).find(Array.isArray);
      const rows = listed?.length ?? 0;
      const milliseconds =
        (cost.millisecondsPerRequest ?? 0) +
        rows * (operation === 'list' ? ofServer : (cost.millisecondsPerOther ?? 0));
      if (milliseconds > 0) await wait(milliseconds);
      return account(answer, rows, milliseconds);
    } finally {
      const next = line.shift();
      if (next !== undefined) next();
      else free += 1;
    }
  }

  function account(answer: Answer, more: number, time: number): Answer {
    const { requests, milliseconds, bytes, rows } = spent;
    const [sent, passed] = [bytes + answer.body.length, milliseconds + time];
    spent = { requests: requests + 1, milliseconds: passed, bytes: sent, rows: rows + more };
    return answer;
  }

  const ledger = {
    get total() {
      return spent;
    },
    clear(): void {
      spent = nothing;
    },
  };
  return { ledger, work };
}

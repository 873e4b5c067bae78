import type { Answer } from '../../src/simulator/answer.ts';
import type { Call } from '../../src/simulator/api.ts';
import type { TokenState } from '../../src/simulator/tokens.ts';

/** `list` is of servers; everything else that is listed has the name of its path. */
export type Operation = 'login' | 'list' | 'other' | (typeof listed)[number];
export const listed = [
  ...(['hosts', 'storages', 'isolated_devices', 'networks', 'cloudproviderregions'] as const),
  ...(['zones', 'cloudregions'] as const),
] as const;

export interface Arrival extends Pick<Call, 'method' | 'path' | 'headers' | 'body'> {
  readonly operation: Operation;
  /** Of a repeated parameter the last value; `parameters` has all. */
  readonly query: Readonly<Record<string, string>>;
  readonly parameters: URLSearchParams;
  readonly tokenSent: string | undefined;
  readonly tokenState: TokenState;
  readonly at: number;
}

interface JournalEntry extends Arrival {
  /** Requests of the same operation that were being answered when it came, itself among them. */
  readonly atOnce: number;
  isOpen: boolean;
}

export function createJournal() {
  let entries: JournalEntry[] = [];
  let underWay: JournalEntry[] = [];
  const of = (operation: Operation): readonly JournalEntry[] =>
    entries.filter((entry) => entry.operation === operation);

  function open(arrival: Arrival): JournalEntry {
    underWay = underWay.filter(({ isOpen }) => isOpen);
    const atOnce = underWay.filter(({ operation }) => operation === arrival.operation).length + 1;
    const entry = { ...arrival, atOnce, isOpen: true };
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
  /** With details; without them too, unless that has a cost of its own. */
  readonly millisecondsPerServer: number;
  readonly millisecondsPerPlainServer?: number;
  /** A host, a storage and so on. */
  readonly millisecondsPerOther?: number;
  readonly millisecondsPerRequest?: number;
}

/** As it was measured on the real platform. */
export const measuredCost: PlatformCost = {
  millisecondsPerServer: 4.4,
  millisecondsPerPlainServer: 0.67,
  millisecondsPerOther: 0.7,
  millisecondsPerRequest: 4,
};

/** The time that what was done takes as the costs have it: nobody waits for it. */
export function createLedger(cost: PlatformCost | undefined) {
  const ledger = { total: { milliseconds: 0 }, clear: () => void (ledger.total = { milliseconds: 0 }) };

  function bill({ operation, query }: Arrival, { status, body }: Answer): void {
    if (cost === undefined || status >= 300 || operation === 'login') return;
    const { millisecondsPerServer, millisecondsPerPlainServer = millisecondsPerServer } = cost;
    const { millisecondsPerOther = 0, millisecondsPerRequest = 0 } = cost;
    const ofServer = query['details'] === 'false' ? millisecondsPerPlainServer : millisecondsPerServer;
    const rows = Object.values(JSON.parse(body.toString()) as object).find(Array.isArray)?.length ?? 0;
    const ofRows = rows * (operation === 'list' ? ofServer : millisecondsPerOther);
    ledger.total.milliseconds += millisecondsPerRequest + ofRows;
  }

  return { ledger, bill };
}

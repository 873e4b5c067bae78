import type { IncomingHttpHeaders } from 'node:http';
import type { TokenState } from '../../src/simulator/tokens.ts';

/** `list` and `show` are of servers; everything else that is listed has the name of its path. */
export type Operation =
  | 'login'
  | 'list'
  | 'show'
  | 'hosts'
  | 'storages'
  | 'isolated_devices'
  | 'zones'
  | 'cloudregions'
  | 'other';

export interface JournalEntry {
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
  /** Requests of the same operation that were being answered when it came, itself among them. */
  readonly atOnce: number;
  /** The kind of fault it met. */
  readonly fault: string | undefined;
  /** Undefined while it is unanswered, and for good if the connection broke first. */
  readonly status: number | undefined;
}

export type Arrival = Omit<JournalEntry, 'atOnce' | 'status' | 'fault'>;

export interface Journal {
  readonly entries: readonly JournalEntry[];
  of(operation: Operation): readonly JournalEntry[];
  count(operation?: Operation): number;
  mostAtOnce(operation: Operation): number;
  /** Requests that came with a token that had expired by the simulator's clock. */
  readonly usedDeadTokens: readonly JournalEntry[];
  clear(): void;
}

export interface OpenEntry {
  setFault(fault: string): void;
  setStatus(status: number): void;
  close(): void;
}

export function createJournal(): {
  readonly journal: Journal;
  readonly openEntry: (arrival: Arrival) => OpenEntry;
} {
  let entries: JournalEntry[] = [];
  const underWay = new Map<Operation, number>();
  const of = (operation: Operation) => entries.filter((entry) => entry.operation === operation);

  function openEntry(arrival: Arrival): OpenEntry {
    const { operation } = arrival;
    const atOnce = (underWay.get(operation) ?? 0) + 1;
    underWay.set(operation, atOnce);
    const entry = {
      ...arrival,
      atOnce,
      fault: undefined as string | undefined,
      status: undefined as number | undefined,
    };
    entries.push(entry);
    let closed = false;
    return {
      setFault(fault) {
        entry.fault = fault;
      },
      setStatus(status) {
        entry.status = status;
      },
      close() {
        if (!closed) underWay.set(operation, underWay.get(operation)! - 1);
        closed = true;
      },
    };
  }

  const journal: Journal = {
    get entries() {
      return entries;
    },
    of,
    count: (operation) => (operation === undefined ? entries : of(operation)).length,
    mostAtOnce: (operation) => of(operation).reduce((most, { atOnce }) => Math.max(most, atOnce), 0),
    get usedDeadTokens() {
      return entries.filter(({ tokenState }) => tokenState === 'expired');
    },
    clear() {
      entries = [];
    },
  };
  return { journal, openEntry };
}

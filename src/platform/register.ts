import { rejections, type ReadServer, type Rejection, type Server } from './server.ts';

/** New with its page, or known from another one, or rejected and without an id by which it could be known again. */
export type Outcome = 'new' | 'known' | Rejection;

export interface Register {
  /** Counts a record at once and forgets it, but for one without an id: a page that broke off is read from its start. */
  take(record: unknown, offset: number): Outcome;
  /** The end of a page: what has no id is counted now. */
  pageDone(fates: readonly Outcome[]): void;
  /** Servers that were taken. */
  received(): number;
  /** Records that count against the platform's total, the rejected ones too. */
  arrived(): number;
  readonly rejected: ReadonlyMap<Rejection, number>;
}

/** Who has arrived: each server once, however often the platform shows it. */
export function createRegister(
  readServer: ReadServer,
  onServer: (server: Server, offset: number) => void,
): Register {
  const pageOf = new Map<string, number>();
  const rejected = new Map<Rejection, number>(rejections.map((reason) => [reason, 0]));
  let received = 0;
  let nameless = 0;

  function reject(reason: Rejection): void {
    rejected.set(reason, rejected.get(reason)! + 1);
  }

  return {
    take(record, offset) {
      const server = readServer(record);
      const isRejected = typeof server === 'string';
      const id = isRejected ? idOf(record) : server.id;
      if (id === undefined) return server as Rejection;
      const knownFrom = pageOf.get(id);
      if (knownFrom !== undefined) return knownFrom === offset ? 'new' : 'known';
      pageOf.set(id, offset);
      if (isRejected) {
        reject(server);
      } else {
        received += 1;
        onServer(server, offset);
      }
      return 'new';
    },
    pageDone(fates) {
      for (const fate of fates) {
        if (fate === 'new' || fate === 'known') continue;
        nameless += 1;
        reject(fate);
      }
    },
    received: () => received,
    arrived: () => pageOf.size + nameless,
    rejected,
  };
}

function idOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null || !('id' in record)) return undefined;
  return typeof record.id === 'string' && record.id !== '' ? record.id : undefined;
}

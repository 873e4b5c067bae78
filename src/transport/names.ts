import { promises as system, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../clock.ts';
import { createSlots, createThreads, type Slots } from './slots.ts';

type Addresses = readonly LookupAddress[];
type Resolve = (host: string, options: LookupOptions & { all: true }) => Promise<Addresses>;

/** From names to addresses, for all clouds. */
export interface Names {
  /** In the form in which Node's sockets ask. */
  readonly lookup: LookupFunction;
  /** The resolver was asked for this name, has not answered, and never did before. */
  isUnresolved(host: string): boolean;
}

/** Node itself gives names two of its four threads; a third name would wait for them without our knowing. */
const mostAtOnce = 2;
/** A resolver that takes longer is not waited for, if it told the address before. */
const patienceMs = 1000;
/** More names than clouds have; a catalog that names new hosts all the time must not fill the memory. */
const remembered = 500;

interface Query {
  readonly host: string;
  readonly askedAt: number;
  readonly answer: Promise<Addresses>;
}

/**
 * Asks the resolver of the system, which knows `/etc/hosts` too. A question cannot be taken back: it keeps a thread as
 * long as the resolver hangs. So each name is asked for once at a time, however many wait for it and have given up, and
 * a name that was known is used as it was.
 */
export function createNames(input: { clock: Clock; threads?: Slots; resolve?: Resolve }): Names {
  const { clock, threads = createThreads(), resolve = askSystem } = input;
  const slots = createSlots(mostAtOnce, threads);
  const known = new Map<string, Addresses>();
  const underWay = new Map<string, Query>();

  function ask(key: string, host: string, { family, hints }: LookupOptions): Query {
    const options = { all: true, ...(family && { family }), ...(hints && { hints }) } as const;
    const answer = slots.use(() => resolve(host, options));
    const query = { host, askedAt: clock.monotonic(), answer };
    underWay.set(key, query);
    answer
      .then(
        (addresses) => remember(key, addresses),
        // Of a name that is gone nothing is remembered; a resolver that has trouble says nothing about it.
        (error: NodeJS.ErrnoException) => error.code === 'ENOTFOUND' && known.delete(key),
      )
      .finally(() => underWay.delete(key));
    return query;
  }

  function remember(key: string, addresses: Addresses): void {
    known.delete(key);
    known.set(key, addresses);
    const [oldest] = known.keys();
    if (known.size > remembered && oldest !== undefined) known.delete(oldest);
  }

  async function addressesOf(host: string, options: LookupOptions): Promise<Addresses> {
    const key = keyOf(host, options);
    const { askedAt, answer } = underWay.get(key) ?? ask(key, host, options);
    const before = known.get(key);
    if (!before) return answer;
    const patience = new AbortController();
    const leftMs = Math.max(0, askedAt + patienceMs - clock.monotonic());
    const late = clock.wait(leftMs, patience.signal).then(() => before);
    try {
      return await Promise.race([answer, late]);
    } finally {
      patience.abort();
      late.catch(() => undefined);
    }
  }

  return {
    lookup(host, options, done) {
      addressesOf(host, options).then(
        (addresses) => {
          const [first] = addresses;
          if (options.all) done(null, [...addresses]);
          else done(null, first?.address ?? '', first?.family);
        },
        (error: NodeJS.ErrnoException) => done(error, ''),
      );
    },
    isUnresolved: (host) => [...underWay].some(([key, query]) => query.host === host && !known.has(key)),
  };
}

function keyOf(host: string, { family = 0, hints = 0 }: LookupOptions): string {
  return `${host} ${family} ${hints}`;
}

const askSystem: Resolve = (host, options) => system.lookup(host, options);

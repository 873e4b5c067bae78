import { promises as system, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { within, type Clock } from '../clock.ts';

type Addresses = readonly LookupAddress[];
type Resolve = (host: string, options: LookupOptions & { all: true }) => Promise<Addresses>;

/** A resolver that takes longer is not waited for if it told the address before. */
const maxWaitOfKnownMs = 1000;
/** Long enough for the second of two name servers, of which the first is down. */
const maxWaitMs = 10_000;
/** More names than clouds have; a catalog that names new hosts all the time must not fill the memory. */
const maxKnown = 500;

/**
 * From names to addresses, for all clouds, in the form in which Node's sockets ask. It is the resolver of the system
 * that is asked, which knows `/etc/hosts` too. A question cannot be taken back: it keeps a thread as long as the resolver
 * hangs. So each name is asked for once at a time, however many wait for it and have given up, and a name that was known
 * is used as it was.
 */
export function createLookup(input: { clock: Clock; resolve?: Resolve }): LookupFunction {
  const { clock, resolve = (host, options) => system.lookup(host, options) } = input;
  const known = new Map<string, Addresses>();
  const underWay = new Map<string, Promise<Addresses>>();

  function ask(key: string, host: string, options: LookupOptions): Promise<Addresses> {
    const answer = resolve(host, { ...options, all: true });
    underWay.set(key, answer);
    answer
      .then(
        (addresses) => {
          if (known.size >= maxKnown) known.clear();
          known.set(key, addresses);
        },
        // Of a name that is gone nothing is remembered; a resolver that has trouble says nothing about it.
        (error: NodeJS.ErrnoException) => error.code === 'ENOTFOUND' && known.delete(key),
      )
      .finally(() => underWay.delete(key));
    return answer;
  }

  async function addressesOf(host: string, options: LookupOptions): Promise<Addresses> {
    const key = `${host} ${options.family ?? 0} ${options.hints ?? 0}`;
    const answer = underWay.get(key) ?? ask(key, host, options);
    const before = known.get(key);
    return within({ clock, ms: before ? maxWaitOfKnownMs : maxWaitMs }, answer, () => {
      if (before) return before;
      throw Object.assign(new Error('the name server gave no answer'), { code: 'ETIMEOUT' });
    });
  }

  return (host, options, done) => {
    addressesOf(host, options).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) done(null, [...addresses]);
        else done(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

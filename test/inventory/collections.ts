import type { Collected, CollectionTask } from '../../src/inventory/collect.ts';
import { createCollector, type CollectorInput } from '../../src/inventory/collector.ts';
import type { Known } from '../../src/inventory/known.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import type { Log } from '../../src/log.ts';
import type { FailureReason } from '../../src/transport/advice.ts';
import { Failure } from '../../src/transport/failure.ts';
import { createManualClock } from '../support/manual-clock.ts';

export const failure = (reason: FailureReason) =>
  new Failure(reason, `the platform says ${reason}`, { operation: 'list_servers', requestId: 'abc' });

type Say = Log['info'];

/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A collector whose collections end when the test says so. */
export function setUp(settings: Partial<CollectorInput> = {}) {
  const clock = createManualClock();
  const collections: (CollectionTask & {
    readonly known: Known;
    succeed(servers?: readonly never[], known?: Partial<Known>): Promise<Snapshot>;
    fail(error: unknown): Promise<void>;
  })[] = [];
  const events: string[] = [];
  const logged: { readonly said: string; readonly fields: object }[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push({ said: `${level} ${message}`, fields });
  const [debug, info, warn, error] = ['debug', 'info', 'warn', 'error'].map(write) as [Say, Say, Say, Say];
  const log: Log = { debug, info, warn, error, child: () => log };
  const collector = createCollector({
    cloud: 'one',
    clock,
    log,
    observer: {
      collecting: () => events.push('collecting'),
      collectionFailed: ({ reason, message }) => events.push(`${reason}: ${message}`),
      answeredStale: () => events.push('stale'),
    },
    tokens: { held: () => undefined, isAwaited: () => false },
    query: [],
    maxAgeMs: 0,
    maxStaleMs: 300_000,
    timeoutMs: 60_000,
    collect: (known, task) =>
      new Promise<Collected>((resolve, reject) => {
        collections.push({
          ...task,
          known,
          async succeed(servers, learned) {
            const lists = new Map([['servers', { received: 7 }]]);
            const snapshot = { cloud: 'one', takenAt: clock.now(), lists, servers } as unknown as Snapshot;
            resolve({ known: { ...known, ...learned }, snapshot });
            await settle();
            return snapshot;
          },
          async fail(error) {
            reject(error);
            await settle();
          },
        });
      }),
    ...settings,
  });
  const ask = (options: Partial<Parameters<typeof collector.answer>[0]> = {}) =>
    collector.answer({ patienceMs: 10_000, ...options });
  /** Asks, and lets the collection end well. */
  async function collectWell(servers?: readonly never[]): Promise<Snapshot> {
    const answer = ask({ withServers: servers !== undefined });
    const snapshot = await collections.at(-1)!.succeed(servers);
    await answer;
    return snapshot;
  }
  async function collectBadly(error: unknown = failure('upstream')) {
    const answer = ask();
    await collections.at(-1)!.fail(error);
    return answer;
  }
  const said = () => logged.map((line) => line.said);
  return { clock, collector, collections, events, logged, said, ask, collectWell, collectBadly };
}

import { createCollector, type CollectionTask, type CollectorInput } from '../../src/inventory/collector.ts';
import { createListCounter } from '../../src/inventory/collector.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import type { Log } from '../../src/log.ts';
import { Failure, type FailureReason } from '../../src/transport/failure.ts';
import { createManualClock } from '../support/manual-clock.ts';

interface Collection extends CollectionTask {
  succeed(servers?: readonly never[]): Promise<Snapshot>;
  fail(error: unknown): Promise<void>;
}

export const failure = (reason: FailureReason) =>
  new Failure(reason, `the platform says ${reason}`, { operation: 'list_servers', requestId: 'abc' });

/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A collector whose collections end when the test says so. */
export function setUp(settings: Partial<CollectorInput> = {}) {
  const clock = createManualClock();
  const collections: Collection[] = [];
  const events: string[] = [];
  const logged: { readonly level: string; readonly message: string; readonly fields: object }[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, message, fields });
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  const collector = createCollector({
    cloud: 'one',
    listCounts: createListCounter({ hasChanges: false }).counts,
    clock,
    log,
    observer: {
      collecting: () => events.push('collecting'),
      collectionFailed: ({ reason, message }) => events.push(`${reason}: ${message}`),
      answeredStale: () => events.push('stale'),
    },
    operation: () => 'list_servers',
    token: () => undefined,
    scope: () => undefined,
    maxAgeMs: 0,
    maxStaleMs: 300_000,
    timeoutMs: 60_000,
    collect: (task) =>
      new Promise((resolve, reject) => {
        collections.push({
          ...task,
          async succeed(servers) {
            const snapshot = {
              cloud: 'one',
              takenAt: clock.now(),
              lists: new Map([['servers', { received: 7 }]]),
              servers,
            };
            resolve(snapshot as unknown as Snapshot);
            await settle();
            return snapshot as unknown as Snapshot;
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
  return { clock, collector, collections, events, logged, ask, collectWell, collectBadly };
}

import { describe, expect, it } from 'vitest';
import {
  createCollector,
  graceMs,
  type CollectionTask,
  type CollectorInput,
} from '../../src/inventory/collector.ts';
import { createListCounter } from '../../src/inventory/list-counts.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import type { Log } from '../../src/log.ts';
import { Failure, type FailureReason } from '../../src/transport/failure.ts';
import { createManualClock } from '../support/manual-clock.ts';

interface Collection extends CollectionTask {
  succeed(servers?: readonly never[]): Promise<Snapshot>;
  fail(error: unknown): Promise<void>;
}

const failure = (reason: FailureReason) =>
  new Failure(reason, `the platform says ${reason}`, { operation: 'list_servers', requestId: 'abc' });

/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A collector whose collections end when the test says so. */
function setUp(settings: Partial<CollectorInput> = {}) {
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
    listCounts: createListCounter().counts,
    clock,
    log,
    observer: {
      collecting: () => events.push('collecting'),
      collectionFailed: (reason, message) => events.push(`${reason}: ${message}`),
      answeredStale: () => events.push('stale'),
    },
    operation: () => 'list_servers',
    token: () => undefined,
    maxAgeMs: 0,
    maxStaleMs: 300_000,
    timeoutMs: 60_000,
    collect: (task) =>
      new Promise((resolve, reject) => {
        collections.push({
          ...task,
          async succeed(servers) {
            const snapshot = { cloud: 'one', takenAt: clock.now(), received: 7, servers };
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

describe('a collector', () => {
  it('knows nothing before the first collection, and asks nobody for that', () => {
    const { collector, collections } = setUp();
    expect(collector.view()).toEqual({
      cloud: 'one',
      up: false,
      durationSeconds: undefined,
      failure: undefined,
      snapshot: undefined,
      snapshotAgeMs: undefined,
      lastSuccessAt: 0,
      token: undefined,
    });
    expect([collector.cloud, collections.length]).toEqual(['one', 0]);
  });

  it('tells what a collection brought, how long it took and when it succeeded', async () => {
    const { clock, collections, events, ask } = setUp();
    const asked = ask();
    await clock.advance(1500);
    const snapshot = await collections[0]!.succeed();
    const answer = await asked;
    expect(answer.snapshot).toBe(snapshot);
    expect(answer).toMatchObject({
      up: true,
      failure: undefined,
      durationSeconds: 1.5,
      snapshotAgeMs: 0,
      lastSuccessAt: clock.now(),
      how: 'started',
    });
    expect(events).toEqual(['collecting']);
  });

  it('gives a collection its deadline on the monotonic clock, and no servers to keep', async () => {
    const { clock, collections, ask } = setUp();
    void ask();
    expect(collections[0]).toMatchObject({ deadline: clock.monotonic() + 60_000, keepServers: false });
    expect(collections[0]!.signal.aborted).toBe(false);
  });

  it('shares one collection among all who ask while it runs, and starts another after it', async () => {
    const { collections, ask } = setUp();
    const asked = [ask(), ask(), ask()];
    await collections[0]!.succeed();
    const answers = await Promise.all(asked);
    expect(answers.map(({ how }) => how)).toEqual(['started', 'joined', 'joined']);
    expect(new Set(answers.map(({ snapshot }) => snapshot)).size).toBe(1);
    void ask();
    expect(collections).toHaveLength(2);
  });

  it('says what token is held', () => {
    const token = {} as ReturnType<CollectorInput['token']>;
    expect(setUp({ token: () => token }).collector.view().token).toBe(token);
  });
});

describe('patience', () => {
  it('that ends first brings what is known, while the collection goes on for the next one', async () => {
    const { clock, collections, events, ask, collectWell } = setUp();
    const old = await collectWell();
    const asked = ask();
    await clock.advance(9999);
    await clock.advance(1);
    const answer = await asked;
    expect([answer.snapshot, answer.snapshotAgeMs, answer.up]).toEqual([old, 10_000, true]);
    expect(events).toEqual(['collecting', 'collecting', 'stale']);
    const next = ask();
    const fresh = await collections[1]!.succeed();
    expect((await next).snapshot).toBe(fresh);
    expect([collections.length, events.length]).toEqual([2, 3]);
  });

  it('of no time at all is no time', async () => {
    const { clock, ask } = setUp();
    const asked = ask({ patienceMs: -5 });
    expect(clock.waits.at(-1)).toBe(0);
    await clock.advance(0);
    expect((await asked).snapshot).toBeUndefined();
  });

  it('is not waited for any longer once the collection has ended', async () => {
    const { clock, collectWell } = setUp();
    await collectWell();
    // Both waits, that of the scrape and that of the collection, are over: nothing happens when their time comes.
    await clock.advance(1_000_000);
    expect(clock.waits).toHaveLength(2);
  });
});

describe('a snapshot', () => {
  it.each([
    [29_999, 'reused'],
    [30_000, 'started'],
  ])('that is %i ms old, with max_age 30 s, is %s', async (ageMs, how) => {
    const { clock, collections, ask, collectWell } = setUp({ maxAgeMs: 30_000 });
    await collectWell();
    await clock.advance(ageMs);
    const asked = ask();
    await collections[1]?.succeed();
    expect((await asked).how).toBe(how);
  });

  it('is reused up to the age that somebody accepts, whatever max_age is', async () => {
    const { clock, collections, ask, collectWell } = setUp();
    await collectWell();
    await clock.advance(59_999);
    expect((await ask({ acceptAgeMs: 60_000 })).how).toBe('reused');
    expect(collections).toHaveLength(1);
  });

  it.each([
    [300_000, true],
    [300_001, false],
  ])('that is %i ms old, with max_stale 5 min, is served: %s', async (ageMs, isServed) => {
    const { clock, collector, collectWell } = setUp();
    const snapshot = await collectWell();
    await clock.advance(ageMs);
    const view = collector.view();
    expect(view.snapshot).toBe(isServed ? snapshot : undefined);
    expect(view.snapshotAgeMs).toBe(isServed ? ageMs : undefined);
  });

  it('that is too old is only not shown: asking changes nothing', async () => {
    const { clock, collector, collectWell } = setUp();
    await collectWell();
    await clock.advance(300_001);
    expect(collector.view()).toEqual(collector.view());
    expect(collector.view().lastSuccessAt).toBe(clock.now() - 300_001);
  });

  it('is served with up 0 after a failure, as a stale answer, until it is too old', async () => {
    const { clock, events, collectWell, collectBadly } = setUp();
    const snapshot = await collectWell();
    await clock.advance(60_000);
    const stale = await collectBadly();
    expect([stale.snapshot, stale.up, stale.failure?.reason]).toEqual([snapshot, false, 'upstream']);
    expect(events.at(-1)).toBe('stale');
    await clock.advance(240_001);
    const gone = await collectBadly();
    expect([gone.snapshot, gone.up]).toEqual([undefined, false]);
    expect(events.at(-1)).toBe('upstream: the platform says upstream');
  });

  it.each([-3_600_000, 3_600_000])('ages as ever when the wall clock is set by %i ms', async (byMs) => {
    const { clock, collector, collections, ask, collectWell } = setUp({ maxAgeMs: 30_000 });
    await collectWell();
    clock.stepWall(byMs);
    expect((await ask()).how).toBe('reused');
    await clock.advance(30_000);
    void ask();
    expect(collections).toHaveLength(2);
    expect(collector.view().snapshotAgeMs).toBe(30_000);
    await clock.advance(270_001);
    expect(collector.view().snapshot).toBeUndefined();
  });
});

describe('single servers', () => {
  it('are kept from the first request for them on', async () => {
    const { collections, ask, collectWell } = setUp({ maxAgeMs: 30_000 });
    await collectWell();
    void ask({ withServers: true });
    expect(collections.map(({ keepServers }) => keepServers)).toEqual([false, true]);
    await collections[1]!.succeed([]);
    expect((await ask({ withServers: true })).how).toBe('reused');
  });

  it('that the running collection does not keep come with the next one, the same for all who ask', async () => {
    const { collections, ask } = setUp();
    const plain = ask();
    const asked = [ask({ withServers: true }), ask({ withServers: true }), ask({ withServers: true })];
    await collections[0]!.succeed();
    expect((await plain).snapshot?.servers).toBeUndefined();
    expect(collections.map(({ keepServers }) => keepServers)).toEqual([false, true]);
    const late = ask({ withServers: true });
    await collections[1]!.succeed([]);
    const answers = await Promise.all([...asked, late]);
    expect(answers.map(({ snapshot }) => snapshot?.servers)).toEqual([[], [], [], []]);
    expect(answers.map(({ how }) => how)).toEqual(['joined', 'joined', 'joined', 'joined']);
    expect(collections).toHaveLength(2);
  });

  it('come with the next one even if the running one fails', async () => {
    const { collections, ask } = setUp();
    void ask();
    const asked = ask({ withServers: true });
    await collections[0]!.fail(failure('network'));
    await collections[1]!.succeed([]);
    expect((await asked).snapshot?.servers).toEqual([]);
  });

  it('are waited for again when they are lacking once more, as after a change of heart', async () => {
    const { collections, ask } = setUp();
    void ask();
    void ask({ withServers: true });
    await collections[0]!.succeed();
    await collections[1]!.succeed([]);
    const asked = ask({ withServers: true });
    expect(collections).toHaveLength(3);
    await collections[2]!.succeed([]);
    expect((await asked).how).toBe('started');
  });
});

describe('a failure', () => {
  it('is told with its reason, and a success after it with when that was', async () => {
    const { clock, events, collectWell, collectBadly } = setUp();
    await collectWell();
    const succeededAt = clock.now();
    await clock.advance(5000);
    const answer = await collectBadly(failure('tls'));
    expect(answer).toMatchObject({ up: false, failure: { reason: 'tls' }, lastSuccessAt: succeededAt });
    expect(events).toContain('tls: the platform says tls');
  });

  it('is logged aloud once for each reason, with what to do, and so is the end of it', async () => {
    const { logged, collectWell, collectBadly } = setUp();
    await collectWell();
    await collectBadly(failure('network'));
    await collectBadly(failure('network'));
    await collectBadly(failure('tls'));
    await collectWell();
    await collectWell();
    expect(logged.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn collection failed',
      'debug collection failed again',
      'warn collection failed',
      'info collection succeeded again',
    ]);
    expect(logged[0]!.fields).toEqual({
      reason: 'network',
      operation: 'list_servers',
      requestId: 'abc',
      err: 'the platform says network',
      cure: expect.stringContaining('DNS'),
    });
    expect(logged[3]!.fields).toEqual({ servers: 7 });
  });

  it.each([
    [new TypeError('of a value that nobody may see'), 'TypeError', /^TypeError: of a value.*\n +at /],
    ['thrown as it is', 'string', /^thrown as it is$/],
  ])('that is a mistake of ours is a `bug` of this cloud: %s', async (error, name, stack) => {
    const { logged, events, collectBadly } = setUp();
    const answer = await collectBadly(error);
    const message = `${name} in the exporter itself; its log has the stack`;
    expect(answer).toMatchObject({ up: false, failure: { reason: 'bug', message } });
    expect(events).toEqual(['collecting', `bug: ${message}`]);
    await collectBadly(error);
    expect(logged.map((line) => `${line.level} ${line.message}`)).toEqual([
      'error a bug broke the collection',
      'debug collection failed again',
    ]);
    expect(logged[0]!.fields).toMatchObject({ reason: 'bug', stack: expect.stringMatching(stack) });
    expect(JSON.stringify(logged[1]!.fields)).not.toContain('stack":');
  });

  it('within an observer is no exception', async () => {
    const broken = {
      collecting: () => {
        throw new RangeError('in the observer');
      },
      collectionFailed: () => undefined,
      answeredStale: () => undefined,
    };
    const { ask } = setUp({ observer: broken });
    expect((await ask()).failure?.reason).toBe('bug');
  });
});

describe('a collection that does not end', () => {
  it('is given up shortly after its deadline, whatever it waits for, and the next one starts anew', async () => {
    const { clock, collections, ask, collectWell } = setUp({ operation: () => 'login' });
    const old = await collectWell();
    const asked = ask({ patienceMs: 1_000_000 });
    await clock.advance(60_000 + graceMs - 1);
    expect(collections[1]!.signal.aborted).toBe(false);
    await clock.advance(1);
    const answer = await asked;
    expect(answer).toMatchObject({ up: false, failure: { reason: 'timeout', operation: 'login' } });
    expect(answer.failure?.message).toMatch(/^login did not end within the 60 s of collection_timeout: /);
    expect(collections[1]!.signal.reason).toBe(answer.failure);
    expect(answer.snapshot).toBe(old);

    const next = ask();
    await collections[1]!.succeed();
    expect(collections).toHaveLength(3);
    const fresh = await collections[2]!.succeed();
    expect((await next).snapshot, 'what came too late is ignored').toBe(fresh);
  });

  it('is not given up earlier because the wall clock was set', async () => {
    const { clock, collections, ask } = setUp();
    void ask({ patienceMs: 1_000_000 });
    clock.stepWall(3_600_000);
    await clock.advance(59_000);
    expect(collections[0]!.signal.aborted).toBe(false);
  });

  it('ends when the exporter stops, and none starts after that', async () => {
    const { collector, collections, ask } = setUp();
    const asked = ask();
    collector.stop();
    expect((await asked).failure).toMatchObject({ reason: 'network', message: 'the exporter is stopping' });
    expect(collections[0]!.signal.aborted).toBe(true);
    expect((await ask()).failure?.message).toBe('the exporter is stopping');
    expect(collections).toHaveLength(1);
  });
});

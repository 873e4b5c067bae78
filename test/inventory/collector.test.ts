import { describe, expect, it } from 'vitest';
import type { CollectorInput } from '../../src/inventory/collector.ts';
import type { Known } from '../../src/inventory/known.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { failure, setUp } from './collections.ts';

describe('a collector', () => {
  it('knows nothing before the first collection, and asks nobody for that', () => {
    const token = { widestScope: 'domain' } as ReturnType<CollectorInput['tokens']['held']>;
    const scope = { scope: 'domain', isConfigured: false, why: 'the widest that the account has' } as const;
    const tokens = { held: () => token, isAwaited: () => false };
    const { collector, collections } = setUp({ tokens });
    const nothing = { durationSeconds: undefined, failure: undefined, snapshot: undefined };
    const known = { cloud: 'one', up: false, lastSuccessAt: 0, token, scope };
    expect(collector.view()).toMatchObject({ ...nothing, ...known });
    const none = { host: 0, project: 0, disk: 0, device: 0, loss: 0 };
    expect(collector.view().incomplete).toEqual(none);
    expect(collections).toEqual([]);
  });

  it('gives a collection its deadline, and tells what it brought, how long it took and when it succeeded', async () => {
    const { clock, collections, events, ask } = setUp();
    const asked = ask();
    // On the monotonic clock.
    expect(collections[0]).toMatchObject({ deadline: clock.monotonic() + 60_000, keepServers: false });
    expect(collections[0]!.signal.aborted).toBe(false);
    await clock.advance(1500);
    const snapshot = await collections[0]!.succeed();
    const answer = await asked;
    expect(answer.snapshot).toBe(snapshot);
    const well = { up: true, failure: undefined, durationSeconds: 1.5, snapshotAgeMs: 0, how: 'started' };
    expect(answer).toMatchObject({ ...well, lastSuccessAt: clock.now() });
    expect(events).toEqual(['collecting']);
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
    // That of the scrape and that of the collection.
    expect([clock.waits.length, clock.pending()]).toEqual([2, 0]);
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
    expect(view.lastSuccessAt).toBe(clock.now() - ageMs);
    // It is only not shown: asking changes nothing.
    expect(collector.view()).toEqual(view);
  });

  it('that was just collected is served however short max_stale is', async () => {
    const still = createManualClock();
    let looks = 0;
    // Time passes between the end of a collection and the answer of who waited for it.
    const clock = { ...still, monotonic: () => still.monotonic() + looks++ };
    const { collections, ask } = setUp({ maxStaleMs: 0, clock });
    const asked = ask();
    const snapshot = await collections[0]!.succeed();
    expect((await asked).snapshot).toBe(snapshot);
  });

  it('that is older than max_age and max_stale is served to who accepts its age', async () => {
    const { clock, collector, collections, ask, collectWell } = setUp({ maxStaleMs: 20_000 });
    const snapshot = await collectWell();
    await clock.advance(59_999);
    expect(collector.view().snapshot).toBeUndefined();
    const reused = await ask({ acceptAgeMs: 60_000 });
    expect([reused.how, reused.snapshot, reused.snapshotAgeMs]).toEqual(['reused', snapshot, 59_999]);
    expect(collections).toHaveLength(1);
  });

  it('that is too old when a collection fails is gone, even for who would accept its age', async () => {
    const { clock, collections, ask, collectWell, collectBadly } = setUp({ maxStaleMs: 20_000 });
    const snapshot = await collectWell();
    await clock.advance(20_000);
    expect((await collectBadly()).snapshot).toBe(snapshot);
    await clock.advance(1);
    expect(await collectBadly()).toMatchObject({ snapshot: undefined, snapshotAgeMs: undefined });
    void ask({ acceptAgeMs: 60_000 });
    expect(collections).toHaveLength(4);
  });

  it('is served with up 0 after a failure, as a stale answer, until it is too old', async () => {
    const { clock, events, collectWell, collectBadly } = setUp();
    const snapshot = await collectWell();
    const lastSuccessAt = clock.now();
    await clock.advance(60_000);
    const failed = { snapshot, up: false, failure: { reason: 'upstream' }, lastSuccessAt };
    expect(await collectBadly()).toMatchObject(failed);
    expect(events.at(-1)).toBe('stale');
    await clock.advance(240_001);
    expect(await collectBadly()).toMatchObject({ snapshot: undefined, up: false });
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
    await clock.advance(300_001);
    expect(collector.view().snapshot).toBeUndefined();
  });
});

it('a snapshot is served max_stale longer than max_age, also where max_age is the longer one', async () => {
  const settings = { maxAgeMs: 600_000, maxStaleMs: 60_000 };
  const { clock, collector, collectBadly, collectWell } = setUp(settings);
  const snapshot = await collectWell();
  await clock.advance(660_000);
  expect(collector.view().snapshot).toBe(snapshot);
  expect((await collectBadly()).snapshot).toBe(snapshot);
  await clock.advance(1);
  expect(collector.view().snapshot).toBeUndefined();
});

describe('what is known', () => {
  const refused: Partial<Known> = {
    cursor: 'x',
    ignored: { what: 'filter=id.in', remedy: 'in detail', until: Infinity },
    scope: { proven: 'domain', narrowed: undefined },
  };

  it('is handed from one collection that succeeds to the next, and is as it was after one that fails', async () => {
    const { collections, ask, collectBadly } = setUp();
    const asked = ask();
    await collections[0]!.succeed(undefined, refused);
    await asked;
    await collectBadly();
    void ask();
    expect(collections[1]!.known).toBe(collections[2]!.known);
    expect(collections[2]!.known).toMatchObject(refused);
  });

  it.each([
    ['before', (reload: () => void, end: () => Promise<unknown>) => end().then(reload)],
    [
      'in the course of',
      (reload: () => void, end: () => Promise<unknown>) => {
        reload();
        return end();
      },
    ],
  ])('a reload after which a collection began or %s it forgets what was refused', async (_words, both) => {
    const { collector, collections, ask } = setUp();
    const asked = ask();
    await both(collector.forgetRefusals, () => collections[0]!.succeed(undefined, refused));
    await asked;
    void ask();
    const { cursor, ignored, scope } = collections[1]!.known;
    expect([cursor, ignored, scope.proven]).toEqual(['x', undefined, 'project']);
  });

  it('ends with the collection: what one that succeeded still asks for is aborted', async () => {
    const { collections, collectWell } = setUp();
    await collectWell();
    expect(collections[0]!.signal.aborted).toBe(true);
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
    void ask({ acceptAgeMs: 0 });
    expect(collections[2]!.keepServers, 'though they were not asked for this time').toBe(true);
  });

  it('are let go of ten minutes after the last request for them', async () => {
    const { clock, collections, ask, collectWell } = setUp();
    await collectWell([]);
    await clock.advance(599_999);
    await collectWell();
    await clock.advance(1);
    void ask();
    expect(collections.map(({ keepServers }) => keepServers)).toEqual([true, true, false]);
    await collections[2]!.succeed();
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

import { describe, expect, it } from 'vitest';
import { createTransport } from '../../src/transport/request.ts';
import { createYieldToEventLoop } from '../../src/yield-to-event-loop.ts';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { requestTimeoutMs } from './fault-clock.ts';
import { patient, setStage } from './stage.ts';
import { truthOf } from '../simulator/truth.ts';

describe('the pauses between attempts', () => {
  it('grow, are never the same for everybody, and stay well under a second', async () => {
    const { clock, cloud, scrape } = await setStage();
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 503 } });
    for (let round = 0; round < 20; round += 1) await scrape();
    const first = clock.backOffs.filter((_, index) => index % 2 === 0);
    const second = clock.backOffs.filter((_, index) => index % 2 === 1);
    expect([first.length, second.length]).toEqual([20, 20]);
    for (const ms of first) expect(ms >= 100 && ms <= 200, String(ms)).toBe(true);
    for (const ms of second) expect(ms >= 200 && ms <= 400, String(ms)).toBe(true);
    expect(new Set(first).size).toBeGreaterThan(10);
  });

  it.each(['soon', '-1', '1.5', ''])('ignore a `Retry-After` that says %j', async (retryAfter) => {
    const { clock, cloud, scrape } = await setStage();
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'status', code: 503, retryAfter } });
    expect((await scrape()).value('cloud_up')).toBe(1);
    expect(clock.backOffs).toHaveLength(1);
    expect(clock.backOffs[0]).toBeGreaterThanOrEqual(100);
  });

  it('last as long as `Retry-After` says, if that still fits into the collection', async () => {
    const { clock, cloud, scrape } = await setStage(() => ({ collection_timeout: '60s' }));
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'status', code: 503, retryAfter: 50 } });
    expect((await scrape()).value('cloud_up')).toBe(1);
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'status', code: 503, retryAfter: 60 } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    expect(clock.backOffs).toEqual([50_000]);
  });

  it('together never outlast the collection', async () => {
    const { clock, cloud, scrape } = await setStage(() => ({ collection_timeout: '60s' }));
    cloud.faults.set({ operation: 'login', fault: { kind: 'status', code: 503, retryAfter: 25 } });
    const rule = cloud.faults.set({
      operation: 'list',
      fault: { kind: 'status', code: 503, retryAfter: 25 },
    });
    const startedAt = clock.now();
    await scrape();
    expect(clock.now() - startedAt).toBeLessThanOrEqual(60_000);
    expect(rule.hits).toBe(0);
  });
});

/** Every page takes its time, on a clock that the pages themselves move. */
async function setSlowPages(pageMs: number) {
  const clock = createManualClock();
  const settings = { page_size: 5, concurrency: 1, max_stale: '1d', collection_timeout: '60s' };
  const exported = await exportCloud({ servers: 80, clock, settings });
  const { cloud, fleet, scrape, expectTrue } = exported;
  const before = truthOf(fleet);
  await expectTrue();
  fleet.create(7);
  cloud.journal.clear();
  cloud.hooks.beforePage = () => clock.advance(pageMs);
  return { clock, cloud, scrape: () => scrape(patient), before, expectTrue };
}

describe('collection_timeout', () => {
  it('ends a collection each of whose pages comes in time, but which all together do not', async () => {
    const { clock, cloud, scrape, before, expectTrue } = await setSlowPages(5000);
    const startedAt = clock.now();
    const parsed = await scrape();
    expect(failuresOf(parsed)).toEqual({ timeout: 1 });
    expect(clock.now() - startedAt).toBe(60_000);
    expect(cloud.journal.count('list')).toBe(12);
    expectTruth(parsed, before, 'one');
    cloud.hooks.beforePage = undefined;
    await expectTrue();
  });

  it('cuts the last attempt short, and starts none after it', async () => {
    const { clock, cloud, scrape } = await setSlowPages(7000);
    await scrape();
    expect(cloud.journal.count('list')).toBe(9);
    expect(clock.waits.slice(-9)).toEqual([...Array<number>(5).fill(30_000), 25_000, 18_000, 11_000, 4000]);
  });

  it('holds for the login too', async () => {
    const { clock, cloud, scrape } = await setStage(() => ({ collection_timeout: requestTimeoutMs / 1000 }));
    const rule = cloud.faults.set({
      operation: 'login',
      fault: { kind: 'drip', bytes: 100, pause: () => clock.advance(1000) },
    });
    expect(failuresOf(await scrape())).toEqual({ timeout: 1 });
    expect(rule.hits).toBe(1);
  });

  it('leaves no request for a moment that is over', async () => {
    const clock = createManualClock();
    const cloud = await simulate({ servers: 1 });
    const transport = createTransport({
      clock,
      observer: { attempted: () => undefined, retrying: () => undefined },
      yieldToEventLoop: createYieldToEventLoop(),
      requestTimeoutMs,
      responseLimitBytes: 1000,
      connections: 1,
      userAgent: 'test',
      tls: { insecureSkipVerify: false },
    });
    const url = new URL(`${cloud.baseUrl}/servers`);
    const request = { operation: 'list_servers', method: 'GET', url, headers: {}, secrets: [] } as const;
    const late = transport.json({ ...request, deadline: clock.monotonic() });
    await expect(late).rejects.toMatchObject({ reason: 'timeout' });
    expect(cloud.journal.count()).toBe(0);
  });

  it('ends a collection every page of which drips', async () => {
    const { clock, cloud, scrape } = await setStage(() => ({ collection_timeout: '21s' }));
    await scrape();
    const rule = cloud.faults.set({
      operation: 'list',
      fault: { kind: 'drip', bytes: 100, pause: () => clock.advance(1000) },
    });
    const startedAt = clock.now();
    expect(failuresOf(await scrape())).toEqual({ timeout: 1 });
    expect(rule.hits).toBeLessThanOrEqual(3);
    expect(clock.now() - startedAt).toBeLessThanOrEqual(21_000 + requestTimeoutMs);
  });
});

describe('a token', () => {
  it('is not used for a further attempt once it is dead', async () => {
    const { clock, cloud, scrape } = await setStage(() => ({ collection_timeout: '1h' }));
    await scrape();
    const tokenEndsIn = 86_400_000;
    await clock.advance(tokenEndsIn - 400_000);
    cloud.faults.set({ operation: 'list', page: 1, fault: { kind: 'status', code: 503, retryAfter: 500 } });
    expect(failuresOf(await scrape())).toEqual({ upstream: 1 });
    expect(cloud.journal.usedDeadTokens).toEqual([]);
    expect(clock.backOffs).toEqual([]);
  });
});

describe('a scrape that came while a collection was going wrong', () => {
  it('shares its end, and the next one starts anew', async () => {
    const { cloud, scrape, expectFine } = await setStage();
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.passed;
    cloud.faults.set({ operation: 'list', page: 1, fault: { kind: 'status', code: 400 } });
    const both = Promise.all([scrape(), scrape()]);
    gate.open();
    for (const parsed of await both) expect(parsed.value('cloud_up')).toBe(0);
    cloud.faults.clear();
    await expectFine();
  });
});

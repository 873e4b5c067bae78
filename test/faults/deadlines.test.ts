import { describe, expect, it } from 'vitest';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { expectTruth } from '../support/truth.ts';
import { dayMs, patient, setStage } from './stage.ts';
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
});

it('collection_timeout ends a list, and cuts the time of an attempt short; what was known is served', async () => {
  // Every page takes its time, on a clock that the pages themselves move.
  const clock = createManualClock();
  const settings = { page_size: 5, concurrency: 1, max_stale: '1d', collection_timeout: '60s' };
  const { cloud, fleet, scrape, expectTrue } = await exportCloud({ servers: 80, clock, settings });
  const before = truthOf(fleet);
  await expectTrue();
  fleet.create(7);
  cloud.journal.clear();
  cloud.hooks.beforePage = () => clock.advance(7000);
  const parsed = await scrape(patient);
  expect(failuresOf(parsed)).toEqual({ timeout: 1 });
  expect(parsed.value('cloud_exporter_stale_answers_total')).toBe(1);
  expect(cloud.journal.count('list')).toBe(9);
  expect(clock.waits.slice(-5)).toEqual([30_000, 25_000, 18_000, 11_000, 4000]);
  expectTruth(parsed, before, 'one');
  cloud.hooks.beforePage = undefined;
  await expectTrue();
});

it('a token is not used for a further attempt once it is dead', async () => {
  const { clock, cloud, scrape } = await setStage(() => ({ collection_timeout: '1h' }));
  await scrape();
  await clock.advance(dayMs - 400_000);
  cloud.faults.set({ operation: 'list', page: 1, fault: { kind: 'status', code: 503, retryAfter: 500 } });
  expect(failuresOf(await scrape())).toEqual({ upstream: 1 });
  expect(cloud.journal.usedDeadTokens).toEqual([]);
  expect(clock.backOffs).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The platform has a clock that nobody sets; only ours is. */
async function setUp(settings: object = {}) {
  const clock = createManualClock();
  const start = { wall: clock.now(), passed: clock.monotonic() };
  const platformNow = () => start.wall + clock.monotonic() - start.passed;
  const cloud = await simulate({ servers: 20, now: platformNow, tokenLifetimeSeconds: 3600 });
  const exporter = await runExporter({ one: settingsFor(cloud, settings) }, { clock });
  return { clock, cloud, exporter, scrape: async () => parseExposition(await exporter.text('/metrics')) };
}

describe.each([-48 * hour, -hour, hour, 48 * hour])('a clock that is set by %i ms', (byMs) => {
  it('does not stop collections, nor hide that the platform is gone', async () => {
    const { clock, cloud, scrape } = await setUp({ max_age: '30s', max_stale: '5m' });
    await scrape();
    const requests = cloud.journal.count('list');
    clock.stepWall(byMs);
    await clock.advance(29_000);
    await scrape();
    expect(cloud.journal.count('list'), 'a young snapshot is reused').toBe(requests);
    await clock.advance(1000);
    cloud.fleet.create(5);
    expect((await scrape()).sum('cloud_servers')).toBe(25);
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 400 } });
    await clock.advance(minute);
    const down = await scrape();
    expect([down.value('cloud_up'), down.sum('cloud_servers')]).toEqual([0, 25]);
    await clock.advance(4 * minute + 1);
    expect((await scrape()).of('cloud_servers'), 'after max_stale').toEqual([]);
  });

  it('neither prolongs a token nor breaks one', async () => {
    const { clock, cloud, scrape } = await setUp();
    await scrape();
    clock.stepWall(byMs);
    for (let passed = 0; passed < 130; passed += 5) {
      expect((await scrape()).value('cloud_up')).toBe(1);
      await clock.advance(5 * minute);
    }
    expect(cloud.journal.usedDeadTokens).toEqual([]);
    // Two that were due, and one more where the clock went on so far that the token seemed to near its end.
    expect(cloud.journal.count('login')).toBe(byMs > 0 ? 4 : 3);
  });
});

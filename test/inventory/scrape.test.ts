import { describe, expect, it } from 'vitest';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const timeoutHeader = 'X-Prometheus-Scrape-Timeout-Seconds';

/** The exporter on a clock that stands still: its patience ends when the test says so. */
async function setUp(settings: object = {}) {
  const clock = createManualClock();
  const cloud = await simulate({ servers: 30, now: clock.now });
  const exporter = await runExporter({ one: settingsFor(cloud, settings) }, { clock });
  const scrape = async (headers: Record<string, string> = {}): Promise<Parsed> =>
    parseExposition(await exporter.text('/metrics', headers));
  return { clock, cloud, exporter, scrape };
}

describe('a scrape', () => {
  it('waits for its timeout less half a second, then answers from the last snapshot while the collection goes on', async () => {
    const { clock, cloud, scrape } = await setUp();
    const first = await scrape();
    const gate = createGate();
    const arrived = createGate();
    cloud.hooks.beforePage = () => {
      arrived.open();
      return gate.passed;
    };
    const late = scrape({ [timeoutHeader]: '10' });
    await arrived.passed;
    cloud.fleet.create(5);
    await clock.advance(9499);
    await clock.advance(1);
    const answer = await late;
    expect(answer.value('cloud_snapshot_timestamp_seconds')).toBe(
      first.value('cloud_snapshot_timestamp_seconds'),
    );
    expect(answer.sum('cloud_servers')).toBe(30);
    expect(answer.value('cloud_up')).toBe(1);
    expect(answer.value('cloud_exporter_stale_answers_total')).toBe(1);

    // The next scrape joins the same collection and gets what it brings.
    const next = scrape({ [timeoutHeader]: '10' });
    gate.open();
    const joined = await next;
    expect(joined.sum('cloud_servers')).toBe(35);
    expect(joined.value('cloud_exporter_collections_total')).toBe(2);
  });

  it('answers without the fleet when patience ends before anything is known', async () => {
    const { clock, cloud, scrape } = await setUp();
    const gate = createGate();
    const arrived = createGate();
    cloud.hooks.beforeLogin = () => {
      arrived.open();
      return gate.passed;
    };
    const answer = scrape({ [timeoutHeader]: '1.5' });
    await arrived.passed;
    await clock.advance(1000);
    const parsed = await answer;
    expect(parsed.value('cloud_up')).toBe(0);
    expect(parsed.of('cloud_servers')).toEqual([]);
    expect(parsed.value('cloud_exporter_collections_total')).toBe(1);
    gate.open();
  });

  it('reuses a snapshot that is younger than max_age', async () => {
    const { clock, scrape } = await setUp({ max_age: '30s' });
    await scrape();
    await clock.advance(29_999);
    expect((await scrape()).value('cloud_exporter_collections_total')).toBe(1);
    await clock.advance(2);
    expect((await scrape()).value('cloud_exporter_collections_total')).toBe(2);
  });

  it('serves the last good snapshot until it is max_stale old, with cloud_up 0 at once', async () => {
    const { clock, cloud, scrape } = await setUp({ max_stale: '5m' });
    const good = await scrape();
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 400 } });
    await clock.advance(60_000);
    const stale = await scrape();
    expect(stale.value('cloud_up')).toBe(0);
    expect(stale.sum('cloud_servers')).toBe(30);
    expect(stale.value('cloud_snapshot_timestamp_seconds')).toBe(
      good.value('cloud_snapshot_timestamp_seconds'),
    );
    expect(stale.value('cloud_exporter_stale_answers_total')).toBe(1);
    await clock.advance(240_001);
    const gone = await scrape();
    expect(gone.value('cloud_up')).toBe(0);
    expect(gone.of('cloud_servers')).toEqual([]);
    expect(gone.of('cloud_snapshot_timestamp_seconds')).toEqual([]);
    cloud.faults.clear();
    const healed = await scrape();
    expect(healed.value('cloud_up')).toBe(1);
    expect(healed.sum('cloud_servers')).toBe(30);
  });

  it('without single servers is followed by one collection for all who ask for these meanwhile', async () => {
    const { cloud, exporter, scrape } = await setUp();
    const gate = createGate();
    const arrived = createGate();
    cloud.hooks.beforePage = () => {
      arrived.open();
      return gate.passed;
    };
    const plain = scrape();
    await arrived.passed;
    const asked = Array.from({ length: 5 }, () => fetch(`${exporter.url}/sd/servers?cloud=one`));
    // They have all arrived when the last of those that were sent before them is answered.
    await exporter.text('/-/healthy');
    gate.open();
    await plain;
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    // This scrape begins the third one.
    expect((await scrape()).value('cloud_exporter_collections_total')).toBe(3);
  });

  it('says once that a cloud is down and once that it is back', async () => {
    const { cloud, exporter, scrape } = await setUp({ list_hosts: false });
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 400 } });
    for (let round = 0; round < 3; round += 1) await scrape();
    cloud.faults.clear();
    for (let round = 0; round < 3; round += 1) await scrape();
    const lines = exporter.logged().split('\n').filter(Boolean);
    const told = lines.map((line) => JSON.parse(line) as { level: string; msg: string; cure?: string });
    const loud = told.filter(({ level }) => level !== 'debug');
    expect(loud.map(({ msg }) => msg)).toEqual(['collection failed', 'collection succeeded again']);
    expect(loud[0]?.cure).toContain('Check `auth_url`, `base_url` and `query`');
  });
});

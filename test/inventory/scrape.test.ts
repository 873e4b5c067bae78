import { describe, expect, it } from 'vitest';
import { exportCloud } from '../support/exported-cloud.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';

const timeoutHeader = 'X-Prometheus-Scrape-Timeout-Seconds';

/** On a clock that stands still, so that patience ends when the test says so; `hold` has the platform wait at a page. */
async function setUp(settings: object = {}) {
  const exported = await exportCloud({ servers: 30, clock: createManualClock(), settings });
  const { hooks } = exported.cloud;
  function hold(where: 'beforePage' | 'beforeLogin') {
    const [gate, arrived] = [createGate(), createGate()];
    hooks[where] = () => {
      arrived.open();
      return gate.passed;
    };
    return { gate, arrived: arrived.passed };
  }
  return { ...exported, hold };
}

describe('a scrape', () => {
  it('waits for its timeout less half a second, then answers from the last snapshot while the collection goes on', async () => {
    const { clock, fleet, hold, scrape } = await setUp();
    const first = await scrape();
    const { gate, arrived } = hold('beforePage');
    const late = scrape({ [timeoutHeader]: '10' });
    await arrived;
    fleet.create(5);
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
    const { clock, hold, scrape } = await setUp();
    const { gate, arrived } = hold('beforeLogin');
    const answer = scrape({ [timeoutHeader]: '1.5' });
    await arrived;
    await clock.advance(1000);
    const parsed = await answer;
    expect(parsed.value('cloud_up')).toBe(0);
    expect(parsed.of('cloud_servers')).toEqual([]);
    expect(parsed.value('cloud_exporter_collections_total')).toBe(1);
    gate.open();
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
    const { exporter, hold, scrape } = await setUp();
    const { gate, arrived } = hold('beforePage');
    const plain = scrape();
    await arrived;
    const asked = Array.from({ length: 5 }, () => fetch(`${exporter.url}/sd/servers?cloud=one`));
    // They have all arrived when the last of those that were sent before them is answered.
    await exporter.text('/-/healthy');
    gate.open();
    await plain;
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    // This scrape begins the third one.
    expect((await scrape()).value('cloud_exporter_collections_total')).toBe(3);
  });
});

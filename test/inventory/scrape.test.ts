import { expect, it } from 'vitest';
import { exportCloud } from '../support/exported-cloud.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';

const timeout = { 'X-Prometheus-Scrape-Timeout-Seconds': '10' };

it('a scrape waits for its timeout less half a second, then has the last snapshot while the collection goes on', async () => {
  // It stands still, so that patience ends when the test says so.
  const clock = createManualClock();
  const { cloud, fleet, scrape } = await exportCloud({ servers: 30, clock });
  const first = await scrape();
  const [gate, arrived] = [createGate(), createGate()];
  cloud.hooks.beforePage = () => {
    arrived.open();
    return gate.passed;
  };
  const late = scrape(timeout);
  await arrived.passed;
  fleet.create(5);
  await clock.advance(9500);
  const answer = await late;
  const takenAt = 'cloud_snapshot_timestamp_seconds';
  expect(answer.value(takenAt)).toBe(first.value(takenAt));
  expect([answer.value('cloud_up'), answer.sum('cloud_servers')]).toEqual([1, 30]);
  expect(answer.value('cloud_exporter_stale_answers_total')).toBe(1);

  // The next scrape joins the same collection and gets what it brings.
  const next = scrape(timeout);
  gate.open();
  const joined = await next;
  expect(joined.sum('cloud_servers')).toBe(35);
  expect(joined.value('cloud_exporter_collections_total')).toBe(2);
});

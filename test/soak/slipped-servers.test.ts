import { expect, it } from 'vitest';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { createChronicle } from '../../tools/soak/chronicle.ts';
import { readShort, tellsTruth, untruths } from '../../tools/soak/compare.ts';

/** Pages of the size of the soak, one after the other, so that each deletion has its place. */
const settings = { page_size: 15, concurrency: 1, max_stale: '1h' };

async function open(more: object = {}) {
  const cloud = await simulate({ servers: 60, dialect: 'document' });
  const exporter = await runExporter({ one: settingsFor(cloud, { ...settings, ...more }) });
  const chronicle = createChronicle(cloud.fleet);
  chronicle.begin();
  return {
    cloud,
    chronicle,
    scrape: async () => readShort(await exporter.text('/metrics')),
    removeFirst(count: number) {
      cloud.fleet.remove(idsOf(cloud.fleet).slice(0, count));
      chronicle.note();
    },
  };
}

const idsOf = (fleet: Fleet) => fleet.servers.map(({ id }) => id);

it.each([true, false])(
  'servers that go between every two pages take nobody with them who stayed (per_server: %s)',
  async (per_server) => {
    const { cloud, chronicle, scrape, removeFirst } = await open({ per_server });
    cloud.hooks.beforePage = ({ offset }) => {
      if (offset > 0 && offset % 14 === 0) removeFirst(2);
    };
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(1);
    expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBeGreaterThan(
      parsed.value('cloud_list_reported', { resource: 'servers' })!,
    );
    expect(untruths(parsed, chronicle.range())).toEqual([]);
  },
);

it('a fleet that shrinks faster than it can be listed is down, and the last good numbers stay', async () => {
  const { cloud, chronicle, scrape, removeFirst } = await open();
  const before = chronicle.range();
  expect(tellsTruth(await scrape(), before)).toBe(true);
  // New ones come at the same pace, so that there is always a list.
  cloud.hooks.beforePage = () => removeFirst(9);
  cloud.hooks.afterCount = () => {
    cloud.fleet.create(8);
    chronicle.note();
  };
  const parsed = await scrape();
  expect(parsed.value('cloud_up')).toBe(0);
  expect(untruths(parsed, before)).toEqual([]);
});

it.each([true, false])(
  'a total that may be right does not hide that somebody is missing (per_server: %s)',
  async (per_server) => {
    const { cloud, chronicle, scrape } = await open({ per_server });
    const parsed = await scrape();
    cloud.fleet.create(1);
    chronicle.begin();
    cloud.fleet.remove(idsOf(cloud.fleet).slice(-2));
    chronicle.note();
    const { stayed, ever } = chronicle.range();
    expect([stayed.size, parsed.sum('cloud_servers'), ever.size]).toEqual([59, 60, 61]);
    expect(tellsTruth(parsed, chronicle.range())).toBe(false);
  },
);

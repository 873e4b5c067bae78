import { expect, it } from 'vitest';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { createChronicle, readShort, untruths } from '../../tools/soak/truth.ts';
import type { Dialect } from '../simulator/cloud.ts';

/** Pages of the size of the soak, one after the other, so that each deletion has its place. */
async function open(per_server: boolean, dialect: Dialect) {
  const { fleet, hooks, authUrl } = await simulate({ servers: 60, dialect });
  const settings = { page_size: 15, concurrency: 1, per_server };
  const exporter = await runExporter({ one: settingsFor({ authUrl }, settings) });
  const chronicle = createChronicle(fleet);
  chronicle.begin();
  return { fleet, hooks, chronicle, scrape: async () => readShort(await exporter.text('/metrics')) };
}

it.each([
  ['platform', true],
  ['platform', false],
  ['document', true],
  ['document', false],
] as const)(
  'servers that go between every two pages take nobody with them who stayed (%s, per_server: %s)',
  async (dialect, per_server) => {
    const { fleet, hooks, chronicle, scrape } = await open(per_server, dialect);
    hooks.beforePage = ({ offset }) => {
      if (offset > 0) fleet.remove(fleet.servers.slice(0, 2).map(({ id }) => id));
      chronicle.note();
    };
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(1);
    expect(fleet.servers.length).toBeLessThan(60);
    expect(untruths(parsed, chronicle.range())).toEqual([]);
  },
);

it.each([true, false])(
  'a total that may be right does not hide that somebody is missing (per_server: %s)',
  async (per_server) => {
    const { fleet, chronicle, scrape } = await open(per_server, 'document');
    const parsed = await scrape();
    expect(untruths(parsed, chronicle.range())).toEqual([]);
    fleet.create(1);
    chronicle.begin();
    fleet.remove(fleet.servers.slice(-2).map(({ id }) => id));
    chronicle.note();
    const { stayed, ever } = chronicle.range();
    expect([stayed.size, parsed.sum('cloud_servers'), ever.size]).toEqual([59, 60, 61]);
    expect(untruths(parsed, chronicle.range())).not.toEqual([]);
  },
);

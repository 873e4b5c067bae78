import { describe, expect, it } from 'vitest';
import { optionalNames } from '../../src/metrics/optional.ts';
import { stateOf } from '../../src/platform/state.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

type Server = Fleet['servers'][number];

async function stage(settings: object, plan: Parameters<typeof simulate>[0] = {}) {
  const cloud = await simulate({ servers: 300, ...plan });
  const exporter = await runExporter({ one: settingsFor(cloud, settings) });
  const scrape = async () => parseExposition(await exporter.text('/metrics'));
  return { cloud, fleet: cloud.fleet, scrape };
}

const place = ['region', 'zone', 'hypervisor', 'project_domain', 'project'] as const;

/** What every server adds under its own labels, summed up as plainly as can be. */
function truthOf(fleet: Fleet, parts: (server: Server) => readonly (readonly [string[], number])[]) {
  const sums = new Map<string, number>();
  for (const server of fleet.servers) {
    const { status, pending_deleted: pendingDeleted } = server;
    const state = stateOf({ status, pendingDeleted, power: '' });
    for (const [values, count] of parts(server)) {
      const key = JSON.stringify([...place.map((label) => server[label]), state, ...values]);
      sums.set(key, (sums.get(key) ?? 0) + count);
    }
  }
  return sums;
}

function exported(parsed: Parsed, name: string, labels: readonly string[]): Map<string, number> {
  return new Map(
    parsed
      .of(name)
      .map((one) => [
        JSON.stringify([...place, 'state', ...labels].map((label) => one.labels[label])),
        one.value,
      ]),
  );
}

const dayMs = 86_400_000;

/** Far from the bounds of an age, so that no test depends on the time of day. */
function ageOf({ created_at: createdAt }: Server): string {
  const days = (Date.now() - Date.parse(createdAt)) / dayMs;
  const bounds = [
    [1, '0-1d'],
    [7, '1-7d'],
    [30, '7-30d'],
    [90, '30-90d'],
    [365, '90-365d'],
  ] as const;
  return bounds.find(([most]) => days < most)?.[1] ?? '365d+';
}

const families: Readonly<
  Record<string, { labels: string[]; parts: (server: Server) => readonly (readonly [string[], number])[] }>
> = {
  cloud_disks: {
    labels: ['storage_type', 'medium_type'],
    parts: ({ disks_info }) => disks_info.map((disk) => [[disk.storage_type, disk.medium_type], 1]),
  },
  cloud_disks_bytes: {
    labels: ['storage_type', 'medium_type'],
    parts: ({ disks_info }) =>
      disks_info.map((disk) => [[disk.storage_type, disk.medium_type], disk.size * 1024 ** 2]),
  },
  cloud_servers_public_address: { labels: [], parts: ({ eip }) => (eip === '' ? [] : [[[], 1]]) },
  cloud_servers_os: { labels: ['os_type'], parts: ({ os_type }) => [[[os_type], 1]] },
  cloud_servers_billing: { labels: ['billing_type'], parts: ({ billing_type }) => [[[billing_type], 1]] },
  cloud_servers_instance_type: {
    labels: ['instance_type'],
    parts: ({ instance_type }) => [[[instance_type], 1]],
  },
  cloud_servers_age: { labels: ['age'], parts: (server) => [[[ageOf(server)], 1]] },
};

describe('optional families', () => {
  it('are not there unless they are asked for, and neither are their fields', async () => {
    const { cloud, scrape } = await stage({});
    const parsed = await scrape();
    expect(Object.keys(families).filter((name) => parsed.of(name).length > 0)).toEqual([]);
    const fields = cloud.journal.of('list')[0]!.parameters.getAll('field');
    const ofFamilies = new Set(['disks_info', 'eip', 'nics', 'os_type', 'instance_type', 'created_at']);
    expect(fields.filter((field) => ofFamilies.has(field))).toEqual([]);
  });

  it.each(['document', 'platform'] as const)('are true, series by series, by the %s', async (dialect) => {
    const query = { scope: 'system', pending_delete: 'all' };
    const { fleet, scrape } = await stage(
      { families: [...optionalNames], query, page_size: 70 },
      { dialect },
    );
    const long = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
    for (const [index, days] of [0.5, 3, 20, 60, 200, 400].entries())
      fleet.change(fleet.servers[index]!.id, { created_at: long(days) });
    const parsed = await scrape();
    for (const [name, { labels, parts }] of Object.entries(families)) {
      const truth = truthOf(fleet, parts);
      expect(truth.size, name).toBeGreaterThan(2);
      expect(exported(parsed, name, labels), name).toEqual(truth);
    }
    expect(parsed.sum('cloud_disks_bytes')).toBe(parsed.sum('cloud_servers_disk_bytes'));
    expect(parsed.sum('cloud_servers_age')).toBe(parsed.sum('cloud_servers'));
  });

  it.each(optionalNames)('can be had one by one: %s', async (name) => {
    const { cloud, scrape } = await stage({ families: [name] }, { servers: 40 });
    const parsed = await scrape();
    const there = Object.keys(families).filter((family) => parsed.of(family).length > 0);
    expect(there).toEqual(
      name === 'disks' ? ['cloud_disks', 'cloud_disks_bytes'] : [`cloud_servers_${name}`],
    );
    const asked = cloud.journal.of('list')[0]!.parameters.getAll('field');
    expect(asked.includes('disks_info')).toBe(name === 'disks');
  });

  it('count a server on an exit network as one with a public address', async () => {
    const { cloud, scrape } = await stage({ families: ['public_address'] }, { servers: 20 });
    cloud.quirks.rewriteServer = ({ eip: _eip, ...server }) => server;
    expect((await scrape()).sum('cloud_servers_public_address')).toBe(0);
    cloud.quirks.rewriteServer = ({ eip: _eip, ...server }) => ({
      ...server,
      nics: [{ is_exit: false }, { is_exit: true }],
    });
    expect((await scrape()).sum('cloud_servers_public_address')).toBe(20);
  });

  it('carry the extra labels', async () => {
    const { scrape } = await stage({ families: ['os'], labels: { team: 'metadata.user:team' } });
    expect((await scrape()).of('cloud_servers_os')[0]!.labels).toHaveProperty('team');
  });

  it('are dropped whole, after single servers and before hosts and the fleet', async () => {
    const settings = { families: ['instance_type'], per_server: true };
    const whole = await (await stage(settings)).scrape();
    const isKept = (name: string) =>
      /^cloud_(servers|isolated|server_problem|host_)/.test(name) && name !== 'cloud_servers_instance_type';
    const kept = [...whole.families.keys()].filter(isKept);
    const limit = kept.reduce((sum, name) => sum + whole.of(name).length, 0);
    const parsed = await (await stage({ ...settings, series_limit: limit })).scrape();
    expect(
      [...parsed.families.keys()].filter((name) => /^cloud_(servers|isolated|server_|host_)/.test(name)),
    ).toEqual(kept);
    expect(parsed.value('cloud_exporter_series_dropped')).toBeGreaterThan(0);
  });
});

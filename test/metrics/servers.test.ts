import { describe, expect, it } from 'vitest';
import { serverTables } from '../../src/metrics/servers.ts';
import { states } from '../../src/platform/state.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { parseExposition, type Parsed, type ParsedSample } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const mebibyte = 1024 ** 2;
const names = serverTables.flatMap(({ families }) => families.map(({ name }) => name));

type Cloud = Awaited<ReturnType<typeof simulate>>;

async function scrape(cloud: Cloud, more: object): Promise<Parsed> {
  const exporter = await runExporter({ one: settingsFor(cloud, more) });
  return parseExposition(await exporter.text('/metrics'));
}

/** id → number, of one family. */
function byId(parsed: Parsed, name: string): Record<string, number> {
  return Object.fromEntries(parsed.of(name).map(({ labels, value }) => [labels['id'], value]));
}

type ServerRecord = Fleet['servers'][number];

function ofFleet(
  fleet: Fleet,
  measure: (server: ServerRecord) => number | undefined,
): Record<string, number> {
  return Object.fromEntries(
    fleet.servers
      .map((server) => [server.id, measure(server)] as const)
      .filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

function seconds(moment: string | null): number | undefined {
  return moment === null ? undefined : Date.parse(moment) / 1000;
}

function keyOf({ labels }: ParsedSample): string {
  return `${labels['cloud']} ${labels['id']}`;
}

describe('families of single servers', () => {
  it('are absent unless they are asked for', async () => {
    const parsed = await scrape(await simulate({ servers: 30 }), {});
    expect(names.filter((name) => parsed.families.has(name))).toEqual([]);
    expect(parsed.value('cloud_exporter_series_dropped')).toBe(0);
  });

  it('tell of every server exactly what the platform does', async () => {
    const cloud = await simulate({ servers: 150 });
    const parsed = await scrape(cloud, { per_server: true, page_size: 40 });
    const expected: Record<string, (server: ServerRecord) => number | undefined> = {
      cloud_server_info: () => 1,
      cloud_server_status: () => 1,
      cloud_server_vcpus: (server) => server.vcpu_count,
      cloud_server_memory_bytes: (server) => server.vmem_size * mebibyte,
      cloud_server_disk_bytes: (server) => server.disk * mebibyte,
      cloud_server_isolated_devices: (server) => server.isolated_devices.length,
      cloud_server_expiry_timestamp_seconds: (server) => seconds(server.expired_at),
      cloud_server_updated_timestamp_seconds: (server) => seconds(server.updated_at),
      cloud_server_created_timestamp_seconds: (server) => seconds(server.created_at),
    };
    expect(Object.keys(expected)).toEqual(names);
    for (const [name, measure] of Object.entries(expected))
      expect(byId(parsed, name), name).toEqual(ofFleet(cloud.fleet, measure));
    expect(parsed.of('cloud_server_expiry_timestamp_seconds').length).toBeGreaterThan(0);
    expect(parsed.of('cloud_server_expiry_timestamp_seconds').length).toBeLessThan(150);
  });

  it('are keyed by cloud and id; the facts stand on cloud_server_info alone', async () => {
    const cloud = await simulate({ servers: 40 });
    const parsed = await scrape(cloud, { per_server: true, labels: { team: 'metadata.user:team' } });
    const labelsOf = (name: string) => Object.keys(parsed.of(name)[0]!.labels).toSorted();
    for (const name of names.filter((one) => !['cloud_server_info', 'cloud_server_status'].includes(one)))
      expect(labelsOf(name), name).toEqual(['cloud', 'id']);
    expect(labelsOf('cloud_server_status')).toEqual(['cloud', 'id', 'state', 'status']);
    for (const server of cloud.fleet.servers) {
      const info = parsed.of('cloud_server_info').find(({ labels }) => labels['id'] === server.id);
      expect(info?.labels).toEqual({
        cloud: 'one',
        region: server.region,
        zone: server.zone,
        hypervisor: server.hypervisor,
        project_domain: server.project_domain,
        project: server.project,
        project_id: server.tenant_id,
        id: server.id,
        name: server.name,
        host: server.host,
        host_id: server.host_id,
        os_type: server.os_type,
        instance_type: server.instance_type,
        // The platform's word for a server that never came to a host.
        brand: server.brand || 'Unknown',
        billing_type: server.billing_type,
        ips: server.ips,
        team: server.metadata['user:team'],
      });
    }
  });

  it('can each be joined with cloud_server_info, one to one', async () => {
    const cloud = await simulate({ servers: 60 });
    const parsed = await scrape(cloud, { per_server: true });
    const known = parsed.of('cloud_server_info').map(keyOf);
    expect(new Set(known).size).toBe(60);
    for (const name of names)
      expect(
        parsed.of(name).filter((sample) => !known.includes(keyOf(sample))),
        name,
      ).toEqual([]);
  });

  it('keep servers of one name apart, and those of two clouds with one id', async () => {
    const cloud = await simulate({ servers: 10 });
    for (const { id } of cloud.fleet.servers) cloud.fleet.change(id, { name: 'web' });
    const settings = settingsFor(cloud, { per_server: true });
    const exporter = await runExporter({ one: settings, two: settings });
    const parsed = parseExposition(await exporter.text('/metrics'));
    expect(parsed.of('cloud_server_info')).toHaveLength(20);
    expect(parsed.of('cloud_server_vcpus').filter(({ labels }) => labels['cloud'] === 'two')).toHaveLength(
      10,
    );
  });
});

describe('series_limit', () => {
  it('folds places beyond it into `other`, and every sum stays exact', async () => {
    const cloud = await simulate({ servers: 400 });
    const whole = await scrape(cloud, {});
    const folded = await scrape(cloud, { series_limit: 80 });
    expect(folded.of('cloud_servers').length).toBeLessThan(whole.of('cloud_servers').length / 2);
    const sums = [...whole.families.keys()].filter((name) => name.startsWith('cloud_servers'));
    expect(sums).toHaveLength(8);
    for (const name of sums) expect(folded.sum(name), name).toBe(whole.sum(name));
    for (const state of states)
      for (const name of ['cloud_servers', 'cloud_servers_vcpus', 'cloud_servers_memory_bytes'])
        expect(folded.sum(name, { state }), state).toBe(whole.sum(name, { state }));
    for (const name of ['cloud_server_problem', 'cloud_server_problems'])
      expect(folded.of(name), name).toEqual(whole.of(name));
  });

  it('says how many label sets were folded, and marks them', async () => {
    const cloud = await simulate({ servers: 400 });
    const whole = await scrape(cloud, {});
    const folded = await scrape(cloud, { series_limit: 80 });
    const other = folded.of('cloud_servers').filter(({ labels }) => labels['project'] === 'other');
    const own = folded.of('cloud_servers').filter(({ labels }) => labels['project'] !== 'other');
    expect(own).toHaveLength(10);
    for (const { labels } of other)
      expect(labels).toMatchObject({ region: 'other', zone: 'other', hypervisor: 'other', cloud: 'one' });
    const folders = whole.of('cloud_servers').length - own.length;
    expect(folded.value('cloud_exporter_series_dropped')).toBeGreaterThanOrEqual(folders);
  });
});

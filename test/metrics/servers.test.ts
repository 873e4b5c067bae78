import { expect, it } from 'vitest';
import { serverTables } from '../../src/metrics/servers.ts';
import { states } from '../../src/platform/state.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ParsedSample } from '../support/exposition.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { expectSeries, mebibyte, type FactOf } from '../support/truth.ts';

const names = serverTables.flatMap(({ columns }) => Object.keys(columns));

type ServerRecord = Fleet['servers'][number];

function seconds(moment: string | null): number | undefined {
  return moment === null ? undefined : Date.parse(moment) / 1000;
}

it('families of single servers tell of each exactly what the platform does, and can each be joined with cloud_server_info', async () => {
  const settings = { per_server: true, page_size: 40, labels: { team: 'metadata.user:team' } };
  const { fleet, scrape } = await exportCloud({ settings });
  const parsed = await scrape();
  const expected: Record<string, FactOf<ServerRecord>> = {
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
  for (const [name, factOf] of Object.entries(expected)) {
    expectSeries(parsed, name, ['id'], fleet.servers, factOf);
    const labelNames = Object.keys(parsed.of(name)[0]!.labels).toSorted();
    if (name === 'cloud_server_status') expect(labelNames).toEqual(['cloud', 'id', 'state', 'status']);
    else if (name !== 'cloud_server_info') expect(labelNames, name).toEqual(['cloud', 'id']);
  }
  const ends = parsed.of('cloud_server_expiry_timestamp_seconds').length;
  expect(ends > 0 && ends < fleet.servers.length).toBe(true);
  for (const server of fleet.servers) {
    const info = parsed.of('cloud_server_info').find((sample) => sample.labels['id'] === server.id);
    const { id, name, region, zone, hypervisor, project_domain, project, host, host_id } = server;
    const { os_type, instance_type, billing_type, ips } = server;
    const place = { cloud: 'one', region, zone, hypervisor, project_domain, project, host, host_id };
    // The platform's word for a server that never came to a host.
    const facts = { os_type, instance_type, brand: server.brand || 'Unknown', billing_type, ips };
    const team = server.metadata['user:team'];
    expect(info?.labels).toEqual({ id, name, ...place, project_id: server.tenant_id, ...facts, team });
  }
});

it('sums of servers that have nothing are 0', async () => {
  const { cloud, scrape } = await exportCloud({ servers: 20, settings: { details_max_age: 0 } });
  const nothing = { vcpu_count: 0, vmem_size: 0, disk: 0, disk_count: 0, is_gpu: false };
  cloud.quirks.rewriteServer = (server) => ({ ...server, ...nothing });
  // Servers without disks are read again before they are believed.
  const parsed = await scrape({ 'X-Prometheus-Scrape-Timeout-Seconds': '60' });
  const values = (name: string) => parsed.of(name).map(({ value }) => value);
  expect(parsed.sum('cloud_servers')).toBe(20);
  expect(new Set(values('cloud_servers_vcpus'))).toEqual(new Set([0]));
  expect(values('cloud_servers_gpu')).toEqual([]);
});

it('series_limit folds places beyond it into `other`, every sum stays exact, and the loss is told', async () => {
  const { cloud, fleet, scrape } = await exportCloud({ servers: 200 });
  const whole = await scrape();
  expect(whole.value('cloud_exporter_series_dropped')).toBe(0);
  expect(names.filter((name) => whole.families.has(name))).toEqual([]);
  const sums = [...whole.families.keys()].filter((name) => name.startsWith('cloud_servers'));
  expect(sums).toHaveLength(8);
  for (const series_limit of [8, 40, 80]) {
    const folded = await (
      await exportCloud({ fleet, settings: { auth_url: cloud.authUrl, series_limit } })
    ).scrape();
    for (const name of sums) expect(folded.sum(name), name).toBe(whole.sum(name));
    for (const state of states)
      for (const name of ['cloud_servers', 'cloud_servers_vcpus', 'cloud_servers_memory_bytes'])
        expect(folded.sum(name, { state }), state).toBe(whole.sum(name, { state }));
    for (const name of ['cloud_server_problem', 'cloud_server_problems'])
      expect(folded.of(name), name).toEqual(whole.of(name));
    const isOther = ({ labels }: ParsedSample) => labels['project'] === 'other';
    const own = folded.of('cloud_servers').filter((sample) => !isOther(sample));
    expect(own).toHaveLength(Math.max(1, series_limit / 8));
    const other = { region: 'other', zone: 'other', hypervisor: 'other', cloud: 'one' };
    for (const { labels } of folded.of('cloud_servers').filter(isOther)) expect(labels).toMatchObject(other);
    const folders = whole.of('cloud_servers').length - own.length;
    expect(folded.value('cloud_exporter_series_dropped')).toBeGreaterThanOrEqual(folders);
  }
});

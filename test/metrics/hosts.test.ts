import { describe, expect, it } from 'vitest';
import { stateOf } from '../../src/platform/state.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

type Cloud = Awaited<ReturnType<typeof simulate>>;

async function scrape(cloud: Cloud, settings: object = {}): Promise<Parsed> {
  const exporter = await runExporter({ one: settingsFor(cloud, settings) });
  return parseExposition(await exporter.text('/metrics'));
}

const mebibyte = 1024 ** 2;

/** host and state → servers, vCPUs and memory, from the simulated fleet itself. */
function truthOf({ fleet }: Cloud): Record<string, [number, number, number]> {
  const sums: Record<string, [number, number, number]> = {};
  for (const server of fleet.servers) {
    if (!server.host) continue;
    const state = stateOf({ status: server.status, pendingDeleted: server.pending_deleted, power: '' });
    const sum = (sums[`${server.region} ${server.zone} ${server.host} ${state}`] ??= [0, 0, 0]);
    sum[0] += 1;
    sum[1] += server.vcpu_count;
    sum[2] += server.vmem_size * mebibyte;
  }
  return sums;
}

function exported(parsed: Parsed, name: string): Record<string, number> {
  return Object.fromEntries(
    parsed
      .of(name)
      .map(({ labels, value }) => [
        `${labels['region']} ${labels['zone']} ${labels['host']} ${labels['state']}`,
        value,
      ]),
  );
}

describe('hosts', () => {
  it('carry what their servers add up to, by state', async () => {
    const cloud = await simulate({ servers: 300 });
    const parsed = await scrape(cloud, { page_size: 40, list_hosts: false });
    const truth = truthOf(cloud);
    expect(Object.keys(truth).length).toBeGreaterThan(10);
    for (const [index, name] of [
      'cloud_host_servers',
      'cloud_host_vcpus',
      'cloud_host_memory_bytes',
    ].entries()) {
      const expected = Object.fromEntries(Object.entries(truth).map(([key, sums]) => [key, sums[index]]));
      expect(exported(parsed, name)).toEqual(expected);
    }
    const hosts = new Set(cloud.fleet.servers.map(({ host }) => host).filter(Boolean));
    expect(parsed.of('cloud_host_up').length).toBe(hosts.size);
  });

  it('are down as soon as one server says that its host is offline, in either word', async () => {
    const cloud = await simulate({ servers: 60, release: '4.0' });
    const online = { host_status: 'running', host_service_status: 'online' };
    for (const { id } of cloud.fleet.servers) cloud.fleet.change(id, online);
    const [first, second] = [...new Set(cloud.fleet.servers.map(({ host }) => host))].filter(Boolean);
    const on = (host: string | undefined) => cloud.fleet.servers.find((server) => server.host === host)!.id;
    cloud.fleet.change(on(first), { ...online, host_status: 'offline' });
    cloud.fleet.change(on(second), { ...online, host_service_status: 'offline' });
    const parsed = await scrape(cloud, { list_hosts: false });
    const down = parsed.of('cloud_host_up').filter(({ value }) => value === 0);
    expect(new Set(down.map(({ labels }) => labels['host']))).toEqual(new Set([first, second]));
  });

  it('are left out if per_host is off', async () => {
    const parsed = await scrape(await simulate({ servers: 60 }), { per_host: false });
    expect([...parsed.families.keys()].filter((name) => name.startsWith('cloud_host_'))).toEqual([]);
  });

  it('are dropped after single servers and before the fleet, family by family', async () => {
    const cloud = await simulate({ servers: 60 });
    const whole = await scrape(cloud, { per_server: true });
    const count = (name: string) => whole.of(name).length;
    const families = [...whole.families.keys()];
    const isOwn = (name: string) => !name.startsWith('cloud_host_') && !name.startsWith('cloud_server_info');
    const fleet = families.filter(
      (name) => /^cloud_(servers|isolated|server_problem)/.test(name) && isOwn(name),
    );
    const limit = fleet.reduce((sum, name) => sum + count(name), 0) + count('cloud_host_up');
    const parsed = await scrape(cloud, { per_server: true, series_limit: limit });
    const kept = [...parsed.families.keys()];
    expect(kept.filter((name) => name.startsWith('cloud_host_'))).toEqual(['cloud_host_up']);
    expect(kept).not.toContain('cloud_server_info');
    expect(parsed.sum('cloud_servers')).toBe(60);
    expect(parsed.value('cloud_exporter_series_dropped')).toBeGreaterThan(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { stateOf } from '../../src/platform/state.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { capacityFamilies, expectHostTruth } from '../support/host-truth.ts';
import { hostsOf } from '../simulator/room.ts';

const mebibyte = 1024 ** 2;
const loadFamilies = ['cloud_host_servers', 'cloud_host_servers_vcpus', 'cloud_host_servers_memory_bytes'];

/** host and state → servers, vCPUs and memory, from the simulated fleet itself. */
function loadsOf(fleet: Fleet): Record<string, [number, number, number]> {
  const sums: Record<string, [number, number, number]> = {};
  for (const server of fleet.servers) {
    const host = fleet.hosts.find(({ id }) => id === server.host_id);
    if (!host || host.is_emulated) continue;
    const state = stateOf({ status: server.status, pendingDeleted: server.pending_deleted, power: '' });
    const sum = (sums[`${server.region} ${server.zone} ${server.host} ${state}`] ??= [0, 0, 0]);
    sum[0] += 1;
    sum[1] += server.vcpu_count;
    sum[2] += server.vmem_size * mebibyte;
  }
  return sums;
}

describe('hosts', () => {
  it('carry what their servers add up to, by state, whether they are listed or not', async () => {
    const { cloud, fleet, exporter, scrape } = await exportCloud({ settings: { list_hosts: false } });
    const expectLoads = (parsed: Parsed) => {
      const truth = Object.entries(loadsOf(fleet));
      expect(truth.length).toBeGreaterThan(10);
      for (const [index, name] of loadFamilies.entries()) {
        const found = parsed.of(name).map(({ labels, value }) => {
          const { region, zone, host, state } = labels;
          return [`${region} ${zone} ${host} ${state}`, value];
        });
        expect(Object.fromEntries(found), name).toEqual(
          Object.fromEntries(truth.map(([key, sums]) => [key, sums[index]])),
        );
      }
    };
    const unlisted = await scrape();
    expectLoads(unlisted);
    expect(capacityFamilies.filter((name) => unlisted.of(name).length > 0)).toEqual([]);
    expect([cloud.journal.count('hosts'), exporter.logged().includes('cannot be listed')]).toEqual([
      0,
      false,
    ]);
    const listed = await exportCloud({ fleet });
    const parsed = await listed.scrape();
    expectLoads(parsed);
    // At most a series in each family, the hosts without servers too.
    const count = ['cloud_host_up', ...capacityFamilies].reduce(
      (sum, name) => sum + parsed.of(name).length,
      0,
    );
    expect(count).toBeLessThanOrEqual((capacityFamilies.length + 1) * hostsOf(fleet).length);
    const named = new Set(fleet.servers.map(({ host_id }) => host_id));
    const empty = fleet.hosts.filter(({ id, host_type }) => host_type === 'hypervisor' && !named.has(id));
    expect(empty.length).toBeGreaterThan(0);
    for (const { name } of empty) expect(parsed.value('cloud_host_up', { host: name })).toBe(1);
  });

  it('that are not listed are down if their servers say that they are offline, in either word', async () => {
    // Before 4.0 the platform writes the one word over the other.
    const { fleet, scrape } = await exportCloud({
      servers: 60,
      release: '4.0',
      settings: { list_hosts: false },
    });
    const virtual = fleet.servers.filter(({ host, hypervisor }) => host && hypervisor !== 'baremetal');
    const [first, second] = [...new Set(virtual.map(({ host }) => host))];
    for (const { id, host } of fleet.servers)
      fleet.change(id, {
        host_status: host === first ? 'offline' : 'running',
        host_service_status: host === second ? 'offline' : 'online',
      });
    const down = (await scrape()).of('cloud_host_up').filter(({ value }) => value === 0);
    expect(new Set(down.map(({ labels }) => labels['host']))).toEqual(new Set([first, second]));
  });

  it.each<[string, (server: Record<string, unknown>) => unknown]>([
    [
      'say otherwise who is up',
      (server) => ({ ...server, host_status: 'offline', host_service_status: 'offline' }),
    ],
    ['do not have the id of their host, but its name', ({ host_id: _id, ...server }) => server],
    [
      'still have an older name of their host',
      (server) => (server['host'] ? { ...server, host: `old-${String(server['host'])}` } : server),
    ],
  ])('that are listed are as the list has them where servers %s', async (_words, rewriteServer) => {
    const { cloud, fleet, scrape } = await exportCloud({ settings: { details_max_age: 0 } });
    cloud.quirks.rewriteServer = rewriteServer;
    expectHostTruth(await scrape(), fleet);
  });

  it('are part of the series budget, the newest families first to go, and can be left out', async () => {
    const { fleet, scrape } = await exportCloud({ settings: { series_limit: 500 } });
    const parsed = await scrape();
    expect(parsed.value('cloud_exporter_series_dropped')).toBeGreaterThan(0);
    expect(parsed.of('cloud_host_up')).toHaveLength(hostsOf(fleet).length);
    expect(parsed.of('cloud_host_memory_overcommit')).toEqual([]);
    expect(parsed.sum('cloud_servers')).toBe(fleet.servers.length);
    const without = await exportCloud({ fleet, settings: { per_host: false } });
    const names = [...(await without.scrape()).families.keys()];
    expect(names.filter((name) => name.startsWith('cloud_host_'))).toEqual([]);
  });
});

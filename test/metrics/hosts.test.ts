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
      'cloud_host_servers_vcpus',
      'cloud_host_servers_memory_bytes',
    ].entries()) {
      const expected = Object.fromEntries(Object.entries(truth).map(([key, sums]) => [key, sums[index]]));
      expect(exported(parsed, name)).toEqual(expected);
    }
  });

  it('that are not listed are down if their servers say that they are offline, in either word', async () => {
    // Before 4.0 the platform writes the one word over the other.
    const cloud = await simulate({ servers: 60, release: '4.0' });
    const { fleet } = cloud;
    const virtual = fleet.servers.filter(({ host, hypervisor }) => host && hypervisor !== 'baremetal');
    const [first, second] = [...new Set(virtual.map(({ host }) => host))];
    const words = (host: string) => ({
      host_status: host === first ? 'offline' : 'running',
      host_service_status: host === second ? 'offline' : 'online',
    });
    for (const { id, host } of fleet.servers) fleet.change(id, words(host));
    const parsed = await scrape(cloud, { list_hosts: false });
    const down = parsed.of('cloud_host_up').filter(({ value }) => value === 0);
    expect(new Set(down.map(({ labels }) => labels['host']))).toEqual(new Set([first, second]));
  });

  it('are left out if per_host is off', async () => {
    const parsed = await scrape(await simulate({ servers: 60 }), { per_host: false });
    expect([...parsed.families.keys()].filter((name) => name.startsWith('cloud_host_'))).toEqual([]);
  });
});

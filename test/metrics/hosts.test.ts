import { describe, expect, it } from 'vitest';
import { exportCloud } from '../support/exported-cloud.ts';
import { expectHostTruth, expectLoads } from '../support/host-truth.ts';

describe('hosts', () => {
  it('carry what their servers add up to, by state, whether they are listed or not', async () => {
    const { fleet, scrape } = await exportCloud({ settings: { list_hosts: false } });
    expectLoads(await scrape(), fleet);
    const parsed = await (await exportCloud({ fleet })).scrape();
    expectHostTruth(parsed, fleet);
    const named = new Set(fleet.servers.map(({ host_id }) => host_id));
    const empty = fleet.hosts.filter(({ id, host_type }) => host_type === 'hypervisor' && !named.has(id));
    expect(empty.length).toBeGreaterThan(0);
    for (const { name } of empty) expect(parsed.value('cloud_host_up', { host: name })).toBe(1);
  });

  it('that are not listed are down if their servers say that they are offline, in either word', async () => {
    // Before 4.0 the platform writes the one word over the other.
    const { fleet, scrape } = await exportCloud({ release: '4.0', settings: { list_hosts: false } });
    const own = fleet.servers.filter(({ host, hypervisor }) => host && hypervisor === 'kvm');
    const [first, second] = [...new Set(own.map(({ host }) => host))];
    for (const { id, host } of fleet.servers)
      fleet.change(id, {
        host_status: host === first ? 'offline' : 'running',
        host_service_status: host === second ? 'offline' : 'online',
      });
    const down = (await scrape()).of('cloud_host_up').filter(({ value }) => value === 0);
    expect(new Set(down.map(({ labels }) => labels['host']))).toEqual(new Set([first, second]));
  });

  it.each<[string, (server: Record<string, unknown>) => unknown]>([
    ['say otherwise who is up', (server) => ({ ...server, host_status: 'offline' })],
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
});

import { expect, it } from 'vitest';
import { exportCloud } from '../support/exported-cloud.ts';

it('label values of 1024 characters are whole; longer ones are cut, and one series where that makes them equal', async () => {
  const [most, start] = ['z'.repeat(1024), 'a'.repeat(1022)];
  // The last two are cut within a character, of which then no half may be left.
  const zones = [most, `${most}1`, `${most}22`, `${start}𝒳12`, `${start}😀12`];
  const { fleet, scrape } = await exportCloud({ servers: zones.length });
  const { id: _id, name: _name, ...like } = fleet.servers[0]!;
  for (const [index, { id }] of fleet.servers.entries())
    fleet.change(id, { ...like, zone: zones[index]!, host_id: '' });
  const counts = (await scrape()).of('cloud_servers').map(({ labels, value }) => [labels['zone'], value]);
  expect(Object.fromEntries(counts)).toEqual({ [most]: 1, [`${most.slice(1)}…`]: 2, [`${start}\ufffd…`]: 2 });
});

it('label sets beyond series_limit do not meet a place that is really called `other`', async () => {
  const { fleet, scrape } = await exportCloud({ servers: 60, settings: { series_limit: 8 } });
  const named = { region: 'other', zone: 'other', hypervisor: 'other', project_domain: 'other' };
  for (const { id } of fleet.servers.slice(0, 5))
    fleet.change(id, { ...named, project: 'other', status: 'running' });
  expect((await scrape()).sum('cloud_servers')).toBe(60);
});

it('label sets stay few even when every server has a status and a device of its own', async () => {
  const { fleet, scrape } = await exportCloud({ servers: 1000, settings: { series_limit: 80 } });
  const [device] = fleet.servers.flatMap(({ isolated_devices }) => isolated_devices);
  for (const [index, { id }] of fleet.servers.entries())
    fleet.change(id, {
      status: index % 2 ? `odd-${index}` : `fail-${index}`,
      pending_deleted: false,
      isolated_devices: [{ ...device!, dev_type: 'other', model: `model-${index}` }],
    });
  const parsed = await scrape();
  expect(parsed.of('cloud_servers').length).toBeLessThan(220);
  expect(parsed.of('cloud_servers_devices').length).toBeLessThan(250);
  expect([parsed.sum('cloud_servers'), parsed.sum('cloud_servers_devices')]).toEqual([1000, 1000]);
  expect(parsed.sum('cloud_servers', { state: 'task_failed' })).toBe(500);
});

import { expect, it } from 'vitest';
import { exportCloud } from '../support/exported-cloud.ts';

it('label sets stay few, and are right, even when every server has a status, a device and a place of its own', async () => {
  const { fleet, scrape } = await exportCloud({ servers: 1000, settings: { series_limit: 80 } });
  const [device] = fleet.servers.flatMap(({ isolated_devices }) => isolated_devices);
  for (const [index, { id }] of fleet.servers.entries())
    fleet.change(id, {
      ...(index < 5 && { region: 'other', zone: 'other', project: 'other' }),
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

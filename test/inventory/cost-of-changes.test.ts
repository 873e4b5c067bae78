import { expect, it } from 'vitest';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { setUpChanges } from './changing-cloud.ts';

const platformCost = {
  workers: Infinity,
  millisecondsPerServer: 3.6,
  millisecondsPerPlainServer: 0.65,
  wait: async () => {},
};

it('lists of changes, and whole ones between them, cost the platform a fraction of detailed lists', async () => {
  const fleet = createFleet({ servers: 1500, now: () => Date.parse('2026-11-14T00:00:00Z') });
  const setting = await setUpChanges({ page_size: 500 }, { fleet, platformCost });
  const { clock, cloud, expectTrue, how } = setting;
  await expectTrue();
  const detailed = cloud.ledger.total.milliseconds;
  await expectTrue();
  const costs: number[] = [];
  const lists: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    cloud.ledger.clear();
    fleet.changeAll(
      fleet.servers.filter((_, index) => index % 100 === round).map(({ id }) => id),
      ({ status }) => ({ status: status === 'running' ? 'ready' : 'running' }),
      { at: clock.now() + 30_000 },
    );
    await expectTrue();
    costs.push(cloud.ledger.total.milliseconds / detailed);
    lists.push(how());
  }
  expect(lists.filter((list) => list === 'whole')).toHaveLength(2);
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  expect(mean).toBeLessThan(0.15);
  expect(costs.toSorted((a, b) => a - b)[5]).toBeLessThan(0.08);
});

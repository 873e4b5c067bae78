import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { createEagerClock } from '../support/manual-clock.ts';

/** What happens to the list at one moment while it is read. */
const change = fc.record({
  created: fc.nat({ max: 6 }),
  removed: fc.array(fc.nat({ max: 90 }), { maxLength: 14 }),
  moved: fc.array(fc.nat({ max: 90 }), { maxLength: 4 }),
});

const run = fc.record({
  servers: fc.integer({ min: 0, max: 90 }),
  seed: fc.nat({ max: 1000 }),
  pageSize: fc.integer({ min: 10, max: 30 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  beforePage: fc.array(change, { maxLength: 12 }),
  afterCount: fc.array(change, { maxLength: 12 }),
});

it('whatever is created, deleted and moved while the list is read, who was there all the time is in it', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ servers, seed, pageSize, concurrency, ...moments }) => {
      const fleet = createFleet({ servers, seed });
      for (const { id } of fleet.servers) fleet.change(id, { pending_deleted: false });
      const settings = { page_size: pageSize, concurrency, per_server: true };
      const clock = createEagerClock((ms) => ms <= 1000);
      const { cloud, probe } = await exportCloud({ fleet, clock, settings });
      // The ranges of a list are those of the ids that the last one left, moved or not.
      for (const isMoving of [false, false, true, false, false]) {
        const before = fleet.servers.map(({ id }) => id);
        let [early, late] = [0, 0];
        const apply = (one: (typeof moments.beforePage)[number] | undefined) => {
          if (!one || !isMoving) return;
          const all = fleet.servers.map(({ id }) => id);
          fleet.remove(one.removed.flatMap((index) => all[index] ?? []));
          fleet.create(one.created);
          const left = fleet.servers.map(({ id }) => id);
          for (const index of one.moved)
            if (left[index] !== undefined)
              fleet.moveServer(left[index], fleet.hosts[index % fleet.hosts.length]!.id);
        };
        cloud.hooks.beforePage = () => apply(moments.beforePage[early++]);
        cloud.hooks.afterCount = () => apply(moments.afterCount[late++]);
        const parsed = await probe();
        const listed = new Set(parsed.of('cloud_server_info').map(({ labels }) => labels['id']));
        const present = new Set(fleet.servers.map(({ id }) => id));
        const stayed = before.filter((id) => present.has(id));
        if (parsed.value('cloud_up') === 1) expect(stayed.filter((id) => !listed.has(id))).toEqual([]);
        else expect(isMoving).toBe(true);
        if (isMoving) continue;
        const hostsTold = parsed.of('cloud_server_info').map(({ labels }) => [labels['id'], labels['host']]);
        const hosts = fleet.servers.map(({ id, host }) => [id, host ?? '']);
        expect(Object.fromEntries(hostsTold)).toEqual(Object.fromEntries(hosts));
      }
    }),
    { numRuns: 12 },
  );
});

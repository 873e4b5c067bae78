import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud } from '../simulator/cloud.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

const plan = fc.record({
  servers: fc.nat({ max: 70 }),
  seed: fc.nat({ max: 1000 }),
  dialect: fc.constantFrom('document' as const, 'platform' as const),
  pageSize: fc.integer({ min: 1, max: 30 }),
  maximumPageSize: fc.integer({ min: 1, max: 30 }),
  concurrency: fc.integer({ min: 1, max: 8 }),
  total: fc.option(
    fc.oneof(
      fc.integer({ min: -100, max: 100 }).map(
        (more) =>
          (real: number): unknown =>
            real + more,
      ),
      fc.constantFrom<unknown>(undefined, null, 'many', 0, 1, 1e9).map((value) => () => value),
    ),
    { nil: undefined },
  ),
  ignoreOffset: fc.boolean(),
  /** What happens between the first list and the second, which is laid out like the first. */
  later: fc.record({
    created: fc.nat({ max: 20 }),
    removed: fc.nat({ max: 70 }),
    longestPage: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  }),
});

it('whatever the plan of the pages, the sums are right, or refused, or visibly short', async () => {
  const outcomes = { right: 0, refused: 0, short: 0 };
  await fc.assert(
    fc.asyncProperty(
      plan,
      async ({ servers, seed, dialect, maximumPageSize, total, ignoreOffset, later, ...rest }) => {
        const fleet = createFleet({ servers, seed });
        const cloud = await startSimulatedCloud({ fleet, dialect, maximumPageSize });
        cloud.quirks.total = total;
        cloud.quirks.ignoreOffset = ignoreOffset;
        const settings = { page_size: rest.pageSize, concurrency: rest.concurrency, list_hosts: false };
        const exporter = await runExporter({ one: settingsFor(cloud, settings) });
        const first = parseExposition(await exporter.text('/metrics'));
        judge(first, fleet, 1);
        fleet.create(later.created);
        fleet.remove(fleet.servers.slice(0, later.removed).map(({ id }) => id));
        cloud.quirks.longestPage = later.longestPage;
        const failures = first.value('cloud_up') === 0 ? 2 : 1;
        // A refused list leaves the last good one standing, which is right as of then.
        const second = parseExposition(await exporter.text('/metrics'));
        if (failures === 2 || second.value('cloud_up') === 1) judge(second, fleet, failures);
        await exporter.stop();
        await cloud.close();

        function judge(parsed: Parsed, now: Fleet, failed: number): void {
          const truth = truthOf(now);
          const received = parsed.value('cloud_list_received') ?? 0;
          if (parsed.value('cloud_up') === 0) {
            expect(parsed.of('cloud_servers')).toEqual([]);
            expect(parsed.value('cloud_exporter_collection_failures_total', { reason: 'truncated' })).toBe(
              failed,
            );
            outcomes.refused += 1;
          } else if (received === truth.total) {
            expectTruth(parsed, truth, 'one');
            outcomes.right += 1;
          } else {
            // Only a platform that ignores offset and hides its total can be short without a sign of it.
            expect(ignoreOffset).toBe(true);
            expect(parsed.sum('cloud_servers')).toBe(received);
            if (total === undefined) {
              const missing = parsed.value('cloud_list_reported')! - received;
              expect(missing > 0 && missing <= 10).toBe(true);
            }
            outcomes.short += 1;
          }
        }
      },
    ),
    { numRuns: 50 },
  );
  expect(outcomes.right).toBeGreaterThan(12);
  expect(outcomes.refused).toBeGreaterThan(1);
});

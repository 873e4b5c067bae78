import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFleet } from '../../src/simulator/fleet.ts';
import { startSimulatedCloud } from '../../src/simulator/api.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';

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
});

it('whatever the plan of the pages, the sums are right, or refused, or visibly short', async () => {
  let outcomes = { right: 0, refused: 0, short: 0 };
  await fc.assert(
    fc.asyncProperty(
      plan,
      async ({ servers, seed, dialect, maximumPageSize, total, ignoreOffset, ...rest }) => {
        const fleet = createFleet({ servers, seed });
        const cloud = await startSimulatedCloud({ fleet, dialect, maximumPageSize });
        cloud.quirks.total = total;
        cloud.quirks.ignoreOffset = ignoreOffset;
        const settings = { page_size: rest.pageSize, concurrency: rest.concurrency };
        const exporter = await runExporter({ one: settingsFor(cloud, settings) });
        const parsed = parseExposition(await exporter.text('/metrics'));
        await exporter.stop();
        await cloud.close();
        const truth = fleet.truth({ pendingDeleted: dialect === 'document' });
        const received = parsed.value('cloud_list_received') ?? 0;
        if (parsed.value('cloud_up') === 0) {
          expect(parsed.of('cloud_servers')).toEqual([]);
          expect(parsed.value('cloud_exporter_collection_failures_total', { reason: 'truncated' })).toBe(1);
          outcomes = { ...outcomes, refused: outcomes.refused + 1 };
        } else if (received === truth.total) {
          expectTruth(parsed, truth, 'one');
          outcomes = { ...outcomes, right: outcomes.right + 1 };
        } else {
          // Only a platform that ignores offset and hides its total can be short without a sign of it.
          expect(ignoreOffset).toBe(true);
          expect(parsed.sum('cloud_servers')).toBe(received);
          if (total === undefined) {
            const missing = parsed.value('cloud_list_reported')! - received;
            expect(missing > 0 && missing <= 10).toBe(true);
          }
          outcomes = { ...outcomes, short: outcomes.short + 1 };
        }
      },
    ),
    { numRuns: 80 },
  );
  expect(outcomes.right).toBeGreaterThan(10);
  expect(outcomes.refused).toBeGreaterThan(3);
});

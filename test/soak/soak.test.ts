import { expect, it } from 'vitest';
import { soak } from './run.ts';

it('through faults that come and go no sum is wrong, no scrape hangs, and nothing is left behind', async () => {
  // Short, for the suite, and patient with a busy machine; `npm run soak` is long and strict.
  const report = await soak({ collections: 200, timeLimitMs: 10_000, seed: 5, toleratedLateMs: 30_000 });
  expect(report.faults).toEqual([]);
  expect(report.collections).toBeGreaterThan(10);
  expect(report.failures).toBeGreaterThan(0);
});

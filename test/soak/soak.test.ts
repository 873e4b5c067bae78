import { expect, it } from 'vitest';
import { soak } from '../../tools/soak/run.ts';

// Short, for the suite, and patient with a busy machine; `npm run soak` is long and strict, and has the other modes.
const short = { collections: 200, timeLimitMs: 4000, seed: 5, toleratedLateMs: 30_000 };

it.each(['detailed', 'changes'] as const)(
  'through faults that come and go, with %s lists, no sum is wrong, no scrape hangs, and nothing is left behind',
  async (mode) => {
    const report = await soak({ ...short, mode });
    expect(report.faults).toEqual([]);
    expect(report.collections).toBeGreaterThan(10);
    expect(report.failures).toBeGreaterThan(0);
  },
);

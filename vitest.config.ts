import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, mostly for what they wait for: begun last, they would be waited for alone. */
const long = /\/test\/(chain|dashboards|rules|prometheus|browser|process|package|faults\/matrix)/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/before-all.ts',
    // Much of the time goes by in waiting for real programs, so there are more workers than cores.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Files share what they import; nothing in `src/` has state of its own, and loading it anew for each took minutes.
    isolate: false,
    // Long enough for a busy machine: what a test waits for comes or does not, and no test has a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 540_000, interval: 100 } },
    sequence: { sequencer: LongFirst },
  },
});

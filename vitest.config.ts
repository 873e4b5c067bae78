import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/install-parts.ts',
    // Much of the time goes by in waiting for real programs, so there are more workers than cores.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Files share what they import; nothing in `src/` has state of its own, and loading it anew for each took minutes.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

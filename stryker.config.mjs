/**
 * Files of which the tests beside them should notice nearly every change. All of them take hours; one by itself:
 * `npm run mutate -- --mutate src/inventory/mirror.ts --testFiles test/inventory/mirror.test.ts`
 */
const tests = {
  'src/identity/token.ts': 'test/identity/{refusals,renewal,token,token-renewal,trade}.test.ts',
  'src/inventory/collector.ts': 'test/inventory/collector*.test.ts',
  'src/inventory/mirror.ts': 'test/inventory/{mirror,lists-of-changes}.test.ts',
  'src/inventory/problems.ts': 'test/inventory/problems.test.ts',
  'src/platform/list.ts': 'test/platform/list.test.ts',
  'src/platform/state.ts': 'test/{platform/server,inventory/rooms}.test.ts',
};

export default {
  mutate: Object.keys(tests),
  testFiles: Object.values(tests),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // It would be read with an API that TypeScript 7 has no longer; the tests don't need it.
  tsconfigFile: 'none',
  // Texts are for people, or the compiler knows them.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['build', 'dist', 'deploy', 'docs'],
  concurrency: 1,
  tempDirName: 'build/mutation',
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
};

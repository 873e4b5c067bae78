/**
 * Files of which the tests beside them should notice nearly every change. All of them take an hour; one by itself:
 * `npm run mutate -- --mutate src/inventory/settle.ts`
 */
const tests = {
  'src/identity/token.ts': ['test/identity/{refusals,renewal,token,token-renewal,trade}.test.ts'],
  'src/inventory/collector.ts': ['test/inventory/collector*.test.ts'],
  'src/inventory/groups.ts': ['test/inventory/names.test.ts'],
  'src/inventory/known.ts': ['test/inventory/names.test.ts'],
  'src/inventory/lookups.ts': ['test/inventory/settle.test.ts'],
  'src/inventory/names.ts': ['test/inventory/names.test.ts'],
  'src/inventory/plan-details.ts': ['test/inventory/plan-details.test.ts'],
  'src/inventory/problems.ts': ['test/inventory/problems.test.ts'],
  'src/inventory/settle.ts': ['test/inventory/settle.test.ts'],
  'src/inventory/side-list.ts': ['test/inventory/side-list.test.ts'],
  'src/platform/id-ranges.ts': ['test/platform/list.test.ts'],
  'src/platform/list.ts': ['test/platform/list*.test.ts'],
  'src/platform/page.ts': ['test/platform/list*.test.ts'],
  'src/platform/state.ts': ['test/platform/server.test.ts'],
};
const files = Object.keys(tests);
const chosen = files.filter((file) => process.argv.some((word) => word.startsWith(file)));

export default {
  mutate: files,
  testFiles: (chosen.length > 0 ? chosen : files).flatMap((file) => tests[file]),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // It would be read with an API that TypeScript 7 has no longer; the tests don't need it.
  tsconfigFile: 'none',
  // Texts are for people, or the compiler knows them.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['build', 'dist', 'deploy', 'docs'],
  tempDirName: 'build/mutation',
  concurrency: 1,
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
};

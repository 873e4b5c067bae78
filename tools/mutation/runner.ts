import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';

/** Runs the tests of a room with each text that it is sent, and answers whether all of them pass. */
const [folder = '', room = '', ...tests] = process.argv.slice(2);

const vitest = await createVitest('test', {
  root: folder,
  include: tests,
  watch: false,
  globalSetup: [],
  reporters: [{}],
  // One thread for all files: most of the time of a run would go into starting more of them.
  pool: 'threads',
  isolate: false,
  maxWorkers: 1,
  bail: 1,
  testTimeout: 10_000,
  hookTimeout: 10_000,
});
const path = join(folder, room);
let files = await vitest.globTestSpecifications();

/** Whether the tests of a file pass, and how long that took. */
async function run(file: (typeof files)[number]): Promise<{ passed: boolean; ms: number }> {
  const startedAt = performance.now();
  // Else a failure of before would count against `bail`, and no test would be run at all.
  vitest.state.filesMap.clear();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([file]);
  const passed = unhandledErrors.length === 0 && testModules.every((module) => module.state() === 'passed');
  return { passed, ms: performance.now() - startedAt };
}

async function passes(text: string): Promise<boolean> {
  writeFileSync(path, text);
  vitest.invalidateFile(path);
  const times = new Map<(typeof files)[number], number>();
  for (const file of files) {
    const { passed, ms } = await run(file);
    if (!passed) return false;
    times.set(file, ms);
  }
  // The quick ones first the next time: most changes are noticed by them.
  files = files.toSorted((a, b) => times.get(a)! - times.get(b)!);
  return true;
}

let last: Promise<unknown> = Promise.resolve();
process.on('message', (text: string) => {
  last = last.then(() => passes(text)).then((passed) => process.send!(passed));
});
process.on('disconnect', () => process.exit());

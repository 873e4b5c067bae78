import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { equivalents } from './equivalents.ts';
import { mutationsOf, type Mutation } from './mutations.ts';
import { rooms, testsBeside } from './rooms.ts';
import { createTrial } from './trial.ts';

/** One mutation in so many may go unnoticed. */
const oneIn = 20;

const root = process.cwd();
const chosen = process.argv.length > 2 ? process.argv.slice(2) : rooms;

/** The program is changed in a copy, so that the folder of the one who works stays as it is. */
function copyProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exporter-mutation-'));
  for (const part of ['src', 'test', 'tools', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const print = (line: string) => process.stdout.write(`${line}\n`);

function isExcused(room: string, { change }: Mutation): boolean {
  return equivalents.some((known) => known.room === room && known.change === change);
}

/** The changes of a room that no test beside it noticed. */
async function tryRoom(folder: string, room: string, mutations: readonly Mutation[]): Promise<Mutation[]> {
  const tests = testsBeside(folder, room);
  const trial = createTrial(folder, room, tests);
  const unnoticed: Mutation[] = [];
  const seeThatTestsPass = async () => {
    if (!(await trial.passes(readFileSync(join(root, room), 'utf8'))))
      throw new Error(`its tests fail without any change; npx vitest run ${tests.join(' ')} says why`);
  };
  try {
    await seeThatTestsPass();
    for (const mutation of mutations) {
      if (!(await trial.passes(mutation.text))) continue;
      unnoticed.push(mutation);
      if (!isExcused(room, mutation)) print(`  ${room}:${mutation.line}: ${mutation.change}`);
    }
    // What was noticed is not to be an effect of the changes before it.
    await seeThatTestsPass();
  } finally {
    trial.end();
  }
  return unnoticed;
}

/** Prints what is to be known of a room; whether it is as it should be. */
async function judge(folder: string, room: string): Promise<boolean> {
  const mutations = mutationsOf(readFileSync(join(root, room), 'utf8'));
  const all = await tryRoom(folder, room, mutations);
  const unnoticed = all.filter((mutation) => !isExcused(room, mutation));
  const excused = all.length - unnoticed.length;
  const counted = mutations.length - excused;
  const share = ((100 * unnoticed.length) / counted).toFixed(1);
  const words = `${mutations.length} mutations, ${excused} of them equivalent, ${unnoticed.length} unnoticed (${share} %)`;
  print(`${room}: ${words}`);
  const wrong = equivalents.filter(
    (known) => known.room === room && all.filter(({ change }) => change === known.change).length !== 1,
  );
  for (const { change } of wrong) print(`  called equivalent, but noticed or not one mutation: ${change}`);
  return wrong.length === 0 && unnoticed.length * oneIn <= counted;
}

const folder = copyProgram();
try {
  for (const room of chosen) if (!(await judge(folder, room))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

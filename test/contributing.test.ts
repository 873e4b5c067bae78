import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startProgram } from './support/program.ts';
import { temporaryFolder } from './support/simulated.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

interface Step {
  readonly path: string;
  readonly how: string;
  readonly line: string;
  readonly code: string;
}

/** Steps such as: In `FILE`, below `LINE`: and then the code. */
async function readSteps(): Promise<Step[]> {
  const page = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const steps = page.matchAll(/^In `([^`]+)`, (below|in place of) `([^`]+)`:\n\n```ts\n(.*?)\n```$/gms);
  return [...steps].map(([, path = '', how = '', line = '', code = '']) => ({ path, how, line, code }));
}

async function follow(folder: string, { path, how, line, code }: Step): Promise<void> {
  const lines = (await readFile(join(folder, path), 'utf8')).split('\n');
  const places = lines.flatMap((text, place) => (text.trim() === line ? place : []));
  expect(places, `${path}: ${line}`).toHaveLength(1);
  const isReplaced = how === 'in place of';
  lines.splice(places[0]! + (isReplaced ? 0 : 1), isReplaced ? 1 : 0, code);
  await writeFile(join(folder, path), lines.join('\n'));
}

it('the steps to add a metric, followed to the letter, add a metric', async () => {
  const folder = await temporaryFolder();
  for (const name of ['src', 'test', 'tools', 'package.json', 'tsconfig.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const steps = await readSteps();
  expect(steps.map(({ path }) => path)).toContain('tools/docs/metric-notes.ts');
  for (const step of steps) await follow(folder, step);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', folder]);

  const program = await startProgram(join(folder, 'dist/main.js'), { flags: ['--demo'] });
  const metrics = await (await fetch(`${program.url}/metrics`)).text();
  const samples = metrics.matchAll(/^cloud_servers_delete_protected\{.*\} (\d+)$/gm);
  const protectedServers = [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
  expect(metrics).toContain('# HELP cloud_servers_delete_protected Servers with disable_delete');
  expect(protectedServers).toBeGreaterThan(0);
});

it.each(['bug', 'feature'])('the form for a %s asks for something that must be answered', async (name) => {
  const form = parse(await readFile(join(root, `.github/ISSUE_TEMPLATE/${name}.yml`), 'utf8')) as Form;
  expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
  const questions = form.body.filter(({ type }) => type !== 'markdown');
  expect(questions.every(({ id, attributes }) => /^[a-z]+$/.test(id ?? '') && attributes.label)).toBe(true);
  expect(questions.some(({ validations }) => validations?.required)).toBe(true);
});

interface Form {
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: { readonly label?: string };
    readonly validations?: { readonly required: boolean };
  }[];
}

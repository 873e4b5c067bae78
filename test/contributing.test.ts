import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { startProgram } from './support/program.ts';
import { compile } from './support/run.ts';
import { settingsFor } from './support/settings.ts';
import { simulate, temporaryFolder } from './support/simulated.ts';

/** Steps such as: In `FILE`, below `LINE`: or: In the new file `FILE`: and then the code. */
async function readSteps() {
  const page = await readFile('CONTRIBUTING.md', 'utf8');
  const steps = page.matchAll(
    /^In (?:the new file )?`([^`]+)`(?:, below `([^`]+)`)?:\n\n```ts\n(.*?)\n```$/gms,
  );
  return [...steps].map(([, path = '', below, code = '']) => ({ path, below, code }));
}

type Step = Awaited<ReturnType<typeof readSteps>>[number];

async function follow(folder: string, { path, below, code }: Step): Promise<void> {
  const file = join(folder, path);
  if (below === undefined) return writeFile(file, code, { flag: 'wx' });
  const lines = (await readFile(file, 'utf8')).split('\n');
  const places = lines.flatMap((text, place) => (text.trim() === below ? place : []));
  expect(places, `${path}: ${below}`).toHaveLength(1);
  lines.splice(places[0]! + 1, 0, code);
  await writeFile(file, lines.join('\n'));
}

it('the steps to add a metric and a kind of resource, followed to the letter, add them', async () => {
  const folder = await temporaryFolder();
  for (const name of ['src', 'package.json', 'tsconfig.json'])
    await cp(name, join(folder, name), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  for (const step of await readSteps()) await follow(folder, step);
  await compile(folder);

  const cloud = await simulate({ servers: 40 });
  const snapshots = ['a', 'b', 'c'].map((id) => ({ id, name: id, size: 4 }));
  cloud.faults.set({ operation: 'other', fault: { kind: 'json', json: { snapshots, total: 3 } } });
  await writeFile(join(folder, 'clouds.yml'), stringify({ clouds: { one: settingsFor(cloud) } }));
  const flags = [`--config.file=${join(folder, 'clouds.yml')}`];
  const program = await startProgram(join(folder, 'dist/main.js'), { flags });
  const metrics = await (await fetch(`${program.url}/metrics`)).text();
  const samples = metrics.matchAll(/^cloud_servers_delete_protected\{.*\} (\d+)$/gm);
  const protectedServers = [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
  expect(metrics).toContain('# HELP cloud_servers_delete_protected Servers with disable_delete');
  expect(protectedServers).toBe(40);
  expect(metrics).toContain('cloud_list_received{cloud="one",resource="snapshots"} 3');
});

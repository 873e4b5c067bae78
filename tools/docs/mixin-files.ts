import { readdir, readFile, mkdir, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';

const path = 'dashboards/mixin/plain.libsonnet';

/** The rules as jsonnet can read them, and the boards by name: what dashboards/mixin.libsonnet is made of. */
export async function renderMixinFiles(root: URL): Promise<Map<string, string>> {
  const rules = await namesIn(new URL('dashboards/rules/', root), '.yml');
  const parsed = await Promise.all(
    rules.map(async (name): Promise<[string, unknown]> => [
      name,
      parse(await readFile(new URL(`dashboards/rules/${name}`, root), 'utf8')),
    ]),
  );
  const boards = await namesIn(new URL('dashboards/', root), '.json');
  const imports = boards.map((name) => `    '${name}': import '../${name}',`);
  const text = [
    '// Written by `npm run docs`.',
    '{',
    `  rules: ${JSON.stringify(Object.fromEntries(parsed), undefined, 2)},`,
    '  dashboards: {',
    ...imports,
    '  },',
    '}',
    '',
  ].join('\n');
  return new Map([[path, text]]);
}

async function namesIn(folder: URL, ending: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(ending)).toSorted();
}

export async function writeMixinFiles(root: URL): Promise<void> {
  await mkdir(new URL('dashboards/mixin/', root), { recursive: true });
  for (const [name, text] of await renderMixinFiles(root)) await writeFile(new URL(name, root), text);
}

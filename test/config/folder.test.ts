import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, type Config } from '../../src/config/load.ts';
import { shardOf } from '../../src/config/shard.ts';
import { temporaryFolder } from '../support/simulated.ts';

const cloud = (more: object = {}) => ({ auth_url: 'https://cloud.example.com', token: 'abc', ...more });

async function folderOf(files: Record<string, object | string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files))
    await writeFile(
      join(folder, name),
      typeof content === 'string' ? content : stringify({ clouds: content }),
    );
  return folder;
}

const load = (file: string | readonly string[], more: object = {}) =>
  loadConfig({ file, environment: {}, ...more });
const namesOf = ({ clouds }: Config) => clouds.map(({ name }) => name);
const problemsOf = async (config: Promise<Config>) =>
  config.then(
    () => [],
    (error: Error) => error.message.split('\n'),
  );

describe('a folder of files', () => {
  it('is read in the order of their names: *.yml and *.yaml, and nothing else', async () => {
    const folder = await folderOf({
      'b.yml': { two: cloud() },
      'a.yaml': { one: cloud() },
      'c.yml': { three: cloud(), four: cloud() },
      'notes.txt': 'not: [yaml',
      '.hidden.yml': 'not: [yaml',
      'old.yml~': 'not: [yaml',
    });
    expect(namesOf(await load(folder))).toEqual(['one', 'two', 'three', 'four']);
  });

  it('may be given beside files, in the order in which they are given', async () => {
    const [one, two] = [
      await folderOf({ 'a.yml': { a: cloud() } }),
      await folderOf({ 'b.yml': { b: cloud() } }),
    ];
    expect(namesOf(await load([join(two, 'b.yml'), one]))).toEqual(['b', 'a']);
  });

  it('may be mounted by Kubernetes, as links into a folder that is hidden', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, '..data'));
    await writeFile(join(folder, '..data', 'a.yml'), stringify({ clouds: { a: cloud() } }));
    await symlink(join('..data', 'a.yml'), join(folder, 'a.yml'));
    expect(namesOf(await load(folder))).toEqual(['a']);
  });

  it('without a file is an error that names it', async () => {
    const folder = await temporaryFolder();
    expect(await problemsOf(load(folder))).toEqual([
      `--config.file: ${folder} is a folder without a *.yml or *.yaml file`,
    ]);
  });

  it('has every mistake of every file told at once', async () => {
    const folder = await folderOf({
      'a.yml': { one: cloud({ page_size: 0 }) },
      'b.yml': { two: cloud() },
      'c.yml': 'clouds: [',
    });
    const [first, second, ...others] = await problemsOf(load([folder, '/nowhere/more.yml']));
    expect(first).toBe(`${folder}/a.yml:5: clouds.one.page_size: must be at least 1`);
    expect(second).toContain(`${folder}/c.yml:1: `);
    expect(others).toEqual(['--config.file: /nowhere/more.yml cannot be read (ENOENT)']);
  });

  it('that has a cloud in two files is an error that names both', async () => {
    const folder = await folderOf({ 'a.yml': { one: cloud(), two: cloud() }, 'b.yml': { two: cloud() } });
    expect(await problemsOf(load(folder))).toEqual([
      `${folder}/b.yml:2: clouds.two: is in another file as well, ${folder}/a.yml:5: clouds.two`,
    ]);
    expect(await problemsOf(load([folder, folder]))).toHaveLength(3);
  });
});

describe('a bad file, with lenience,', () => {
  const lenient = { isLenient: true };

  it.each([
    ['is not YAML', 'clouds: ['],
    ['is empty', ''],
    ['names a setting that is not there', stringify({ clouds: { bad: cloud({ pagesize: 1 }) } })],
    [
      'names a secret that cannot be read',
      stringify({ clouds: { bad: { auth_url: 'https://a', token_file: '/etc/nowhere/token' } } }),
    ],
    ['has a cloud that another file has', stringify({ clouds: { good: cloud() } })],
  ])('is left out and named, if it %s', async (_words, text) => {
    const folder = await folderOf({ 'a.yml': { good: cloud() }, 'b.yml': text });
    const config = await load(folder, lenient);
    expect(namesOf(config)).toEqual(['good']);
    expect(config.rejected.map(({ file }) => file)).toEqual([join(folder, 'b.yml')]);
    expect(config.rejected[0]?.problems.length).toBeGreaterThan(0);
    expect((await problemsOf(load(folder))).length).toBeGreaterThan(0);
  });

  it('is left out whole: of its good clouds none is taken', async () => {
    const folder = await folderOf({ 'a.yml': { fine: cloud(), bad: cloud({ page_size: 0 }) } });
    const { clouds, rejected } = await load(folder, lenient);
    expect([clouds.length, rejected.length]).toEqual([0, 1]);
  });

  it('is taken again once it is good', async () => {
    const folder = await folderOf({ 'a.yml': { good: cloud() }, 'b.yml': 'clouds: [' });
    await writeFile(join(folder, 'b.yml'), stringify({ clouds: { better: cloud() } }));
    expect(await load(folder, lenient)).toMatchObject({ rejected: [] });
    await rm(join(folder, 'b.yml'));
    expect(namesOf(await load(folder, lenient))).toEqual(['good']);
  });

  it('does not excuse variables that are wrong', async () => {
    const folder = await folderOf({ 'a.yml': { good: cloud() } });
    const environment = { HTTPS_PROXY: 'ftp://proxy' };
    expect(await problemsOf(load(folder, { ...lenient, environment }))).toHaveLength(1);
    const bad = loadConfig({ environment: { OS_AUTH_URL: 'x' }, isLenient: true });
    expect((await problemsOf(bad)).length).toBeGreaterThan(0);
  });
});

describe('a shard', () => {
  it('takes its part of the same files, and the parts are all of them', async () => {
    const all = Array.from({ length: 30 }, (_, index) => `cloud-${index}`);
    const folder = await folderOf({ 'a.yml': Object.fromEntries(all.map((name) => [name, cloud()])) });
    const parts = await Promise.all(
      [0, 1, 2].map(async (ordinal) => namesOf(await load(folder, { shard: { ordinal, total: 3 } }))),
    );
    for (const part of parts) expect(part.length).toBeGreaterThan(0);
    expect(parts.flat().toSorted()).toEqual(all.toSorted());
  });

  it('needs no secret of a cloud that another shard has, and runs without a cloud', async () => {
    const secret = { auth_url: 'https://a.example.com', token_file: '/etc/nowhere/token' };
    const folder = await folderOf({ 'a.yml': { only: secret } });
    const ordinal = shardOf('only', 2);
    expect(await load(folder, { shard: { ordinal: 1 - ordinal, total: 2 } })).toMatchObject({ clouds: [] });
    expect(await problemsOf(load(folder, { shard: { ordinal, total: 2 } }))).toHaveLength(1);
  });
});

import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createFileReader } from '../../src/config/file-reader.ts';
import { loadConfig, type Config } from '../../src/config/load.ts';
import { shardOf } from '../../src/shard.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { loadText, problemsOf, toldOf } from './told.ts';

const fixtures = fileURLToPath(new URL('../fixtures/config/', import.meta.url));

const cloud = (more: object = {}) => ({ auth_url: 'https://cloud.example.com', token: 'abc', ...more });
const load = (file: string | readonly string[], more: object = {}) =>
  loadConfig({ file, environment: {}, ...more });
const namesOf = ({ clouds }: Config) => clouds.map(({ name }) => name);

async function folderOf(files: Record<string, object | string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : stringify({ clouds: content });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

describe('a configuration file', () => {
  it.each(readdirSync(fixtures))('is accepted, or refused with what is wrong and where: %s', async (name) => {
    const file = join(fixtures, name);
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('# expect: '));
    const expected = lines.map((line) => line.slice('# expect: '.length).replaceAll('FILE', file));
    expect(expected.length > 0).toBe(name.endsWith('.bad.yml'));
    expect(await problemsOf(load(file))).toEqual(expected);
  });

  it('takes a list in query as a parameter that is repeated', async () => {
    const query = { filter: ['a', 'b'], scope: 'system' };
    const { clouds } = await loadText(stringify({ clouds: { one: cloud({ query }) } }));
    expect(clouds[0]?.settings.query.join(' ')).toBe('filter,a filter,b scope,system');
  });
});

describe('defaults', () => {
  const shared = `defaults:
  username: me
  password: secret
  project_name: system
  page_size: 10
  labels: { os: os_type }
`;

  it('are what every cloud of the file has, unless it says otherwise', async () => {
    const { clouds } = await loadText(`${shared}  auth_url: https://a
clouds:
  one:
  two: { auth_url: "https://b", page_size: 20, labels: { team: "metadata.team" } }
`);
    expect(clouds.map(({ settings: { page_size, labels } }) => [page_size, labels])).toEqual([
      [10, { os: 'os_type' }],
      [20, { team: 'metadata.team' }],
    ]);
    const folder = await folderOf({
      'a.yml': `${shared}clouds:\n  one: { auth_url: "https://a" }\n`,
      'b.yml': { two: cloud() },
    });
    const sizes = (await load(folder)).clouds.map(({ settings }) => settings.page_size);
    expect(sizes).toEqual([10, 500]);
  });

  it('give way to another way to say the same', async () => {
    const file = join(await temporaryFolder(), 'password');
    await writeFile(file, 'another');
    const { clouds } = await loadText(`${shared}clouds:
  one: { auth_url: "https://a", token: x }
  two: { auth_url: "https://a", password_file: ${file}, user_id: u }
  three: { auth_url: "https://a", domain_name: d }
  four: { auth_url: "https://a", access_key: a, secret_key: b, project_id: p }
`);
    expect(clouds.map(({ credential: { method }, scope }) => [method, scope])).toEqual([
      ['token', { project: { name: 'system' } }],
      ['password', { project: { name: 'system' } }],
      ['password', { domain: { name: 'd' } }],
      ['aksk', { project: { id: 'p' } }],
    ]);
    expect(clouds[1]?.credential).toMatchObject({ user: { id: 'u' } });
  });

  it('are judged once, where they stand', async () => {
    const told = await toldOf(`defaults:
  page_size: 0
  pasword: x
  cacert: /nowhere/ca.pem
clouds:
  one: { auth_url: "https://a", token: x }
  two: { auth_url: "https://a", token: x, page_size: 1 }
`);
    expect(told).toEqual([
      'FILE:2: defaults.page_size: must be at least 1',
      'FILE:3: defaults.pasword: unknown key; did you mean password?',
      'FILE:4: defaults.cacert: /nowhere/ca.pem cannot be read (ENOENT)',
    ]);
    expect(await toldOf({ defaults: 7, clouds: { one: cloud() } })).toEqual([
      expect.stringMatching(/^FILE:1: defaults: is not as it has to be: /),
    ]);
  });

  it('may be told by merge keys as well, and a mistake is found', async () => {
    const merged = (size: number) => `clouds:
  one: &one
    auth_url: https://a
    token: x
    page_size: ${size}
  two: &two { <<: *one, auth_url: "https://b", max_age: 3 }
  three: { <<: [*two, { max_age: 4, page_limit: 5 }], page_size: 30 }
`;
    const { clouds } = await loadText(merged(20));
    expect(clouds.map(({ settings }) => settings)).toMatchObject([
      { auth_url: 'https://a', page_size: 20, max_age: 0, page_limit: 10_000 },
      { auth_url: 'https://b', page_size: 20, max_age: 3000, page_limit: 10_000 },
      { auth_url: 'https://b', page_size: 30, max_age: 3000, page_limit: 5 },
    ]);
    expect(await toldOf(merged(0))).toEqual(
      ['FILE:5: clouds.one', 'FILE:6: clouds.two'].map((at) => `${at}.page_size: must be at least 1`),
    );
    expect(await toldOf('clouds:\n  one:\n    <<: [a]\n    token: x\n')).toEqual([
      'FILE: its aliases (*…) or merge keys (<<) cannot be followed, or repeat too much',
    ]);
  });
});

describe('a folder of files', () => {
  it('is read in the order of their names, links of Kubernetes too, and others are not', async () => {
    const folder = await folderOf({
      'b.yml': { two: cloud() },
      'a.yaml': { one: cloud() },
      'notes.txt': 'not: [yaml',
      '.hidden.yml': 'not: [yaml',
      'old.yml~': 'not: [yaml',
    });
    await mkdir(join(folder, '..data'));
    await writeFile(join(folder, '..data', 'c.yml'), stringify({ clouds: { three: cloud() } }));
    await symlink(join('..data', 'c.yml'), join(folder, 'c.yml'));
    expect(namesOf(await load(folder))).toEqual(['one', 'two', 'three']);
    const other = await folderOf({ 'z.yml': { first: cloud() } });
    expect(namesOf(await load([join(other, 'z.yml'), folder]))).toEqual(['first', 'one', 'two', 'three']);
  });

  it('has every mistake of every file told at once', async () => {
    const empty = await temporaryFolder();
    const folder = await folderOf({
      'a.yml': { one: cloud({ page_size: 0 }), two: cloud() },
      'b.yml': { two: cloud() },
      'c.yml': 'clouds: [',
    });
    expect(await problemsOf(load([folder, '/nowhere/more.yml', empty]))).toEqual([
      `${folder}/a.yml:5: clouds.one.page_size: must be at least 1`,
      `${folder}/b.yml:2: clouds.two: is in another file as well, ${folder}/a.yml:6: clouds.two`,
      expect.stringContaining(`${folder}/c.yml:1: `),
      '--config.file: /nowhere/more.yml cannot be read (ENOENT)',
      `--config.file: ${empty} is a folder without a *.yml or *.yaml file`,
    ]);
  });

  it('that Kubernetes swaps while it is read is read as it was at one moment', async () => {
    const folder = await folderOf({});
    for (const [version, files] of Object.entries({
      old: { 'a.yml': { one: cloud(), two: cloud() }, 'b.yml': { three: cloud() } },
      new: {
        'a.yml': { one: cloud() },
        'b.yml': { three: cloud(), two: cloud() },
        'c.yml': { four: cloud() },
      },
    })) {
      await mkdir(join(folder, version));
      for (const [name, clouds] of Object.entries(files))
        await writeFile(join(folder, version, name), stringify({ clouds }));
    }
    for (const name of ['a.yml', 'b.yml']) await symlink(join('..data', name), join(folder, name));
    const swap = async (version: string) => {
      await rm(join(folder, '..data'), { force: true });
      await symlink(version, join(folder, '..data'));
    };
    const whole = ['one two three', 'one three two four'];
    for (const isGone of [false, true]) {
      await swap('old');
      const real = createFileReader();
      const text = async (path: string) => {
        if (path.endsWith('b.yml')) {
          await swap('new');
          if (isGone) await rm(join(folder, 'old'), { recursive: true, force: true });
        }
        return real.text(path);
      };
      const { clouds } = await load(folder, { files: { ...real, text } });
      expect(clouds.map(({ name }) => name).join(' ')).toBe(whole[Number(isGone)]);
    }
  });

  const lenient = { isLenient: true };

  it.each([
    ['is not YAML', 'clouds: ['],
    ['is empty', ''],
    ['has a good cloud and one with a wrong setting', { fine: cloud(), bad: cloud({ pagesize: 1 }) }],
    ['names a secret that cannot be read', { bad: { auth_url: 'https://a', token_file: '/nowhere/token' } }],
    ['has a cloud that another file has', { good: cloud() }],
  ])('has a bad file left out whole and named, with lenience, if it %s', async (_words, content) => {
    const folder = await folderOf({ 'a.yml': { good: cloud() }, 'b.yml': content });
    const config = await load(folder, lenient);
    expect(namesOf(config)).toEqual(['good']);
    expect(config.rejected.map(({ file }) => file)).toEqual([join(folder, 'b.yml')]);
    expect(config.rejected[0]?.problems.length).toBeGreaterThan(0);
    expect((await problemsOf(load(folder))).length).toBeGreaterThan(0);
  });

  it('needs no secret of a cloud that another shard has', async () => {
    const folder = await folderOf({ 'a.yml': { only: { auth_url: 'https://a', token_file: '/nowhere/t' } } });
    const ordinal = shardOf('only', 2);
    const part = (own: number) => load(folder, { shard: { ordinal: own, total: 2 } });
    expect(await part(1 - ordinal)).toMatchObject({ clouds: [] });
    expect(await problemsOf(part(ordinal))).toHaveLength(1);
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { cloudShape } from '../../src/config/schema.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { account, problemsOf, toldOf, toldOfEnvironment } from './told.ts';

const head = 'clouds:\n  prod:\n    auth_url: https://a\n    username: me\n';
const withPassword = (value: string) => `${head}    password: ${value}\n    page_size: 10\n`;
const wordsOf = (text: string) => text.trim().split(/ +/);

/** One mistake is one problem, and none shows what is marked as a secret. */
async function onlyTold(text: string | Buffer): Promise<string> {
  const [problem, ...others] = await toldOf(text);
  expect(others).toEqual([]);
  expect(problem).not.toContain('S3');
  return problem ?? '';
}

describe('a password without quotes', () => {
  it.each([
    ...wordsOf('@S3 `S3 %S3 *S3 * !S3 !!S3 !<S3 |S3 >S3 ,S3 ]S3 }S3 S3: [S3 {S3'),
    '*S3 x',
    'S3: x',
    ': S3',
    'a: b: c',
    '- S3',
    '? S3',
    '{S3: x',
    ...wordsOf('12345 0123 1e5 0x1f 1.5 .inf true null ~ #S3 &S3 [S3] {S3}'),
    '',
  ])('that means something to YAML is told to be quoted, with its line: %s', async (value) => {
    expect(await onlyTold(withPassword(value))).toMatch(/^FILE:5: .*quote it/);
  });

  const broken = [`'S3`, `"S3`, `'it's'`, `"a"b"`, String.raw`"a\qb"`];
  it.each(broken)('whose quotes do not fit is told so, with its line: %s', async (value) => {
    expect(await onlyTold(withPassword(value))).toMatch(/^FILE:5: is not YAML.* look at the quotes/);
  });

  const fine = `-S3 a&b :S3 a'b a"b =S3 12_3 S3#x "@S3" '12345' $ecret a$b $2y$10$abc a%b%c <3`;
  it.each(wordsOf(fine))('is nothing to complain about otherwise: %s', async (value) => {
    expect(await toldOf(withPassword(value))).toEqual([]);
  });
});

const rest = '    password: x\n    page_size: 10\n    max_age: 5\n    per_host: true\n';
const unfit = 'is not YAML as it stands';
const misplaced = 'is not as it has to be: `clouds:` stands at the top, the name of each cloud';

describe('a wrong indent, or a file that is something else, is one problem in our words', () => {
  it.each<[words: string, text: string | Buffer, expected: string]>([
    ['a blank less', `${head}   password: x\n    page_size: 10\n`, `FILE:5: ${unfit}`],
    ['none', `${head}password: x\n    page_size: 10\n`, unfit],
    ['a blank more', `${head}     password: x\n`, unfit],
    ['all from there', `${head}${rest.replaceAll('    ', '      ')}`, unfit],
    ['a tab', `${head}\tpassword: x\n\tpage_size: 1\n`, `FILE:5: ${unfit}`],
    ['a cloud by one', `${head}    password: x\n   lab:\n    auth_url: x\n`, `FILE:6: ${unfit}`],
    ['a cloud at the side', `${head}    password: x\nlab:\n  auth_url: x\n`, `FILE:6: lab: ${misplaced}`],
    ['no settings', 'clouds:\n  prod:\n  auth_url: x\n  token: y\n', `FILE:3: clouds.auth_url: ${misplaced}`],
    ['no clouds', 'clouds:\nprod:\n  auth_url: x\n', `FILE:2: prod: ${misplaced}`],
    ['one setting', `${head}  password: x\n`, `FILE:5: clouds.password: ${misplaced}`],
    ['two documents', `${head}    password: x\n---\nclouds: {}\n`, `FILE:6: ${unfit}`],
    ['an empty cloud', 'clouds:\n  prod: {}\n', `FILE:2: clouds.prod: ${misplaced}`],
    ['a cloud that is an address', 'clouds:\n  prod: https://a\n', `FILE:2: clouds.prod: ${misplaced}`],
    ['a list of clouds', 'clouds:\n  - name: a\n', `FILE:1: clouds: ${misplaced}`],
    ['no `clouds:`', 'prod:\n  auth_url: https://a\n', `FILE:1: prod: ${misplaced}`],
    ['settings alone', 'auth_url: https://a\ntoken: x\n', `FILE:1: auth_url: ${misplaced}`],
    ['lines for a shell', 'export OS_AUTH_URL=https://a\n', `FILE: the file: ${misplaced}`],
    ['UTF-16', Buffer.from(`\ufeff${head}`, 'utf16le'), 'FILE: is not UTF-8; save it as that'],
    ['Latin-1', Buffer.from(`# für\n${head}`, 'latin1'), 'FILE: is not UTF-8; save it as that'],
    ['a template', `${head}    password: {{ secret }}\n`, `FILE:5: ${unfit}`],
    ['two keys that are one', `${head}    1: a\n    "1": b\n`, 'FILE:6: two keys of this map are the same'],
    ['a key that is none', 'clouds:\n  ? [a, b]\n  : {}\n', unfit],
    ['a merge', 'clouds:\n  prod:\n    <<<<<<< HEAD\n    username: me\n', 'FILE:3: '],
  ])('%s', async (_words, text, expected) => {
    expect(await onlyTold(text)).toContain(expected);
  });
});

describe('an address', () => {
  it('of the identity service that goes on is refused', async () => {
    const words = 'OS_AUTH_URL: must end in /v3 or before it, such as https://cloud.example.com:30500/v3';
    const ends =
      '/v3/v3 /v3/v3/ /v2.0 /V3 /v3/auth/ /auth/tokens /identity/v2.0/tokens /identity//v3//auth/tokens';
    for (const end of wordsOf(ends)) {
      const OS_AUTH_URL = `https://a:5000${end}`;
      expect(await toldOfEnvironment({ ...account, OS_AUTH_URL }), end).toEqual([words]);
    }
    const right =
      'https://a https://a/ https://a/v3/ https://a/auth/v3 https://a/gateway/v1 https://a/v2/b/v3';
    for (const fine of wordsOf(right))
      expect(await toldOfEnvironment({ ...account, OS_AUTH_URL: fine }), fine).toEqual([]);
  });

  it('with blanks inside it, or that is none, is refused with words', async () => {
    for (const text of [
      'https://a.exa mple.com',
      'https://a.exa\nmple.com',
      'https://a/v v',
      'https://',
      'x',
    ])
      for (const variable of ['OS_AUTH_URL', 'CLOUD_BASE_URL'])
        expect(await toldOfEnvironment({ ...account, [variable]: text })).toEqual([
          expect.stringMatching(new RegExp(`^${variable}: is not a URL`)),
        ]);
  });

  it('of a proxy with a percent sign that stands for nothing is refused', async () => {
    const words = 'has a percent sign in its user name or password that stands for nothing; write it as %25';
    for (const proxy_url of wordsOf('http://u:100%@proxy:3128 http://100%:pass@proxy:3128 http://u:%zz@p')) {
      const told = await toldOf({ clouds: { one: { auth_url: 'https://a', token: 'a', proxy_url } } });
      expect(told).toEqual([`FILE:5: clouds.one.proxy_url: ${words}`]);
      const more = { HTTPS_PROXY: proxy_url };
      expect(await toldOfEnvironment({ ...account, ...more })).toEqual([`HTTPS_PROXY: ${words}`]);
    }
  });
});

describe('a query', () => {
  it.each([
    ['scope: system', 'has a part that is no name=value'],
    ['scope', 'has a part that is no name=value'],
    ['"scope=system"', 'has a part that is no name=value'],
    ['a&scope=system', 'has a part that is no name=value'],
    ['scope=galaxy', 'has a scope that is none of system, domain'],
    ['scope=system;pending_delete=all', 'has a scope that is none of system, domain'],
    ['scope=system,pending_delete=all', 'has a scope that is none of system, domain'],
    ['scope=sytem', 'has a scope that is none of system, domain'],
  ])('that the platform would not take as it is meant is refused: %s', async (query, words) => {
    const cloud = { auth_url: 'https://a', token: 'x', query };
    const problems = [expect.stringContaining(words)];
    expect(await toldOf({ clouds: { prod: cloud } })).toEqual(problems);
    expect(await toldOfEnvironment({ ...account, CLOUD_QUERY: query })).toEqual(problems);
  });
});

describe('a message about the configuration', () => {
  const unshown = ': has an unknown key, which is not shown since it may be a secret';
  it.each([
    ['identity_api_version', '.identity_api_version: unknown key'],
    ...['password:S3CRET', 'S3CRET', 'hunter2', '"two words"'].map((key) => [key, unshown]),
  ])('shows an unknown key if it is a plain word in small letters: %s', async (key, words) => {
    expect(await toldOf(`${withPassword('x')}    ${key}: 1\n`)).toEqual([`FILE:7: clouds.prod${words}`]);
  });

  it.each([
    ['user', 'username'],
    ['url', 'auth_url'],
    ['insecure', 'insecure_skip_verify'],
    ['domain', 'user_domain_name'],
    ['region', 'region_name'],
  ])('names the setting that is called %s elsewhere', async (key, name) => {
    const words = `FILE:7: clouds.prod.${key}: unknown key; did you mean ${name}?`;
    expect(await toldOf(`${withPassword('x')}    ${key}: 1\n`)).toEqual([words]);
  });

  it.each([
    ...[
      'password:S3CRET',
      'password S3CRET: x',
      'token-S3CRET: x',
      'cert: a\n    key: "-----BEGIN PRIVATE KEY-----\\nS3CRET"',
      'labels: {team: "S3CRET !"}',
      'auth_url: "https://me:S3CRET@a"',
      'proxy_url: "ftp://me:S3CRET@a"',
    ].map((line) => `clouds:\n  one:\n    ${line}\n`),
    'password:S3CRET: x\n',
    'clouds:\n  one: S3CRET\n',
    'S3CRET\n',
  ])('does not tell a secret that is out of place: %j', async (text) => {
    const told = await toldOf(text);
    expect(told).not.toEqual([]);
    expect(told.join()).not.toContain('S3CRET');
  });

  it('never tells a value, wherever it stands', async () => {
    const file = join(await temporaryFolder(), 'clouds.yml');
    const texts = ['S3CRET', 'S3CRET\nS3CRET', 'https://S3CRET x', '/etc/S3CRET/', '*S3CRET', '/S3CRET'];
    const value = fc.constantFrom<unknown>(...texts, ['S3CRET'], { a: 'S3CRET' });
    const keys = fc.constantFrom(...Object.keys(cloudShape));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, value, { minKeys: 1, maxKeys: 6 }), async (settings) => {
        await writeFile(file, JSON.stringify({ clouds: { one: settings } }));
        expect((await problemsOf(loadConfig({ file, environment: {} }))).join()).not.toContain('S3CRET');
      }),
      { numRuns: 100 },
    );
  });
});

describe('a large file', () => {
  const most = 60_000;
  /** So many lines of this kind as have so many letters, with their numbers in place of N. */
  const many = (line: string, length = most) =>
    Array.from({ length: length / line.length }, (_, index) =>
      line.replaceAll('N+1', String(index + 1)).replaceAll('N', String(index)),
    ).join('\n');
  const cloud = 'clouds:\n  a:\n    auth_url: https://a\n    token: x\n';

  it.each([
    ['keys', `clouds:\n${many('  kN: {}')}`],
    ['aliases', `clouds:\n  a: &a\n    token: ${'x'.repeat(most / 2)}\n${many('  kN: *a')}`],
    ['merges', `clouds:\n  a0: &a0 {token: x}\n${many('  aN+1: &aN+1 {<<: *aN, kN: 1}')}`],
    ['a bomb', `a: &a0 [x]\n${many(`bN: &aN+1 [${'*aN,'.repeat(10)}]`, 5000)}`],
    ['open quotes', many('a: "b')],
    ['defaults', `defaults:\n${many('  kN: a')}\nclouds:\n${many('  kN: {token: a}')}`],
  ])('is judged in time and in few words, whatever it is full of: %s', async (_words, text) => {
    const told = await toldOf(text);
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(51);
    expect(told.join('\n').length).toBeLessThan(20_000);
  });

  it('of more than 1 MiB is refused, and else its first fifty problems are told', async () => {
    const large = await toldOf(`${cloud}${'#'.repeat(2 ** 20)}\n`);
    expect(large).toEqual(['--config.file: FILE is larger than 1 MiB']);
    const told = await toldOf(`clouds:\n${many('  kN:', 10_000)}`);
    expect(told).toHaveLength(51);
    expect(told.at(-1)).toMatch(/^and [12]\d{3} more problems$/);
  });
});

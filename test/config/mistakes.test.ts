import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/simulated.ts';

/** What is said about a file with this in it: problems, or warnings. */
async function toldOf(content: string | Buffer, environment: Record<string, string> = {}): Promise<string[]> {
  const file = join(await temporaryFolder(), 'clouds.yml');
  await writeFile(file, content);
  const told = await loadConfig({ file, environment }).then(
    ({ warnings }) => warnings,
    (error: unknown) => {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    },
  );
  return told.map((line) => line.replaceAll(file, 'FILE'));
}

const head = 'clouds:\n  prod:\n    auth_url: https://a\n    username: me\n';
const withPassword = (value: string) => `${head}    password: ${value}\n    page_size: 10\n`;

describe('a password without quotes', () => {
  it.each([
    '@S3',
    '`S3',
    '%S3',
    '*S3',
    '*S3 x',
    '*',
    '!S3',
    '!!S3',
    '!<S3',
    '|S3',
    '>S3',
    ',S3',
    ']S3',
    '}S3',
  ])('that begins with a letter of YAML is told to be quoted, with its line: %s', async (value) => {
    const [problem, ...others] = await toldOf(withPassword(value));
    expect(others).toEqual([]);
    expect(problem).toMatch(/^FILE:5: password: .*quote it/);
    expect(problem).not.toContain('S3');
  });

  it.each(['S3: x', 'S3:', ': S3', 'a: b: c', '- S3', '? S3', '[S3', '{S3', '{S3: x'])(
    'that looks like more than a text is told to be quoted, with its line: %s',
    async (value) => {
      const [problem, ...others] = await toldOf(withPassword(value));
      expect(others).toEqual([]);
      expect(problem).toMatch(/^FILE:5: password: .*quote it/);
      expect(problem).not.toContain('S3');
    },
  );

  it.each([
    '12345',
    '0123',
    '1e5',
    '0x1f',
    '1.5',
    '.inf',
    'true',
    'null',
    '~',
    '#S3',
    '&S3',
    '[S3]',
    '{S3}',
    '',
  ])('that is no text, or none at all, is told to be quoted, with its line: %s', async (value) => {
    const [problem, ...others] = await toldOf(withPassword(value));
    expect(others).toEqual([]);
    expect(problem).toMatch(/^FILE:5: clouds\.prod\.password: .*quote it$/);
    expect(problem).not.toContain('S3');
  });

  it.each([`'S3`, `"S3`, `'it's'`, `"a"b"`, String.raw`"a\qb"`])(
    'whose quotes do not fit is told so, with its line: %s',
    async (value) => {
      const [problem, ...others] = await toldOf(withPassword(value));
      expect(others).toEqual([]);
      expect(problem).toMatch(/^FILE:5: password: (its|in double) quotes/);
    },
  );

  it.each(['-S3', 'a&b', ':S3', "a'b", 'a"b', '=S3', '12_3', 'S3#x', '"@S3"', "'12345'"])(
    'is nobody to complain about otherwise: %s',
    async (value) => {
      expect(await toldOf(withPassword(value))).toEqual([]);
    },
  );
});

describe('a wrong indent is one mistake', () => {
  const rest = '    password: x\n    page_size: 10\n    max_age: 5\n    per_host: true\n';

  it.each([
    ['a blank less', `${head}   password: x\n    page_size: 10\n`, 'FILE:5: password: is indented less'],
    ['two less', `${head}  password: x\n    page_size: 10\n`, 'FILE:5: password: is indented less'],
    ['none', `${head}password: x\n    page_size: 10\n`, 'FILE:5: password: is indented less'],
    ['a blank more', `${head}     password: x\n`, 'FILE:5: password: is indented deeper'],
    ['all from there', `${head}${rest.replaceAll('    ', '      ')}`, 'FILE:5: password: is indented deeper'],
    ['a tab', `${head}\tpassword: x\n\tpage_size: 1\n`, 'FILE:5: password: a tab stands where blanks belong'],
    ['a cloud by one', `${head}    password: x\n   lab:\n    auth_url: x\n`, 'FILE:6: lab: is indented less'],
    [
      'a cloud at the side',
      `${head}    password: x\nlab:\n  auth_url: x\n`,
      'FILE:6: lab: stands beside clouds',
    ],
    [
      'a cloud too deep',
      `${head}    password: x\n    lab:\n      auth_url: x\n`,
      'FILE:6: clouds.prod.lab: is a cloud',
    ],
    [
      'no settings',
      'clouds:\n  prod:\n  auth_url: x\n  token: y\n  page_size: 1\n',
      'FILE:3: clouds.auth_url: is a',
    ],
    [
      'no cloud',
      'clouds:\n  auth_url: x\n  token: y\n  page_size: 1\n',
      'FILE:2: clouds.auth_url: is a setting',
    ],
    [
      'no clouds',
      'clouds:\nprod:\n  auth_url: x\n  token: y\n',
      'FILE:1: clouds: is empty; indent the clouds',
    ],
    ['one setting', `${head}  password: x\n`, 'FILE:5: clouds.password: is a setting where the name'],
    ['one at the top', `${head}password: x\nmax_age: 3\n`, 'FILE:5: password: stands at the top'],
    [
      'labels',
      `${head}    password: x\n    labels:\n    team: os_type\n    owner: name\n`,
      'FILE:6: clouds.prod.labels: is empty; indent what belongs below it',
    ],
  ])('%s', async (_words, text, expected) => {
    const [problem, ...others] = await toldOf(text);
    expect(others).toEqual([]);
    expect(problem).toContain(expected);
  });

  it('and a line that is no setting is one, too', async () => {
    for (const line of ['auth_url https://a', 'auth_url=https://a', 'auth_url:https://a', '<<<<<<< HEAD']) {
      const told = await toldOf(`clouds:\n  prod:\n    ${line}\n    username: me\n    password: x\n`);
      expect(told).toEqual([expect.stringMatching(/^FILE:3: .*is no "key: value"/)]);
    }
  });
});

describe('a file that is something else', () => {
  const openStack = `clouds:
  prod:
    auth:
      auth_url: https://a
      username: me
      project_name: system
    region_name: RegionOne
    identity_api_version: 3
`;

  it.each([
    ['two documents', `${head}    password: x\n---\nclouds: {}\n`, 'FILE:6: a second document begins (---)'],
    ['an empty cloud', 'clouds:\n  prod:\n', 'FILE:2: clouds.prod: is empty; it needs auth_url'],
    ['an empty cloud in braces', 'clouds:\n  prod: {}\n', 'FILE:2: clouds.prod: is empty; it needs auth_url'],
    ['a cloud that is an address', 'clouds:\n  prod: https://a\n', 'FILE:2: clouds.prod: must hold settings'],
    ['a list of clouds', 'clouds:\n  - name: a\n', 'FILE:1: clouds: must map the name of each cloud'],
    ["OpenStack's", openStack, "FILE:3: clouds.prod.auth: is as in OpenStack's clouds.yaml; move"],
    [
      'a file without `clouds:`',
      'prod:\n  auth_url: https://a\n  token: x\n',
      'FILE:1: clouds: is missing above',
    ],
    [
      'settings alone',
      'auth_url: https://a\ntoken: x\n',
      'FILE:1: auth_url: stands at the top; indent it below',
    ],
    ['lines for a shell', 'export OS_AUTH_URL=https://a\n', 'FILE: the file has no settings; it begins with'],
    [
      'UTF-16',
      Buffer.from(`\ufeff${head}`, 'utf16le'),
      'FILE: is UTF-16 or no text at all; save it as UTF-8',
    ],
    ['UTF-16 without a mark', Buffer.from(head, 'utf16le'), 'FILE: is UTF-16 or no text at all'],
    ['Latin-1', Buffer.from(`# für\n${head}`, 'latin1'), 'FILE: is not UTF-8; save it as that'],
    ['a template', `${head}    password: {{ secret }}\n`, 'FILE:5: password: a key must be a simple name'],
  ])('is told in our words: %s', async (_words, text, expected) => {
    const [problem, ...others] = await toldOf(text);
    expect(others).toEqual([]);
    expect(problem).toContain(expected);
  });

  it('but may begin with a byte order mark', async () => {
    expect(await toldOf(`\ufeff${withPassword('x')}`)).toEqual([]);
  });

  it('has every empty cloud and every one of OpenStack told', async () => {
    expect(await toldOf(`${openStack}  lab:\n  third: {}\n`)).toHaveLength(3);
  });
});

describe('an address of the identity service', () => {
  it.each([
    ['https://a:5000/v3/v3', 'https://a:5000/v3'],
    ['https://a/v3/v3/', 'https://a/v3'],
    ['https://a/v2.0', 'https://a/v3'],
    ['https://a/v2', 'https://a/v3'],
    ['https://a/V3', 'https://a/v3'],
    ['https://a/identity/v2.0/tokens', 'https://a/identity/v3'],
    ['https://a:30500/v3/auth/tokens', 'https://a:30500/v3'],
    ['https://a/v3/auth/tokens/', 'https://a/v3'],
    ['https://a/v3/auth', 'https://a/v3'],
    ['https://a/identity//v3//auth/tokens', 'https://a/identity/v3'],
    ['https://a/auth/tokens', 'https://a/v3'],
  ])('that is not where it begins is refused, and the right one suggested: %s', async (given, right) => {
    expect(await toldOf(`clouds:\n  prod:\n    auth_url: ${given}\n    token: x\n`)).toEqual([
      `FILE:3: clouds.prod.auth_url: must end in /v3 or before it; did you mean ${right}?`,
    ]);
  });

  it.each([
    'https://a',
    'https://a/',
    'https://a/v3',
    'https://a/v3/',
    'https://a/identity',
    'https://a/auth/v3',
    'https://a/gateway/v1',
  ])('may be %s', async (given) => {
    expect(await toldOf(`clouds:\n  prod:\n    auth_url: ${given}\n    token: x\n`)).toEqual([]);
  });
});

describe('what is taken as it stands', () => {
  it.each([
    '${OS_PASSWORD}',
    '"${OS_PASSWORD:-x}"',
    '$OS_PASSWORD',
    '"%OS_PASSWORD%"',
    '$(cat secret)',
    '"{{ secret }}"',
    '<your password>',
    '"“quoted”"',
  ])('is warned about if it looks like something else: %s', async (value) => {
    const [warning, ...others] = await toldOf(withPassword(value));
    expect(others).toEqual([]);
    expect(warning).toMatch(/^FILE:5: clouds\.prod\.password: (looks like|begins with)/);
    expect(warning).not.toContain('OS_PASSWORD');
  });

  it.each(['$ecret', 'a$b', '$2y$10$abc', 'a%b%c', '<3'])('is a password otherwise: %s', async (value) => {
    expect(await toldOf(withPassword(value))).toEqual([]);
  });

  it.each([
    '"scope: system"',
    'scope',
    '"{scope: system}"',
    '\'"scope=system"\'',
    'pending_delete',
    'a&scope=system',
  ])('is warned about if it is no parameter: query: %s', async (value) => {
    expect(await toldOf(`${withPassword('x')}    query: ${value}\n`)).toEqual([
      expect.stringMatching(/^FILE:7: clouds\.prod\.query: has a part that is no name=value/),
    ]);
    const account = { OS_AUTH_URL: 'https://a', OS_TOKEN: 'x', CLOUD_QUERY: 'scope: system' };
    const { warnings } = await loadConfig({ environment: account });
    expect(warnings).toEqual([expect.stringMatching(/^CLOUD_QUERY: has a part that is no name=value/)]);
  });

  it.each(['scope=galaxy', 'scope=system;pending_delete=all', 'scope=system,pending_delete=all'])(
    'is warned about if it is a scope that the platform would ignore: %s',
    async (value) => {
      expect(await toldOf(`${withPassword('x')}    query: ${value}\n`)).toEqual([
        expect.stringMatching(/^FILE:7: clouds\.prod\.query: has a scope that is none of system, domain/),
      ]);
    },
  );
});

describe('a file of a secret', () => {
  const fileOf = async (content: string | Buffer) => {
    const file = join(await temporaryFolder(), 'password');
    await writeFile(file, content);
    return file;
  };

  it('may begin with a byte order mark, which is warned about and left out', async () => {
    const environment = { OS_AUTH_URL: 'https://a', OS_TOKEN_FILE: await fileOf('\ufeffhunter2\n') };
    const { clouds, warnings } = await loadConfig({ environment });
    expect(warnings).toEqual([
      expect.stringMatching(/^OS_TOKEN_FILE: .*password begins with a byte order mark/),
    ]);
    expect(clouds[0]?.credential).toMatchObject({ method: 'token' });
    const { token } = clouds[0]!.credential as unknown as { token: () => Promise<string> };
    expect(await token()).toBe('hunter2');
  });

  it('is refused when it is UTF-16', async () => {
    const OS_TOKEN_FILE = await fileOf(Buffer.from('\ufeffhunter2\r\n', 'utf16le'));
    await expect(loadConfig({ environment: { OS_AUTH_URL: 'https://a', OS_TOKEN_FILE } })).rejects.toThrow(
      `OS_TOKEN_FILE: ${OS_TOKEN_FILE} is UTF-16 or no text at all; save it as UTF-8`,
    );
  });
});

describe('defaults', () => {
  const load = async (text: string) => {
    const file = join(await temporaryFolder(), 'clouds.yml');
    await writeFile(file, text);
    return loadConfig({ file, environment: {} });
  };
  const shared = `defaults:
  username: me
  password: secret
  project_name: system
  page_size: 10
  labels: { os: os_type }
`;

  it('are what every cloud has, unless it says otherwise', async () => {
    const { clouds } = await load(`${shared}clouds:
  one: { auth_url: "https://a" }
  two: { auth_url: "https://b", page_size: 20, labels: { team: "metadata.team" } }
`);
    expect(clouds.map(({ settings: { page_size, labels } }) => [page_size, labels])).toEqual([
      [10, { os: 'os_type' }],
      [20, { team: 'metadata.team' }],
    ]);
  });

  it('give way to another way to say the same', async () => {
    const file = join(await temporaryFolder(), 'password');
    await writeFile(file, 'another');
    const { clouds } = await load(`${shared}clouds:
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

  it('may be all that a cloud has', async () => {
    expect((await load(`${shared}  auth_url: https://a\nclouds:\n  one:\n`)).clouds).toHaveLength(1);
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
    expect(await toldOf(`defaults: 7\nclouds:\n  one: { auth_url: "https://a", token: x }\n`)).toEqual([
      'FILE:1: defaults: must hold settings that every cloud has unless it says otherwise',
    ]);
  });

  it('are for the clouds of their file', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'd'));
    await writeFile(join(folder, 'd', 'a.yml'), `${shared}clouds:\n  one: { auth_url: "https://a" }\n`);
    await writeFile(join(folder, 'd', 'b.yml'), 'clouds:\n  two: { auth_url: "https://b", token: x }\n');
    const { clouds } = await loadConfig({ file: join(folder, 'd'), environment: {} });
    expect(clouds.map(({ name, settings }) => [name, settings.page_size])).toEqual([
      ['one', 10],
      ['two', 1000],
    ]);
  });

  it('may be told by merge keys as well, and a mistake is found where it was written', async () => {
    const merged = (size: number) => `clouds:
  one: &one
    auth_url: https://a
    token: x
    page_size: ${size}
  two: &two
    <<: *one
    auth_url: https://b
    max_age: 3
  three:
    <<: [*two, { max_age: 4, page_limit: 5 }]
    page_size: 30
`;
    const { clouds } = await load(merged(20));
    expect(
      clouds.map(({ settings: { auth_url, page_size, max_age, page_limit } }) => [
        auth_url,
        page_size,
        max_age,
        page_limit,
      ]),
    ).toEqual([
      ['https://a', 20, 0, 10_000],
      ['https://b', 20, 3000, 10_000],
      ['https://b', 30, 3000, 5],
    ]);
    expect(await toldOf(merged(0))).toEqual([
      'FILE:5: clouds.one.page_size: must be at least 1',
      'FILE:5: clouds.two.page_size: must be at least 1',
    ]);
    expect(await toldOf('clouds:\n  one:\n    <<: [a]\n    token: x\n')).toEqual([
      'FILE:3: << needs an alias of a map, or a list of such aliases',
    ]);
  });
});

describe('an unknown key', () => {
  it.each([
    ['identity_api_version', 'clouds.prod.identity_api_version: unknown key'],
    ['wibble', 'clouds.prod.wibble: unknown key'],
    ['S3CRET', 'clouds.prod: has an unknown key, which is not shown since it may be a secret'],
    ['hunter2', 'clouds.prod: has an unknown key, which is not shown since it may be a secret'],
    ['"two words"', 'clouds.prod: has an unknown key, which is not shown since it may be a secret'],
  ])('is shown if it is a plain word in small letters: %s', async (key, expected) => {
    expect(await toldOf(`${withPassword('x')}    ${key}: 1\n`)).toEqual([`FILE:7: ${expected}`]);
  });
});

describe('a large file', () => {
  /** Of what was once compared with everything before it, so much took half a minute. */
  const most = 200_000;
  const many = (line: (index: number) => string, length = most) => {
    const lines: string[] = [];
    for (let size = 0, index = 0; size < length; index += 1) {
      lines.push(line(index));
      size += lines.at(-1)!.length;
    }
    return lines.join('');
  };
  const cloud = 'clouds:\n  a:\n    auth_url: https://a\n    token: x\n';

  it('of more than 1 MiB is refused', async () => {
    expect(await toldOf(`${cloud}${'#'.repeat(2 ** 20)}\n`)).toEqual([
      '--config.file: FILE is larger than 1 MiB',
    ]);
  });

  it.each([
    ['keys', `clouds:\n${many((index) => `  k${index}: {}\n`)}`],
    ['unknown keys', `${cloud}${many((index) => `    page_sise${index}: 1\n`)}`],
    ['keys at the top', many((index) => `k${index}: 1\n`)],
    ['clouds', `clouds:\n${many((index) => `  k${index}: {auth_url: "https://a", tokn: a}\n`)}`],
    ['labels', `${cloud}    labels:\n${many((index) => `      k-${index}: 1\n`)}`],
    ['parameters', `${cloud}    query: {limit: [${'1,'.repeat(most / 2)}]}\n`],
    ['braces', '['.repeat(most)],
    ['dashes', '- '.repeat(most / 2)],
    ['anchors', many((index) => `- &a${index} 1\n`)],
    [
      'aliases',
      `clouds:\n  a: &a\n    token: ${'x'.repeat(most / 2)}\n${many((index) => `  k${index}: *a\n`, most / 2)}`,
    ],
    [
      'merges',
      `clouds:\n  a0: &a0 {token: x}\n${many((index) => `  a${index + 1}: &a${index + 1} {<<: *a${index}, k${index}: 1}\n`)}`,
    ],
    [
      'a bomb',
      `a: &a0 [x]\n${many((index) => `b${index}: &a${index + 1} [${`*a${index},`.repeat(10)}]\n`, 5000)}`,
    ],
    ['mistakes', `a: "${'\\q'.repeat(most / 2)}"\n`],
    ['tabs', `a:\n${'\tb: 1\n'.repeat(most / 6)}`],
    ['slashes', `clouds:\n  a:\n    auth_url: https://a${'/'.repeat(most)}x\n`],
    [
      'defaults',
      `defaults:\n${many((index) => `  k${index}: a\n`, most / 2)}clouds:\n${many((index) => `  k${index}: {token: a}\n`, most / 2)}`,
    ],
  ])('is judged in time and in few words, whatever it is full of: %s', async (_words, text) => {
    const told = await toldOf(text);
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(51);
    expect(told.join('\n').length).toBeLessThan(20_000);
  });

  it('has the first fifty of its problems told, and how many more there are', async () => {
    const told = await toldOf(`clouds:\n${many((index) => `  k${index}:\n`, 20_000)}`);
    expect(told).toHaveLength(51);
    expect(told.at(-1)).toMatch(/^and [12]\d{3} more problems$/);
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFileReader } from '../../src/config/file-reader.ts';
import { ConfigError, loadConfig } from '../../src/config/load.ts';
import { cloudShape } from '../../src/config/schema.ts';
import { readWebFile } from '../../src/config/web/file.ts';
import { parseFlags } from '../../src/flags.ts';
import { proxyFor } from '../../src/transport/connections.ts';
import { temporaryFolder } from '../support/simulated.ts';

const account = { OS_AUTH_URL: 'https://a.example.com', OS_USERNAME: 'me', OS_PASSWORD: 'pass' };

async function problemsOf(load: Promise<unknown>): Promise<string> {
  return load.then(
    () => '',
    (error: unknown) => {
      if (error instanceof ConfigError) return error.message;
      throw error;
    },
  );
}

async function problemsOfText(text: string): Promise<string> {
  const file = join(await temporaryFolder(), 'clouds.yml');
  await writeFile(file, text);
  return (await problemsOf(loadConfig({ file, environment: {} }))).replaceAll(file, 'FILE');
}

describe('an address', () => {
  it.each(['https://a.example.com:30500/v3 ', ' https://a.example.com', '\thttps://a.example.com\n'])(
    'with blanks around it is taken without them: %j',
    async (text) => {
      const environment = { ...account, OS_AUTH_URL: text, CLOUD_BASE_URL: text };
      const [cloud] = (await loadConfig({ environment })).clouds;
      expect(cloud?.settings).toMatchObject({ auth_url: text.trim(), base_url: text.trim() });
    },
  );

  it.each([
    'https://a.example .com',
    'https://a.exa\nmple.com',
    'https://a.example.com/v3 v',
    'https://',
    'x',
  ])('with blanks inside it, or that is none, is refused with words: %j', async (text) => {
    for (const variable of ['OS_AUTH_URL', 'CLOUD_BASE_URL'])
      expect(await problemsOf(loadConfig({ environment: { ...account, [variable]: text } }))).toMatch(
        new RegExp(`^${variable}: is not a URL`),
      );
  });

  it('that is taken can be followed by the paths of the platform, whatever it is', async () => {
    const pieces = fc.constantFrom(
      'https://',
      'a',
      '.',
      ':',
      '8',
      '/',
      'v3',
      ' ',
      '\t',
      '\\',
      '[',
      ']',
      '%',
      '::1',
    );
    const address = fc.oneof(
      fc.array(pieces, { maxLength: 9 }).map((parts) => `https://a${parts.join('')}`),
      fc.webUrl({ withQueryParameters: false }),
      fc.string({ unit: 'binary' }).map((text) => `https://a.example.com${text}`),
    );
    await fc.assert(
      fc.asyncProperty(address, async (text) => {
        const loaded = loadConfig({ environment: { ...account, OS_AUTH_URL: text } });
        const config = await loaded.catch((error: unknown) => {
          if (error instanceof ConfigError) return undefined;
          throw error;
        });
        const taken = config?.clouds[0]?.settings.auth_url;
        if (taken !== undefined) expect(URL.canParse(`${taken}/v3/auth/tokens`)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the address of a proxy', () => {
  it.each(['http://user:100%@proxy:3128', 'http://100%:pass@proxy:3128', 'http://u:%zz@proxy'])(
    'with a percent sign that stands for nothing is refused: %s',
    async (proxy_url) => {
      const words =
        'has a percent sign in its user name or password that stands for nothing; write it as %25';
      const text = JSON.stringify({
        clouds: { one: { auth_url: 'https://a', token: 'a', proxy_url } },
      });
      expect(await problemsOfText(text)).toContain(`clouds.one.proxy_url: ${words}`);
      expect(await problemsOf(loadConfig({ environment: { ...account, HTTPS_PROXY: proxy_url } }))).toBe(
        `HTTPS_PROXY: ${words}`,
      );
    },
  );

  it('may have blanks around it', async () => {
    const environment = { ...account, HTTPS_PROXY: ' proxy.example.com:3128 ' };
    const [cloud] = (await loadConfig({ environment })).clouds;
    expect(proxyFor(new URL('https://a'), cloud!.proxy)?.href).toBe('http://proxy.example.com:3128/');
  });
});

describe('keys that JavaScript would make one of, or none,', () => {
  const cloud = '{auth_url: "https://a", token: a}';

  it.each([
    ['a number and the same quoted', `clouds:\n  1: ${cloud}\n  "1": ${cloud}\n`, '3:'],
    ['true and the same quoted', `clouds:\n  "true": ${cloud}\n  true: ${cloud}\n`, '3: true:'],
    ['nothing and an empty text', `clouds:\n  ~: ${cloud}\n  "": ${cloud}\n`, '3:'],
  ])('are refused: %s', async (_words, text, place) => {
    expect(await problemsOfText(text)).toBe(
      `FILE:${place} two keys of this map are the same name, quoted or not`,
    );
  });

  it.each([`clouds:\n  __proto__: ${cloud}\n`, `clouds:\n  one:\n    __proto__: {token: a}\n`])(
    'are refused: __proto__ in %j',
    async (text) => {
      expect(await problemsOfText(text)).toContain('__proto__ is not a usable name');
    },
  );

  it('are refused as a user of the web configuration, too', async () => {
    const file = join(await temporaryFolder(), 'web.yml');
    const hash = '$2y$10$OCHVQNhCIK6ZBJhIROIcduF2DmcOLtsp3TBkQMCbU2hy7HJ.tCz7G';
    for (const users of [`{__proto__: ${hash}}`, `{1: ${hash}, "1": ${hash}}`]) {
      await writeFile(file, `basic_auth_users: ${users}\n`);
      expect(await readWebFile(file, createFileReader())).toHaveProperty('problems');
    }
  });

  it('are refused when they are no names at all', async () => {
    expect(await problemsOfText(`clouds:\n  ? [a, b]\n  : ${cloud}\n`)).toContain('must be a simple name');
  });

  it('may be numbers otherwise, with their place told', async () => {
    expect(await problemsOfText(`clouds:\n  7: {auth_url: "https://a", token: a, page_size: 0}\n`)).toContain(
      'clouds.7.page_size: must be at least 1',
    );
  });
});

describe('--web.telemetry-path', () => {
  const pathOf = (path: string) => parseFlags([`--web.telemetry-path=${path}`]);

  it.each([
    '/probe',
    '/PROBE',
    '/probe/',
    '/sd/servers',
    '/sd/clouds',
    '/-/healthy',
    '/-/ready',
    '/-/reload',
  ])('must not be a path that is ours already: %s', (path) => {
    expect(pathOf(path)).toEqual({
      problems: [expect.stringContaining('which the exporter has for something else; choose another')],
    });
  });

  it.each(['/', '//', '/./', '/a/../probe', '/a//b', 'metrics', '/a b', '/:a', '/*', ''])(
    'must be a plain path: %j',
    (path) => {
      expect(pathOf(path)).toHaveProperty('problems');
    },
  );

  it.each(['/metrics', '/probe2', '/sd', '/federate/cloud', '/-/metrics'])('may be %s', (path) => {
    expect(pathOf(path)).toMatchObject({ arguments: { telemetryPath: path } });
  });
});

describe('a message about the configuration', () => {
  const secret = 'S3CRETofMine';

  it.each([
    ['a blank is missing', `clouds:\n  one:\n    auth_url: "https://a"\n    password:${secret}\n`],
    ['a blank is missing, and a colon follows', `clouds:\n  one:\n    password:${secret}: x\n`],
    ['a blank is missing at the top', `password:${secret}: x\n`],
    ['it is a key itself', `clouds:\n  one:\n    ${secret}: x\n`],
    ['it follows a key', `clouds:\n  one:\n    password ${secret}: x\n`],
    ['it is glued to a key', `clouds:\n  one:\n    token-${secret}: x\n`],
    ['a key is pasted', `clouds:\n  one:\n    cert: a\n    key: "-----BEGIN PRIVATE KEY-----\\n${secret}"\n`],
    ['it stands where its file belongs', `clouds:\n  one:\n    username: a\n    password_file: ${secret}\n`],
    ['it has slashes there', `clouds:\n  one:\n    username: a\n    password_file: a/${secret}\n`],
    ['it is the source of a label', `clouds:\n  one:\n    labels: {team: "${secret} !"}\n`],
    ['it is a list', `clouds:\n  one:\n    password: [${secret}]\n`],
    ['it is a whole cloud', `clouds:\n  one: ${secret}\n`],
    ['it is all there is', `${secret}\n`],
    ['it is in an address', `clouds:\n  one:\n    auth_url: "https://me:${secret}@a"\n`],
    ['it is in the address of a proxy', `clouds:\n  one:\n    proxy_url: "ftp://me:${secret}@a"\n`],
  ])('does not tell a secret when %s', async (_words, text) => {
    const told = await problemsOfText(text);
    expect(told).not.toBe('');
    expect(told).not.toContain('S3CRET');
  });

  it('says what to do about a blank that is missing', async () => {
    expect(await problemsOfText(`clouds:\n  one:\n    password:${secret}: x\n`)).toContain(
      'FILE:3: clouds.one: a blank is missing after "password:"',
    );
  });

  it('never tells a value, wherever it stands', async () => {
    const file = join(await temporaryFolder(), 'clouds.yml');
    const value = fc.oneof(
      fc.constantFrom<unknown>(
        secret,
        [secret],
        { a: secret },
        `${secret}\n${secret}`,
        `https://${secret} x`,
      ),
      fc.constantFrom<unknown>(`/etc/${secret}/`, `*${secret}`, `/${secret}`),
    );
    const cloud = fc.dictionary(fc.constantFrom(...Object.keys(cloudShape)), value, {
      minKeys: 1,
      maxKeys: 6,
    });
    await fc.assert(
      fc.asyncProperty(cloud, async (settings) => {
        await writeFile(file, JSON.stringify({ clouds: { one: settings } }));
        expect(await problemsOf(loadConfig({ file, environment: {} }))).not.toContain('S3CRET');
      }),
      { numRuns: 300 },
    );
  });
});

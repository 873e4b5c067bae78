import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { account, cloudOf, toldOfEnvironment } from './told.ts';

const { OS_PASSWORD: _password, ...withoutPassword } = account;

describe('the environment', () => {
  const project = { OS_PROJECT_NAME: 'p' };

  it('names one cloud, called default, and takes an empty variable for unset', async () => {
    const more = { ...project, OS_PROJECT_DOMAIN_NAME: 'Default', OS_TOKEN: '', CLOUD_NAME: '' };
    const cloud = await cloudOf({ ...account, ...more });
    expect(cloud).toMatchObject({
      name: 'default',
      settings: { auth_url: account.OS_AUTH_URL },
      scope: { project: { name: 'p', domain: { name: 'Default' } } },
    });
    expect(JSON.stringify(cloud.credential)).not.toContain(account.OS_PASSWORD);
  });

  const scope = { project: {} };
  const ofUser = (domain: object) => ({ credential: { user: { name: 'me', domain } }, scope });
  it.each([
    // As the vendor prints them for an administrator.
    [
      { ...project, OS_PROJECT_DOMAIN: 'd', OS_REGION_NAME: 'region0', OS_ENDPOINT_TYPE: 'publicURL' },
      {
        credential: { user: expect.not.objectContaining({ domain: expect.anything() }) },
        scope: { project: { name: 'p', domain: { name: 'd' } } },
        settings: { region_name: 'region0', interface: 'public' },
      },
    ],
    [{ ...project, OS_DOMAIN_NAME: 'd' }, ofUser({ name: 'd' })],
    [{ OS_PROJECT_ID: 'p', OS_DOMAIN_ID: 'd' }, ofUser({ id: 'd' })],
    [{ ...project, OS_DOMAIN_NAME: 'd', OS_USER_DOMAIN_NAME: 'u' }, ofUser({ name: 'u' })],
    [{ ...project, OS_DOMAIN_NAME: 'd', OS_USER_DOMAIN_ID: 'u' }, ofUser({ id: 'u' })],
    [{ OS_DOMAIN_NAME: 'd' }, { scope: { domain: { name: 'd' } } }],
    [{ OS_ENDPOINT_TYPE: 'internalURL' }, { settings: { interface: 'internal' } }],
    [{ OS_ENDPOINT_TYPE: 'admin' }, { settings: { interface: 'admin' } }],
    [{ YUNION_INSECURE: '1' }, { settings: { insecure_skip_verify: true } }],
    [{ YUNION_INSECURE: '0' }, { settings: { insecure_skip_verify: false } }],
    [{ OS_PASSWORD: '', OS_AUTH_TOKEN: 'x', OS_TOKEN: 'x' }, { credential: { method: 'token' } }],
    [{ CLOUD_QUERY: 'scope=system' }, { settings: { query: [['scope', 'system']] } }],
    [{ CLOUD_NAME: 'prod' }, { name: 'prod' }],
  ])('is read: %j', async (more, expected) => {
    expect(await cloudOf({ ...account, ...more })).toMatchObject(expected);
  });

  it.each([
    [{}, [expect.stringMatching(/no configuration: set OS_AUTH_URL.*--config.file.*--demo/)]],
    [{ ...account, YUNION_INSECURE: 'perhaps' }, [expect.stringMatching(/^YUNION_INSECURE: must be true/)]],
    [
      { OS_AUTH_URL: 'https://a', OS_TOKEN: 'one', OS_AUTH_TOKEN: 'two' },
      ['OS_AUTH_TOKEN: says something else than OS_TOKEN; keep one of them'],
    ],
    [
      {
        OS_AUTH_URL: 'cloud.example.com',
        OS_USERNAME: 'exporter',
        OS_PASSWORD: 'x',
        OS_TOKEN: 'y',
        OS_CACERT: '/nowhere/ca.pem',
        YUNION_CERT_FILE: '/nowhere/client.pem',
        YUNION_KEY_FILE: '/nowhere/client.key',
        CLOUD_BASE_URL: 'ftp://cloud.example.com',
        CLOUD_QUERY: 'limit=5',
      },
      [
        'OS_AUTH_URL: is not a URL: write it in full, such as https://cloud.example.com:30500',
        'CLOUD_BASE_URL: must start with http:// or https://',
        'CLOUD_QUERY: must not set limit: the exporter pages by itself',
        'OS_TOKEN: two identity methods are given (password and token); keep one of them',
        'YUNION_CERT_FILE: /nowhere/client.pem cannot be read (ENOENT)',
        'YUNION_KEY_FILE: /nowhere/client.key cannot be read (ENOENT)',
        'OS_CACERT: /nowhere/ca.pem cannot be read (ENOENT)',
      ],
    ],
  ])('is told of every problem at once, by the variable that was used: %j', async (environment, expected) => {
    expect(await toldOfEnvironment(environment)).toEqual(expected);
  });
});

describe('a file of a secret', () => {
  async function fileOf(content: string | Buffer): Promise<string> {
    const file = join(await temporaryFolder(), 'secret');
    await writeFile(file, content);
    await chmod(file, 0o600);
    return file;
  }

  it.each([
    ['a line', 'from the file\n'],
    ['a byte order mark', '\ufefffrom the file\r\n'],
  ])('may hold any of the secrets, with %s', async (_words, content) => {
    const file = await fileOf(content);
    for (const secret of [
      { OS_USERNAME: 'u', OS_PASSWORD_FILE: file },
      { OS_TOKEN_FILE: file },
      { OS_AUTH_TOKEN_FILE: file },
      { OS_ACCESS_KEY_FILE: file, OS_SECRET_KEY_FILE: file },
      { OS_CAS_TICKET_FILE: file },
    ]) {
      const config = await loadConfig({ environment: { OS_AUTH_URL: 'https://a', ...secret } });
      const credential: unknown[] = Object.values(config.clouds[0]!.credential);
      const readers = credential.filter((value) => typeof value === 'function');
      for (const read of readers) expect(await read()).toBe('from the file');
    }
  });

  it.each([
    ['empty', '\n', 'is empty'],
    ['UTF-16', Buffer.from('\ufeffhunter2\r\n', 'utf16le'), 'is not UTF-8; save it as that'],
  ])('is refused when it is %s', async (_words, content, problem) => {
    const file = await fileOf(content);
    expect(await toldOfEnvironment({ ...withoutPassword, OS_PASSWORD_FILE: file })).toEqual([
      `OS_PASSWORD_FILE: ${file} ${problem}`,
    ]);
  });

  it.each([
    { OS_PASSWORD: '', OS_PASSWORD_FILE: 'S3CRET' },
    { OS_PASSWORD: '', OS_PASSWORD_FILE: 'S3CRET/+S3CRET==' },
    { OS_PASSWORD: '', OS_PASSWORD_FILE: '/S3CRET' },
    { OS_CACERT: '-----BEGIN CERTIFICATE-----\nS3CRET\n-----END CERTIFICATE-----' },
    { OS_CERT: 'S3CRET', OS_KEY: '-----BEGIN PRIVATE KEY----- S3CRET' },
  ])('is not told where it holds the secret itself: %j', async (more) => {
    const problem = (await toldOfEnvironment({ ...account, ...more })).join();
    expect(problem).toContain('the file');
    expect(problem).not.toContain('S3CRET');
  });
});

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ignoredVariables, misspeltVariables, variables } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/simulated.ts';

/** What a shell has after it has sourced these lines. */
async function source(lines: string): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${lines}\nenv -0`], { env: {} });
  const pairs = stdout.split('\0').filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
}

const ofAdministrator = `
export OS_AUTH_URL=https://192.0.2.10:30500/v3
export OS_USERNAME=sysadmin
export OS_PASSWORD=its-password
export OS_PROJECT_DOMAIN=default
export OS_PROJECT_NAME=system
export YUNION_INSECURE=true
export OS_REGION_NAME=region0
export OS_ENDPOINT_TYPE=publicURL
`;

const ofPythonClient = `
export OS_AUTH_URL=https://192.0.2.10:30500/v3
export OS_USERNAME=sysadmin
export OS_PASSWORD=its-password
export OS_PROJECT_NAME=system
export OS_DOMAIN_NAME=Default
export OS_REGION_NAME=region0
`;

const account = { OS_AUTH_URL: 'https://a.example.com', OS_USERNAME: 'me', OS_PASSWORD: 'secret' };
const only = async (environment: Record<string, string>) => (await loadConfig({ environment })).clouds[0]!;

describe('the lines that people source', () => {
  it('work unchanged as the vendor prints them for an administrator', async () => {
    const cloud = await only(await source(ofAdministrator));
    expect(cloud).toMatchObject({
      credential: { method: 'password', user: { name: 'sysadmin' } },
      scope: { project: { name: 'system', domain: { name: 'default' } } },
      settings: { insecure_skip_verify: true, region_name: 'region0', interface: 'public' },
    });
    expect(cloud.credential).not.toHaveProperty('user.domain');
  });

  it('work unchanged as the Python client has them', async () => {
    expect(await only(await source(ofPythonClient))).toMatchObject({
      credential: { method: 'password', user: { name: 'sysadmin', domain: { name: 'Default' } } },
      scope: { project: { name: 'system' } },
      settings: { insecure_skip_verify: false },
    });
  });
});

describe('a variable', () => {
  it.each([
    [
      { OS_PROJECT_NAME: 'p', OS_DOMAIN_NAME: 'd' },
      { name: 'me', domain: { name: 'd' } },
    ],
    [
      { OS_PROJECT_ID: 'p', OS_DOMAIN_ID: 'd' },
      { name: 'me', domain: { id: 'd' } },
    ],
    [
      { OS_PROJECT_NAME: 'p', OS_DOMAIN_NAME: 'd', OS_USER_DOMAIN_NAME: 'u' },
      { name: 'me', domain: { name: 'u' } },
    ],
    [
      { OS_PROJECT_NAME: 'p', OS_DOMAIN_NAME: 'd', OS_USER_DOMAIN_ID: 'u' },
      { name: 'me', domain: { id: 'u' } },
    ],
  ])("OS_DOMAIN_… beside a project is the user's domain unless another is given: %j", async (more, user) => {
    const { credential, scope } = await only({ ...account, ...more });
    expect(credential).toMatchObject({ user });
    expect(scope).toHaveProperty('project');
  });

  it('OS_DOMAIN_NAME without a project is the scope', async () => {
    const { credential, scope } = await only({ ...account, OS_DOMAIN_NAME: 'd' });
    expect(scope).toEqual({ domain: { name: 'd' } });
    expect(credential).toMatchObject({ user: { name: 'me' } });
  });

  it.each([
    ['publicURL', 'public'],
    ['internalURL', 'internal'],
    ['adminURL', 'admin'],
    ['admin', 'admin'],
  ])('OS_ENDPOINT_TYPE=%s chooses the endpoints called %s', async (word, name) => {
    expect((await only({ ...account, OS_ENDPOINT_TYPE: word })).settings.interface).toBe(name);
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('YUNION_INSECURE=%s is followed', async (word, isInsecure) => {
    const { settings } = await only({ ...account, YUNION_INSECURE: word });
    expect(settings.insecure_skip_verify).toBe(isInsecure);
  });

  it('YUNION_INSECURE with another word is refused, for it would be a guess', async () => {
    await expect(loadConfig({ environment: { ...account, YUNION_INSECURE: 'perhaps' } })).rejects.toThrow(
      'YUNION_INSECURE: must be true or false',
    );
  });

  it.each([
    ['OS_AUTH_TOKEN', 'token'],
    ['OS_AUTH_TOKEN_FILE', 'token_file'],
    ['OS_CERT', 'cert'],
    ['YUNION_CERT_FILE', 'cert'],
    ['OS_KEY', 'key'],
    ['YUNION_KEY_FILE', 'key'],
    ['OS_PROJECT_DOMAIN', 'project_domain_name'],
  ])('%s is the setting %s', (name, key) => {
    expect(variables.find(([variable]) => variable === name)?.[1]).toBe(key);
  });

  it('that has a second name may be given by both, as long as they agree', async () => {
    const token = { OS_AUTH_URL: account.OS_AUTH_URL, OS_TOKEN: 'one' };
    const { credential } = await only({ ...token, OS_AUTH_TOKEN: 'one' });
    expect(credential).toMatchObject({ method: 'token' });
    await expect(loadConfig({ environment: { ...token, OS_AUTH_TOKEN: 'another' } })).rejects.toThrow(
      /^OS_AUTH_TOKEN: says something else than OS_TOKEN; keep one of them$/,
    );
  });

  it('is called by the name that was used when something is wrong with it', async () => {
    const environment = { ...account, OS_PROJECT_DOMAIN: 'd', YUNION_CERT_FILE: '/etc/nowhere/client.pem' };
    await expect(loadConfig({ environment })).rejects.toThrow(
      'YUNION_CERT_FILE: /etc/nowhere/client.pem cannot be read (ENOENT)',
    );
  });
});

describe('a variable that is probably misspelt', () => {
  it('is warned about by its name, and its value is not told', async () => {
    const { warnings } = await loadConfig({ environment: { ...account, OS_PASSWORT: 'hunter2' } });
    expect(warnings).toEqual(['OS_PASSWORT: is no variable of the exporter; did you mean OS_PASSWORD?']);
  });

  it('is named beside what is missing because of it', async () => {
    const { OS_PASSWORD: _password, ...rest } = account;
    const problem = await loadConfig({ environment: { ...rest, OS_PASSWORT: 'hunter2' } }).catch(String);
    expect(problem).toContain('OS_PASSWORD: is missing');
    expect(problem).toContain('did you mean OS_PASSWORD?');
    expect(problem).not.toContain('hunter2');
  });

  it.each([...variables.map(([name]) => name), ...Object.keys(ignoredVariables), 'CLOUD_NAME'])(
    'is not %s',
    (name) => {
      expect(misspeltVariables({ [name]: 'x' })).toEqual([]);
    },
  );

  it.each(['OS_RELEASE', 'CLOUD_SDK_CONFIG', 'PATH', 'OSX', 'OS_VOLUME_API_VERSION', 'OS_PASSWORT'])(
    'is not a stranger such as %s, unless it is near',
    (name) => {
      expect(misspeltVariables({ [name]: 'x' })).toHaveLength(name === 'OS_PASSWORT' ? 1 : 0);
    },
  );
});

describe('a variable that is not read', () => {
  const warningsOf = async (more: Record<string, string>) =>
    (await loadConfig({ environment: { ...account, ...more } })).warnings;

  it.each([
    [{ OS_TENANT_NAME: 'p' }, ['OS_TENANT_NAME: is not read. An older name: set `OS_PROJECT_NAME`.']],
    [{ OS_TENANT_ID: 'p' }, ['OS_TENANT_ID: is not read. An older name: set `OS_PROJECT_ID`.']],
    [{ OS_TENANT_NAME: 'p', OS_PROJECT_NAME: 'p' }, []],
    [{ OS_TENANT_NAME: '' }, []],
    [{ OS_CLOUD: 'prod' }, []],
  ])('is warned about if somebody would miss it: %j', async (more, expected) => {
    expect(await warningsOf(more)).toEqual(expected);
  });

  it('is warned about where nothing else is set', async () => {
    await expect(loadConfig({ environment: { OS_CLOUD: 'prod' } })).rejects.toThrow(
      'OS_CLOUD: is not read. There is no clouds.yaml here; several clouds come from `--config.file`.',
    );
  });

  it('since a file is, is warned about in one line', async () => {
    const file = join(await temporaryFolder(), 'clouds.yml');
    await writeFile(file, 'clouds:\n  one: { auth_url: "https://a", token: x }\n');
    const load = async (environment: Record<string, string>) =>
      (await loadConfig({ file, environment })).warnings;
    expect(await load(account)).toEqual([
      'OS_AUTH_URL, OS_USERNAME, OS_PASSWORD: not read, since the clouds come from --config.file',
    ]);
    expect(await load({ ...account, CLOUD_NAME: 'x', OS_CACERT: 'y' })).toEqual([
      'OS_AUTH_URL, OS_USERNAME, OS_PASSWORD and 2 more: not read, since the clouds come from --config.file',
    ]);
    expect(await load({ OS_TENANT_NAME: 'x', PATH: '/bin', CLOUD_NAME: '' })).toEqual([]);
  });
});

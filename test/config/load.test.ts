import { readdirSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/config/environment.ts';
import { ConfigError, loadConfig } from '../../src/config/load.ts';
import { cloudShape } from '../../src/config/schema.ts';
import { temporaryFolder } from '../support/simulated.ts';

const folder = fileURLToPath(new URL('../fixtures/config/', import.meta.url));

async function problemsOf(load: Promise<unknown>): Promise<readonly string[]> {
  return load.then(
    () => [],
    (error: unknown) => {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    },
  );
}

describe('a configuration file', () => {
  const names = readdirSync(folder);

  it.each(names.filter((name) => name.endsWith('.good.yml')))('is accepted: %s', async (name) => {
    expect(await problemsOf(loadConfig({ file: join(folder, name), environment: {} }))).toEqual([]);
  });

  it.each(names.filter((name) => name.endsWith('.bad.yml')))(
    'is refused with what is wrong and where: %s',
    async (name) => {
      const file = join(folder, name);
      const expected = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('# expect: '))
        .map((line) => line.slice('# expect: '.length).replaceAll('FILE', file));
      expect(expected.length).toBeGreaterThan(0);
      expect(await problemsOf(loadConfig({ file, environment: {} }))).toEqual(expected);
    },
  );

  it('that does not exist is named', async () => {
    expect(await problemsOf(loadConfig({ file: '/nowhere.yml', environment: {} }))).toEqual([
      '--config.file: /nowhere.yml cannot be read (ENOENT)',
    ]);
  });

  it('gives every setting its default', async () => {
    const { clouds } = await loadConfig({ file: join(folder, 'minimal.good.yml'), environment: {} });
    expect(clouds[0]?.settings).toMatchObject({
      interface: 'public',
      max_age: 0,
      max_stale: 300_000,
      list_storages: true,
      list_isolated_devices: true,
      room_max_age: 300_000,
      overcommit: { cpu: 8, memory: 1, storage: 1 },
      units: { memory: 1_048_576, disk: 1_048_576 },
      problem_limit: 1000,
      stuck_after: 3_600_000,
      expiring_within: 604_800_000,
      per_server: false,
      insecure_skip_verify: false,
    });
  });
});

describe('the environment', () => {
  const environment = {
    OS_AUTH_URL: 'https://cloud.example.com:30500/v3',
    OS_USERNAME: 'exporter',
    OS_PASSWORD: 'secret',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_NAME: 'system',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  };

  it('names one cloud, called default', async () => {
    const { clouds } = await loadConfig({ environment });
    expect(clouds).toHaveLength(1);
    expect(clouds[0]).toMatchObject({
      name: 'default',
      settings: { auth_url: environment.OS_AUTH_URL },
      scope: { project: { name: 'system', domain: { name: 'Default' } } },
      credential: { method: 'password', user: { name: 'exporter', domain: { name: 'Default' } } },
    });
  });

  it('has a variable for each setting that it may hold, all of them known to the file', () => {
    for (const [, key] of variables) expect(Object.keys(cloudShape)).toContain(key);
  });

  it('takes an empty variable for unset', async () => {
    const load = loadConfig({
      environment: { ...environment, OS_TOKEN: '', OS_PROJECT_ID: '', CLOUD_NAME: '' },
    });
    expect((await load).clouds[0]?.name).toBe('default');
  });

  it('takes a list in query as a parameter that is repeated, and refuses a misspelt scope', async () => {
    const settings = { auth_url: 'https://cloud.example.com', token: 'any' };
    const load = async (query: unknown) => {
      const file = join(await temporaryFolder(), 'clouds.yml');
      await writeFile(file, JSON.stringify({ clouds: { one: { ...settings, query } } }));
      return loadConfig({ file, environment: {} });
    };
    const { clouds } = await load({ filter: ['status.in(running)', 'name.contains(web)'], scope: 'system' });
    expect(clouds[0]?.settings.query).toEqual([
      ['filter', 'status.in(running)'],
      ['filter', 'name.contains(web)'],
      ['scope', 'system'],
    ]);
    for (const query of ['scope=sytem', { scope: 'Systm' }])
      expect((await problemsOf(load(query))).join()).toContain('did you mean system?');
    expect((await load('scope=galaxy')).clouds).toHaveLength(1);
  });

  it('takes parameters for the list, and a name', async () => {
    const more = { CLOUD_QUERY: 'scope=system&pending_delete=all', CLOUD_NAME: 'prod' };
    const { clouds } = await loadConfig({ environment: { ...environment, ...more } });
    expect(clouds[0]?.name).toBe('prod');
    expect(clouds[0]?.settings.query).toEqual([
      ['scope', 'system'],
      ['pending_delete', 'all'],
    ]);
  });

  it('that names nothing is told what to set', async () => {
    const [problem, ...others] = await problemsOf(loadConfig({ environment: {} }));
    expect(others).toEqual([]);
    expect(problem).toMatch(/no configuration: set OS_AUTH_URL.*--config.file.*--demo/);
  });

  it('is told of every problem at once, by variable', async () => {
    const wrong = {
      OS_AUTH_URL: 'cloud.example.com',
      OS_USERNAME: 'exporter',
      OS_PASSWORD: 'x',
      OS_TOKEN: 'y',
      OS_CACERT: '/nowhere/ca.pem',
      CLOUD_BASE_URL: 'ftp://cloud.example.com',
      CLOUD_QUERY: 'limit=5',
    };
    expect(await problemsOf(loadConfig({ environment: wrong }))).toEqual([
      'OS_AUTH_URL: is not a URL: write it in full, such as https://cloud.example.com:30500',
      'CLOUD_BASE_URL: must start with http:// or https://',
      'CLOUD_QUERY: must not set limit: the exporter pages by itself',
      'OS_TOKEN: two identity methods are given (password and token); keep one of them',
      'OS_CACERT: /nowhere/ca.pem cannot be read (ENOENT)',
    ]);
  });

  it('names a secret file that is missing or empty', async () => {
    const { OS_PASSWORD: _password, ...rest } = environment;
    const empty = join(await temporaryFolder(), 'empty');
    await writeFile(empty, '\n');
    await chmod(empty, 0o600);
    expect(await problemsOf(loadConfig({ environment: { ...rest, OS_PASSWORD_FILE: '/nowhere' } }))).toEqual([
      'OS_PASSWORD_FILE: the file cannot be read (ENOENT)',
    ]);
    expect(await problemsOf(loadConfig({ environment: { ...rest, OS_PASSWORD_FILE: empty } }))).toEqual([
      `OS_PASSWORD_FILE: ${empty} is empty`,
    ]);
  });

  it('reads any of the secrets from a file', async () => {
    const file = join(await temporaryFolder(), 'secret');
    await writeFile(file, 'from the file\n');
    const common = { OS_AUTH_URL: environment.OS_AUTH_URL };
    const byFile = [
      { OS_USERNAME: 'u', OS_PASSWORD_FILE: file },
      { OS_TOKEN_FILE: file },
      { OS_ACCESS_KEY_FILE: file, OS_SECRET_KEY_FILE: file },
      { OS_CAS_TICKET_FILE: file },
    ];
    for (const secret of byFile) {
      const { clouds } = await loadConfig({ environment: { ...common, ...secret } });
      const readers = Object.values(clouds[0]!.credential).filter((value) => typeof value === 'function');
      for (const read of readers) expect(await read()).toBe('from the file');
      expect(readers.length).toBeGreaterThan(0);
    }
  });

  it('does not show a secret when the configuration is printed', async () => {
    const { clouds } = await loadConfig({ environment });
    expect(JSON.stringify(clouds[0]!.credential)).not.toContain('secret');
  });
});

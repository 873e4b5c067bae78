import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { Clock } from '../../../src/clock.ts';
import { createFileReader } from '../../../src/config/file-reader.ts';
import { ConfigError } from '../../../src/config/load.ts';
import { readWebFile, type WebConfig } from '../../../src/config/web/file.ts';
import { knownWebKeys } from '../../../src/config/web/schema.ts';
import { openWebSource } from '../../../src/config/web/source.ts';
import { createAuthority, selfSigned } from '../../support/certificates.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { describeWith } from '../../support/real-parts.ts';
import { temporaryFolder } from '../../support/simulated.ts';

const folder = fileURLToPath(new URL('../../fixtures/web/', import.meta.url));
const hash = '$2y$10$OCHVQNhCIK6ZBJhIROIcduF2DmcOLtsp3TBkQMCbU2hy7HJ.tCz7G';

const files = createFileReader();

async function read(file: string): Promise<WebConfig> {
  const reading = await readWebFile(file, files);
  if ('problems' in reading) throw new ConfigError(reading.problems);
  return reading.config;
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const reading = await readWebFile(file, files);
  return 'problems' in reading ? reading.problems : [];
}

async function write(content: object): Promise<string> {
  const file = join(await temporaryFolder(), 'web.yml');
  await writeFile(file, stringify(content));
  return file;
}

describe('a web configuration file', () => {
  it.each(readdirSync(folder))('is accepted, or refused with everything that is wrong: %s', async (name) => {
    const file = join(folder, name);
    const lines = readFileSync(file, 'utf8').split('\n');
    const expected = lines
      .filter((line) => line.startsWith('# expect: '))
      .map((line) => line.slice('# expect: '.length).replace('FILE', file).replace('FOLDER/', folder));
    expect(expected.length > 0).toBe(name.endsWith('.bad.yml'));
    expect(await problemsOf(file)).toEqual(expected);
  });

  it('without anything in it leaves the door open', async () => {
    const { tls, headers, users, rateLimit } = await read(join(folder, 'empty.good.yml'));
    expect([tls, headers, users.size, rateLimit]).toEqual([undefined, {}, 0, undefined]);
  });

  it('says users, headers and rate; a blank header counts as unset', async () => {
    const config = await read(join(folder, 'everything-but-tls.good.yml'));
    expect([...config.users.keys()].toSorted()).toEqual(['100', 'prometheus']);
    expect(config.rateLimit).toEqual({ intervalMs: 1000, burst: 20 });
    expect(config.tls).toBeUndefined();
    expect(config.headers).not.toHaveProperty('X-XSS-Protection');
    expect(config.headers['X-Frame-Options']).toBe('deny');
  });

  it('is shown in the documentation as it is accepted', async () => {
    const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    const file = join(await temporaryFolder(), 'web.yml');
    await writeFile(file, /```yaml\n(.*?)```/s.exec(page)![1]!);
    const missing = (await problemsOf(file)).map((problem) => problem.split(' ').slice(1).join(' '));
    expect(missing.map((words) => words.replace(/ \/.*\//, ' '))).toEqual(
      ['cert_file: server.crt', 'key_file: server.key', 'client_ca_file: ca.crt'].map(
        (pair) => `tls_server_config.${pair} cannot be read (ENOENT)`,
      ),
    );
  });

  it.each(
    [
      ['a: *hunter2', 'a: |hunter2\n b', '- a\nb: hunter2', 'basic_auth_users: hunter2'],
      [`basic_auth_users: {__proto__: ${hash}}`, `basic_auth_users: {1: ${hash}, "1": ${hash}}`],
    ].flat(),
  )('is refused without a quote of it, however it is mistyped: %j', async (text) => {
    const file = join(await temporaryFolder(), 'web.yml');
    await writeFile(file, text);
    expect(await problemsOf(file)).not.toEqual([]);
    expect((await problemsOf(file)).join()).not.toContain('hunter2');
  });
});

describe('any web configuration file', () => {
  const keys = [
    '',
    'tls_server_config',
    'rate_limit',
    'http_server_config',
    'http_server_config.headers',
  ].map((path) => knownWebKeys(path === '' ? [] : path.split('.')));
  const words = fc.constantFrom(...keys.flat(), 'RequireAnyClientCert', 'TLS13', '1s', hash);
  const values = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), words, tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(words, tie('value'), { maxKeys: 5 }),
  }));

  it('is accepted, or refused with problems: it never throws', async () => {
    const file = join(await temporaryFolder(), 'web.yml');
    await fc.assert(
      fc.asyncProperty(fc.oneof(values.map, values.value), async (content) => {
        writeFileSync(file, JSON.stringify(content));
        const reading = await readWebFile(file, files);
        if ('problems' in reading) expect(reading.problems.length).toBeGreaterThan(0);
        else expect(reading.config.tls).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});

describeWith(['openssl'], 'its TLS section', () => {
  it('may hold certificate and key themselves, but not twice', async () => {
    const { cert, key, certFile } = await selfSigned();
    expect((await read(await write({ tls_server_config: { cert, key } }))).tls?.context.cert).toBe(cert);
    const twice = await write({ tls_server_config: { cert, cert_file: certFile, key } });
    expect(await problemsOf(twice)).toEqual([
      expect.stringContaining('tls_server_config.cert_file: is given beside cert; keep one of them'),
    ]);
  });

  it('is refused when the key is of another certificate, or locked', async () => {
    const one = await selfSigned('one');
    const other = await selfSigned('other');
    const mixed = await write({ tls_server_config: { cert: one.cert, key_file: other.keyFile } });
    expect(await problemsOf(mixed)).toEqual([
      expect.stringContaining(`key_file: ${other.keyFile} does not belong to the certificate`),
    ]);
    const locked = await write({ tls_server_config: { cert: one.cert, key: one.cert } });
    expect((await problemsOf(locked))[0]).toContain('holds no usable private key in PEM format');
  });

  it('translates the words of Go, and knows an older one of them', async () => {
    const { cert, key } = await selfSigned();
    const section = {
      cert,
      key,
      client_auth_type: 'RequireClientCert',
      client_allowed_sans: ['a'],
      cipher_suites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256'],
      curve_preferences: ['X25519', 'CurveP256'],
      prefer_server_cipher_suites: false,
    };
    const { tls } = await read(await write({ tls_server_config: section }));
    expect(tls).toMatchObject({ clientAuth: 'RequireAnyClientCert', allowedSans: ['a'] });
    expect(tls?.context).toMatchObject({
      minVersion: 'TLSv1.2',
      maxVersion: 'TLSv1.3',
      ecdhCurve: 'X25519:P-256',
      honorCipherOrder: false,
    });
    const newer = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
    expect(tls?.context.ciphers?.split(':')).toEqual([...newer, 'ECDHE-ECDSA-AES256-GCM-SHA384']);
  });
});

async function open(file: string, clock: Clock = createManualClock()) {
  const told: string[] = [];
  const log = {
    info: () => void told.push('changed'),
    error: (fields: { problems?: string[] }) => void told.push(...fields.problems!),
  };
  const source = await openWebSource(file, { log, clock, files });
  onTestFinished(source.close);
  const now = async () => {
    await source.refresh();
    return source.current();
  };
  return { source, told, now };
}

describe('the web configuration while it runs', () => {
  it('is read again every ten seconds, and on demand', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const clock = createManualClock();
    const { source, told, now } = await open(file, clock);
    const users = () => [...source.current().users.keys()];
    await writeFile(file, stringify({ basic_auth_users: { two: hash } }));
    await clock.advance(9_999);
    await expect.poll(() => clock.pending()).toBe(1);
    expect(users()).toEqual(['one']);
    await clock.advance(1);
    await expect.poll(users).toEqual(['two']);
    await writeFile(file, stringify({ basic_auth_users: { three: hash } }));
    await now();
    expect(users()).toEqual(['three']);
    const unchanged = source.current();
    expect(await now()).toBe(unchanged);
    expect(told).toEqual(['changed', 'changed']);
    await expect.poll(() => clock.pending()).toBe(1);
    source.close();
    expect(clock.pending()).toBe(0);
  });

  it('stays as it was while the file is broken or gone, which is said once, and heals', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { told, now } = await open(file);
    await writeFile(file, 'basic_auth_users: { one: plain }');
    for (let time = 0; time < 3; time += 1) expect((await now()).users.has('one')).toBe(true);
    expect(told).toHaveLength(1);
    await unlink(file);
    for (let time = 0; time < 3; time += 1) expect((await now()).users.has('one')).toBe(true);
    expect(told).toEqual([
      expect.stringContaining('basic_auth_users.one: is not a bcrypt hash'),
      `--web.config.file: ${file} cannot be read (ENOENT)`,
    ]);
    await writeFile(file, stringify({ basic_auth_users: { two: hash } }));
    expect((await now()).users.has('two')).toBe(true);
    expect(told.at(-1)).toBe('changed');
  });

  it('follows a link that is pointed elsewhere, as Kubernetes renews a mounted secret', async () => {
    const links = await temporaryFolder();
    const [old, renewed] = [
      await write({ basic_auth_users: { old: hash } }),
      await write({ basic_auth_users: { renewed: hash } }),
    ];
    const file = join(links, 'web.yml');
    await symlink(old, file);
    const { now } = await open(file);
    await symlink(renewed, join(links, 'next'));
    await rename(join(links, 'next'), file);
    expect((await now()).users.has('renewed')).toBe(true);
  });

  const guarded = {
    basic_auth_users: { one: hash },
    rate_limit: { interval: '1s', burst: 5 },
    http_server_config: { headers: { 'X-Frame-Options': 'deny' } },
  };

  it.each([
    ['basic_auth_users', { ...guarded, basic_auth_users: {} }],
    ['rate_limit', { ...guarded, rate_limit: {} }],
    ['http_server_config.headers.X-Frame-Options', { ...guarded, http_server_config: {} }],
    ['basic_auth_users', {}],
  ])('never opens the door wider: %s waits for the next start', async (name, less) => {
    const file = await write(guarded);
    const { source, told, now } = await open(file);
    const before = source.current();
    await writeFile(file, stringify(less));
    for (let time = 0; time < 3; time += 1) expect(await now()).toBe(before);
    expect(told.filter((words) => words.startsWith(`${file}: ${name}: is taken away by`))).toHaveLength(1);
  });

  it('is refused at the start like any other bad configuration', async () => {
    await expect(open(join(folder, 'users.bad.yml'))).rejects.toThrow(ConfigError);
  });
});

describeWith(['openssl'], 'certificates while it runs', () => {
  it('are taken over once certificate and key fit, and not in between', async () => {
    const authority = await createAuthority();
    const file = join(authority.folder, 'web.yml');
    const server = await authority.issue('server');
    const renewed = await authority.issue('renewed');
    await writeFile(file, 'tls_server_config: { cert_file: server.pem, key_file: server.key }');
    const { told, now } = await open(file);
    await copyFile(renewed.certFile, server.certFile);
    expect((await now()).tls?.context.cert).toBe(server.cert);
    await copyFile(renewed.keyFile, server.keyFile);
    expect((await now()).tls?.context.cert).toBe(renewed.cert);
    expect(told).toEqual([expect.stringContaining('does not belong to the certificate'), 'changed']);
    await rm(server.keyFile);
    expect((await now()).tls?.context.cert).toBe(renewed.cert);
    expect(told.at(-1)).toContain('server.key cannot be read (ENOENT)');
  });

  it('cannot be switched on or off, nor client certificates be asked for, without a restart', async () => {
    const authority = await createAuthority();
    const { cert, key } = await authority.issue('server');
    const secure = {
      cert,
      key,
      min_version: 'TLS13',
      cipher_suites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
    };
    const asking = { ...secure, client_auth_type: 'RequestClientCert' };
    const file = await write({ tls_server_config: secure });
    const { told, now } = await open(file);
    await writeFile(file, stringify({ tls_server_config: asking, basic_auth_users: { one: hash } }));
    expect((await now()).users.size).toBe(0);
    await writeFile(file, stringify({ basic_auth_users: { one: hash } }));
    expect((await now()).tls?.context.cert).toBe(cert);
    await writeFile(file, stringify({ tls_server_config: { cert, key } }));
    expect((await now()).tls?.context.minVersion).toBe('TLSv1.3');
    expect(told).toEqual([
      `${file}: tls_server_config.client_auth_type: is changed by a restart only`,
      `${file}: tls_server_config: TLS is switched on or off by a restart only`,
      `${file}: tls_server_config.min_version: is lowered by a restart only`,
      `${file}: tls_server_config.cipher_suites: is taken away by a restart only`,
    ]);
  });
});

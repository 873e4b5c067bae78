import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createFileReader } from '../../../src/config/file-reader.ts';
import { ConfigError } from '../../../src/config/load.ts';
import { readWebFile, type WebConfig } from '../../../src/config/web/file.ts';
import { knownWebKeys } from '../../../src/config/web/web.ts';
import { openWebSource } from '../../../src/config/web/source.ts';
import { createAuthority, selfSigned } from '../../support/certificates.ts';
import { createEagerClock, createManualClock } from '../../support/manual-clock.ts';
import { describeWith } from '../../support/real-parts.ts';
import { temporaryFolder } from '../../support/simulated.ts';

const folder = fileURLToPath(new URL('../../fixtures/web/', import.meta.url));
const hash = '$2y$10$OCHVQNhCIK6ZBJhIROIcduF2DmcOLtsp3TBkQMCbU2hy7HJ.tCz7G';

const files = createFileReader();

async function read(file: string): Promise<WebConfig> {
  const { outcome } = await readWebFile(file, files);
  if ('problems' in outcome) throw new ConfigError(outcome.problems);
  return outcome.config;
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const { outcome } = await readWebFile(file, files);
  return 'problems' in outcome ? outcome.problems : [];
}

async function write(content: object): Promise<string> {
  const file = join(await temporaryFolder(), 'web.yml');
  await writeFile(file, stringify(content));
  return file;
}

describe('a web configuration file', () => {
  const names = readdirSync(folder);

  it.each(names.filter((name) => name.endsWith('.good.yml')))('is accepted: %s', async (name) => {
    expect(await problemsOf(join(folder, name))).toEqual([]);
  });

  it.each(names.filter((name) => name.endsWith('.bad.yml')))(
    'is refused with everything that is wrong, and where: %s',
    async (name) => {
      const file = join(folder, name);
      const expected = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('# expect: '))
        .map((line) => line.slice('# expect: '.length).replace('FILE', file).replace('FOLDER/', folder));
      expect(expected.length).toBeGreaterThan(0);
      expect(await problemsOf(file)).toEqual(expected);
    },
  );

  it('without anything in it leaves the door open', async () => {
    const { tls, headers, users, rateLimit } = await read(join(folder, 'empty.good.yml'));
    expect([tls, headers, users.size, rateLimit]).toEqual([undefined, {}, 0, undefined]);
  });

  it('says users, headers and rate; a blank header counts as unset', async () => {
    const config = await read(join(folder, 'everything-but-tls.good.yml'));
    expect([...config.users.keys()].toSorted()).toEqual(['100', 'prometheus']);
    expect(config.rateLimit).toEqual({ intervalMs: 1000, burst: 20 });
    expect(config.tls).toBeUndefined();
    expect(Object.keys(config.headers)).not.toContain('X-XSS-Protection');
    expect(config.headers['X-Frame-Options']).toBe('deny');
  });

  it('that does not exist is named', async () => {
    expect(await problemsOf('/nowhere.yml')).toEqual([
      '--web.config.file: /nowhere.yml cannot be read (ENOENT)',
    ]);
  });

  it('is shown in the documentation as it is accepted', async () => {
    const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    const file = join(await temporaryFolder(), 'web.yml');
    await writeFile(file, /```yaml\n(.*?)```/s.exec(page)![1]!);
    const missing = (await problemsOf(file)).map((problem) => problem.split(' ').slice(1).join(' '));
    expect(missing).toEqual(
      ['cert_file: server.crt', 'key_file: server.key', 'client_ca_file: ca.crt'].map(
        (pair) => `tls_server_config.${pair} cannot be read (ENOENT)`,
      ),
    );
  });

  it('never has a password quoted, however it is mistyped', async () => {
    const file = join(await temporaryFolder(), 'web.yml');
    for (const text of ['a: *hunter2', 'a: |hunter2\n b', '- a\nb: hunter2', 'basic_auth_users: hunter2']) {
      await writeFile(file, text);
      expect((await problemsOf(file)).length).toBeGreaterThan(0);
      expect((await problemsOf(file)).join()).not.toContain('hunter2');
    }
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
        const { files: named, outcome } = await readWebFile(file, files);
        expect(named[0]).toBe(file);
        if ('problems' in outcome) expect(outcome.problems.length).toBeGreaterThan(0);
        else expect(outcome.config.tls).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});

describeWith(['openssl'], 'its TLS section', () => {
  it('finds files beside the web configuration file', async () => {
    const authority = await createAuthority();
    await authority.issue('server');
    const file = join(authority.folder, 'web.yml');
    await writeFile(file, 'tls_server_config: { cert_file: server.pem, key_file: ./server.key }');
    const { tls } = await read(file);
    expect(tls?.context.cert).toContain('BEGIN CERTIFICATE');
    expect(tls).toMatchObject({ clientAuth: 'NoClientCert', allowedSans: undefined });
    expect(tls?.context).toMatchObject({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' });
    expect((await readWebFile(file, files)).files).toEqual([
      file,
      join(authority.folder, 'server.pem'),
      join(authority.folder, 'server.key'),
    ]);
  });

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

  it('translates cipher suites and curves from the words of Go', async () => {
    const { cert, key } = await selfSigned();
    const section = {
      cert,
      key,
      cipher_suites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256'],
      curve_preferences: ['X25519', 'CurveP256'],
      prefer_server_cipher_suites: false,
    };
    const { tls } = await read(await write({ tls_server_config: section }));
    expect(tls?.context).toMatchObject({ ecdhCurve: 'X25519:P-256', honorCipherOrder: false });
    expect(tls?.context.ciphers?.split(':')).toEqual([
      'TLS_AES_128_GCM_SHA256',
      'TLS_AES_256_GCM_SHA384',
      'TLS_CHACHA20_POLY1305_SHA256',
      'ECDHE-ECDSA-AES256-GCM-SHA384',
    ]);
  });

  it('knows the older word for a certificate that must be shown', async () => {
    const { cert, key } = await selfSigned();
    const section = { cert, key, client_auth_type: 'RequireClientCert', client_allowed_sans: ['a'] };
    expect((await read(await write({ tls_server_config: section }))).tls?.clientAuth).toBe(
      'RequireAnyClientCert',
    );
  });
});

async function open(file: string) {
  const told: string[] = [];
  // The pause between two readings ends at once, and nobody loses patience.
  const clock = createEagerClock((ms) => ms <= 100);
  const source = await openWebSource(
    file,
    {
      changed: () => told.push('changed'),
      refused: (problems) => told.push(...problems),
      loosened: (words, isInForce) => told.push(...words.map((word) => `${word}, ${isInForce}`)),
    },
    { clock, files },
  );
  return { source, told, clock };
}

describe('the web configuration while it runs', () => {
  it('is read again when the file changes, and only then', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { source, told } = await open(file);
    const first = await source.refresh();
    expect(await source.refresh()).toBe(first);
    await writeFile(file, stringify({ basic_auth_users: { another: hash } }));
    expect([...(await source.refresh()).users.keys()]).toEqual(['another']);
    expect(await source.refresh()).toBe(await source.refresh());
    expect(told).toEqual(['changed']);
  });

  it('stays as it was while the file is broken or gone, which is said once, and heals', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { source, told } = await open(file);
    await writeFile(file, 'basic_auth_users: { one: plain }');
    for (let request = 0; request < 3; request += 1)
      expect((await source.refresh()).users.has('one')).toBe(true);
    expect(told).toHaveLength(1);
    await unlink(file);
    for (let request = 0; request < 3; request += 1)
      expect((await source.refresh()).users.has('one')).toBe(true);
    expect(told).toEqual([
      expect.stringContaining('basic_auth_users.one: is not a bcrypt hash'),
      `--web.config.file: ${file} cannot be read (ENOENT)`,
    ]);
    await writeFile(file, stringify({ basic_auth_users: { two: hash } }));
    expect((await source.refresh()).users.has('two')).toBe(true);
    expect(told.at(-1)).toBe('changed');
  });

  it('never opens the door under way: an empty file may be one that is being written', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { source, told } = await open(file);
    await writeFile(file, '');
    expect((await source.refresh()).users.has('one')).toBe(true);
    expect(told).toEqual([`${file}: basic_auth_users: the last user is removed by a restart only`]);
  });

  it('follows a link that is pointed elsewhere, as Kubernetes renews a mounted secret', async () => {
    const links = await temporaryFolder();
    const [old, renewed] = [
      await write({ basic_auth_users: { old: hash } }),
      await write({ basic_auth_users: { renewed: hash } }),
    ];
    const file = join(links, 'web.yml');
    await symlink(old, file);
    const { source } = await open(file);
    await symlink(renewed, join(links, 'next'));
    await rename(join(links, 'next'), file);
    expect((await source.refresh()).users.has('renewed')).toBe(true);
  });

  it('is not taken while it is being written: it has to be the same twice, and to have an end', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { source, told, clock } = await open(file);
    const whole = stringify({ basic_auth_users: { one: hash, two: hash } });
    const wait = clock.wait;
    clock.wait = async (ms, signal) => {
      if (ms <= 100) await writeFile(file, `${whole}# and a line more\n`);
      return wait(ms, signal);
    };
    await writeFile(file, whole);
    expect((await source.refresh()).users.size).toBe(1);
    clock.wait = wait;
    expect((await source.refresh()).users.size).toBe(2);
    await writeFile(file, whole.slice(0, -1).replace('two', 'three'));
    expect((await source.refresh()).users.has('three')).toBe(false);
    expect(told).toEqual(['changed', `${file}: does not end with a line break, so it may be half written`]);
  });

  it('that asks for less has to stay so for a while, and is told as that', async () => {
    const guarded = { rate_limit: { interval: '1s', burst: 5 }, basic_auth_users: { one: hash } };
    const file = await write(guarded);
    const { source, told, clock } = await open(file);
    await writeFile(file, stringify({ basic_auth_users: { one: hash } }));
    for (let request = 0; request < 3; request += 1) expect((await source.refresh()).rateLimit).toBeDefined();
    expect(told).toEqual(['rate_limit is gone, false']);
    await clock.wait(100);
    for (let second = 0; second < 100; second += 1) await clock.wait(100);
    expect((await source.refresh()).rateLimit).toBeUndefined();
    expect(told).toEqual(['rate_limit is gone, false', 'rate_limit is gone, true', 'changed']);
  });

  it('that asked for less for a moment only was never in force', async () => {
    const whole = { rate_limit: { interval: '1s', burst: 5 }, basic_auth_users: { one: hash } };
    const file = await write(whole);
    const { source, told, clock } = await open(file);
    await writeFile(file, stringify({ basic_auth_users: { one: hash } }));
    await source.refresh();
    await writeFile(file, stringify({ ...whole, basic_auth_users: { one: hash, two: hash } }));
    for (let second = 0; second < 200; second += 1) await clock.wait(100);
    expect((await source.refresh()).rateLimit).toBeDefined();
    expect((await source.refresh()).users.size).toBe(2);
    expect(told).toEqual(['rate_limit is gone, false', 'changed']);
  });

  it('holds up no request when its disk hangs', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const clock = createManualClock();
    let isDead = false;
    const disk = {
      ...files,
      stamp: async (path: string) => (isDead ? new Promise<string>(() => undefined) : files.stamp(path)),
    };
    const source = await openWebSource(
      file,
      { changed: () => undefined, refused: () => undefined },
      { clock, files: disk },
    );
    isDead = true;
    const asked = source.refresh();
    await clock.advance(1000);
    expect((await asked).users.has('one')).toBe(true);
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
    const { source, told } = await open(file);
    await copyFile(renewed.certFile, server.certFile);
    expect((await source.refresh()).tls?.context.cert).toBe(server.cert);
    await copyFile(renewed.keyFile, server.keyFile);
    expect((await source.refresh()).tls?.context.cert).toBe(renewed.cert);
    expect(told).toEqual([expect.stringContaining('does not belong to the certificate'), 'changed']);
    await rm(server.keyFile);
    expect((await source.refresh()).tls?.context.cert).toBe(renewed.cert);
    expect(told.at(-1)).toContain('server.key cannot be read (ENOENT)');
  });

  it('cannot be switched on or off, nor client certificates be asked for, without a restart', async () => {
    const authority = await createAuthority();
    const { cert, key } = await authority.issue('server');
    const secure = { cert, key };
    const asking = { ...secure, client_auth_type: 'RequestClientCert' };
    const file = await write({ tls_server_config: secure });
    const { source, told } = await open(file);
    await writeFile(file, stringify({ tls_server_config: asking, basic_auth_users: { one: hash } }));
    expect((await source.refresh()).users.size).toBe(0);
    await writeFile(file, stringify({ basic_auth_users: { one: hash } }));
    expect((await source.refresh()).tls?.context.cert).toBe(cert);
    expect(told).toEqual([
      `${file}: tls_server_config.client_auth_type: is changed by a restart only`,
      `${file}: tls_server_config: TLS is switched on or off by a restart only`,
    ]);
  });
});

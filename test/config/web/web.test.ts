import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../../src/config/load.ts';
import { readWebFile, type WebConfig } from '../../../src/config/web/file.ts';
import { knownWebKeys } from '../../../src/config/web/web.ts';
import { openWebSource } from '../../../src/config/web/source.ts';
import { createAuthority, selfSigned } from '../../support/certificates.ts';
import { describeWith } from '../../support/real-parts.ts';
import { temporaryFolder } from '../../support/simulated.ts';

const folder = fileURLToPath(new URL('../../fixtures/web/', import.meta.url));
const hash = '$2y$10$OCHVQNhCIK6ZBJhIROIcduF2DmcOLtsp3TBkQMCbU2hy7HJ.tCz7G';

function read(file: string): WebConfig {
  const { outcome } = readWebFile(file);
  if ('problems' in outcome) throw new ConfigError(outcome.problems);
  return outcome.config;
}

function problemsOf(file: string): readonly string[] {
  const { outcome } = readWebFile(file);
  return 'problems' in outcome ? outcome.problems : [];
}

async function write(content: object): Promise<string> {
  const file = join(await temporaryFolder(), 'web.yml');
  await writeFile(file, stringify(content));
  return file;
}

describe('a web configuration file', () => {
  const names = readdirSync(folder);

  it.each(names.filter((name) => name.endsWith('.good.yml')))('is accepted: %s', (name) => {
    expect(problemsOf(join(folder, name))).toEqual([]);
  });

  it.each(names.filter((name) => name.endsWith('.bad.yml')))(
    'is refused with everything that is wrong, and where: %s',
    (name) => {
      const file = join(folder, name);
      const expected = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('# expect: '))
        .map((line) => line.slice('# expect: '.length).replace('FILE', file).replace('FOLDER/', folder));
      expect(expected.length).toBeGreaterThan(0);
      expect(problemsOf(file)).toEqual(expected);
    },
  );

  it('without anything in it leaves the door open', () => {
    const { tls, headers, users, rateLimit } = read(join(folder, 'empty.good.yml'));
    expect([tls, headers, users.size, rateLimit]).toEqual([undefined, {}, 0, undefined]);
  });

  it('says users, headers and rate; a blank header counts as unset', () => {
    const config = read(join(folder, 'everything-but-tls.good.yml'));
    expect([...config.users.keys()].toSorted()).toEqual(['100', 'prometheus']);
    expect(config.rateLimit).toEqual({ intervalMs: 1000, burst: 20 });
    expect(config.tls).toBeUndefined();
    expect(Object.keys(config.headers)).not.toContain('X-XSS-Protection');
    expect(config.headers['X-Frame-Options']).toBe('deny');
  });

  it('that does not exist is named', () => {
    expect(problemsOf('/nowhere.yml')).toEqual(['--web.config.file: /nowhere.yml cannot be read (ENOENT)']);
  });

  it('is shown in the documentation as it is accepted', async () => {
    const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    const file = join(await temporaryFolder(), 'web.yml');
    await writeFile(file, /```yaml\n(.*?)```/s.exec(page)![1]!);
    const missing = problemsOf(file).map((problem) => problem.split(' ').slice(1).join(' '));
    expect(missing).toEqual(
      ['cert_file: server.crt', 'key_file: server.key', 'client_ca_file: ca.crt'].map(
        (pair) => `tls_server_config.${pair.replace(': ', `: ${dirname(file)}/`)} cannot be read (ENOENT)`,
      ),
    );
  });

  it('never has a password quoted, however it is mistyped', async () => {
    const file = join(await temporaryFolder(), 'web.yml');
    for (const text of ['a: *hunter2', 'a: |hunter2\n b', '- a\nb: hunter2', 'basic_auth_users: hunter2']) {
      await writeFile(file, text);
      expect(problemsOf(file).length).toBeGreaterThan(0);
      expect(problemsOf(file).join()).not.toContain('hunter2');
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
    fc.assert(
      fc.property(fc.oneof(values.map, values.value), (content) => {
        writeFileSync(file, JSON.stringify(content));
        const { files, outcome } = readWebFile(file);
        expect(files[0]).toBe(file);
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
    const { tls } = read(file);
    expect(tls?.context.cert).toContain('BEGIN CERTIFICATE');
    expect(tls).toMatchObject({ clientAuth: 'NoClientCert', allowedSans: undefined });
    expect(tls?.context).toMatchObject({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' });
    expect(readWebFile(file).files).toEqual([
      file,
      join(authority.folder, 'server.pem'),
      join(authority.folder, 'server.key'),
    ]);
  });

  it('may hold certificate and key themselves, but not twice', async () => {
    const { cert, key, certFile } = await selfSigned();
    expect(read(await write({ tls_server_config: { cert, key } })).tls?.context.cert).toBe(cert);
    const twice = await write({ tls_server_config: { cert, cert_file: certFile, key } });
    expect(problemsOf(twice)).toEqual([
      expect.stringContaining('tls_server_config.cert_file: is given beside cert; keep one of them'),
    ]);
  });

  it('is refused when the key is of another certificate, or locked', async () => {
    const one = await selfSigned('one');
    const other = await selfSigned('other');
    const mixed = await write({ tls_server_config: { cert: one.cert, key_file: other.keyFile } });
    expect(problemsOf(mixed)).toEqual([
      expect.stringContaining(`key_file: ${other.keyFile} does not belong to the certificate`),
    ]);
    const locked = await write({ tls_server_config: { cert: one.cert, key: one.cert } });
    expect(problemsOf(locked)[0]).toContain('holds no usable private key in PEM format');
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
    const { tls } = read(await write({ tls_server_config: section }));
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
    expect(read(await write({ tls_server_config: section })).tls?.clientAuth).toBe('RequireAnyClientCert');
  });
});

function open(file: string) {
  const told: string[] = [];
  const source = openWebSource(file, {
    changed: () => told.push('changed'),
    refused: (problems) => told.push(...problems),
  });
  return { source, told };
}

describe('the web configuration while it runs', () => {
  it('is read again when the file changes, and only then', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { source, told } = open(file);
    const first = source.current();
    expect(source.current()).toBe(first);
    await writeFile(file, stringify({ basic_auth_users: { another: hash } }));
    expect([...source.current().users.keys()]).toEqual(['another']);
    expect(source.current()).toBe(source.current());
    expect(told).toEqual(['changed']);
  });

  it('stays as it was while the file is broken or gone, which is said once, and heals', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { source, told } = open(file);
    await writeFile(file, 'basic_auth_users: { one: plain }');
    for (let request = 0; request < 3; request += 1) expect(source.current().users.has('one')).toBe(true);
    expect(told).toHaveLength(1);
    await unlink(file);
    for (let request = 0; request < 3; request += 1) expect(source.current().users.has('one')).toBe(true);
    expect(told).toEqual([
      expect.stringContaining('basic_auth_users.one: is not a bcrypt hash'),
      `--web.config.file: ${file} cannot be read (ENOENT)`,
    ]);
    await writeFile(file, stringify({ basic_auth_users: { two: hash } }));
    expect(source.current().users.has('two')).toBe(true);
    expect(told.at(-1)).toBe('changed');
  });

  it('never opens the door under way: an empty file may be one that is being written', async () => {
    const file = await write({ basic_auth_users: { one: hash } });
    const { source, told } = open(file);
    await writeFile(file, '');
    expect(source.current().users.has('one')).toBe(true);
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
    const { source } = open(file);
    await symlink(renewed, join(links, 'next'));
    await rename(join(links, 'next'), file);
    expect(source.current().users.has('renewed')).toBe(true);
  });

  it('is refused at the start like any other bad configuration', () => {
    expect(() => open(join(folder, 'users.bad.yml'))).toThrow(ConfigError);
  });
});

describeWith(['openssl'], 'certificates while it runs', () => {
  it('are taken over once certificate and key fit, and not in between', async () => {
    const authority = await createAuthority();
    const file = join(authority.folder, 'web.yml');
    const server = await authority.issue('server');
    const renewed = await authority.issue('renewed');
    await writeFile(file, 'tls_server_config: { cert_file: server.pem, key_file: server.key }');
    const told: string[] = [];
    const source = openWebSource(file, {
      changed: () => told.push('changed'),
      refused: (problems) => told.push(...problems),
    });
    await copyFile(renewed.certFile, server.certFile);
    expect(source.current().tls?.context.cert).toBe(server.cert);
    await copyFile(renewed.keyFile, server.keyFile);
    expect(source.current().tls?.context.cert).toBe(renewed.cert);
    expect(told).toEqual([expect.stringContaining('does not belong to the certificate'), 'changed']);
    await rm(server.keyFile);
    expect(source.current().tls?.context.cert).toBe(renewed.cert);
    expect(told.at(-1)).toContain('server.key cannot be read (ENOENT)');
  });

  it('cannot be switched on or off, nor client certificates be asked for, without a restart', async () => {
    const authority = await createAuthority();
    const { cert, key } = await authority.issue('server');
    const secure = { cert, key };
    const asking = { ...secure, client_auth_type: 'RequestClientCert' };
    const file = await write({ tls_server_config: secure });
    const told: string[] = [];
    const source = openWebSource(file, {
      changed: () => told.push('changed'),
      refused: (problems) => told.push(...problems),
    });
    await writeFile(file, stringify({ tls_server_config: asking, basic_auth_users: { one: hash } }));
    expect(source.current().users.size).toBe(0);
    await writeFile(file, stringify({ basic_auth_users: { one: hash } }));
    expect(source.current().tls?.context.cert).toBe(cert);
    expect(told).toEqual([
      `${file}: tls_server_config.client_auth_type: is changed by a restart only`,
      `${file}: tls_server_config: TLS is switched on or off by a restart only`,
    ]);
  });
});

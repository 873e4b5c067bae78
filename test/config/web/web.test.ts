import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { Clock } from '../../../src/clock.ts';
import { createFileReader } from '../../../src/config/file-reader.ts';
import { ConfigError } from '../../../src/config/load.ts';
import { readWebFile, type WebConfig } from '../../../src/config/web/file.ts';
import { openWebSource } from '../../../src/web-source.ts';
import { selfSigned } from '../../support/certificates.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { describeWith } from '../../support/real-parts.ts';
import { temporaryFolder } from '../../support/simulated.ts';

const folder = fileURLToPath(new URL('../../fixtures/web/', import.meta.url));
const hash = '$2y$10$OCHVQNhCIK6ZBJhIROIcduF2DmcOLtsp3TBkQMCbU2hy7HJ.tCz7G';

const files = createFileReader();

async function problemsOf(file: string): Promise<readonly string[]> {
  const reading = await readWebFile(file, files);
  return 'problems' in reading ? reading.problems : [];
}

/** What a good file with this in it says. */
async function read(content: object): Promise<WebConfig> {
  const reading = await readWebFile(await write(content), files);
  if ('problems' in reading) throw new ConfigError(reading.problems);
  return reading.config;
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

  it('says users, headers and rate; a blank header counts as unset', async () => {
    const headers = { 'X-XSS-Protection': '', 'X-Frame-Options': 'deny' };
    const config = await read({
      basic_auth_users: { prometheus: hash, 100: hash },
      http_server_config: { headers },
      rate_limit: { interval: '1s', burst: 20 },
    });
    expect(config).toMatchObject({ tls: undefined, rateLimit: { intervalMs: 1000, burst: 20 } });
    expect(config.headers).toEqual({ 'X-Frame-Options': 'deny' });
    expect([...config.users.keys()].toSorted()).toEqual(['100', 'prometheus']);
  });

  it('is refused without a quote of it, however it is mistyped', async () => {
    const file = join(await temporaryFolder(), 'web.yml');
    for (const text of [
      'a: *hunter2',
      'a: |hunter2\n b',
      '- a\nb: hunter2',
      'basic_auth_users: hunter2',
      `basic_auth_users: {1: ${hash}, "1": ${hash}}`,
    ]) {
      await writeFile(file, text);
      expect(await problemsOf(file)).not.toEqual([]);
      expect((await problemsOf(file)).join()).not.toMatch(/hunter2|\$2y/);
    }
  });
});

describeWith(['openssl'], 'its TLS section', () => {
  it('may hold certificate and key themselves, but not twice', async () => {
    const { cert, key, certFile } = await selfSigned();
    expect((await read({ tls_server_config: { cert, key } })).tls?.context.cert).toBe(cert);
    const twice = await write({ tls_server_config: { cert, cert_file: certFile, key } });
    expect(await problemsOf(twice)).toEqual([
      expect.stringContaining('tls_server_config.cert_file: is given beside cert; keep one of them'),
    ]);
  });

  it('translates the words of Go, knows an older one of them, and speaks no TLS before 1.2', async () => {
    const { cert, key } = await selfSigned();
    const { tls } = await read({
      tls_server_config: {
        cert,
        key,
        client_auth_type: 'RequireClientCert',
        max_version: 'TLS12',
        cipher_suites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
        curve_preferences: ['X25519', 'CurveP256'],
        prefer_server_cipher_suites: false,
      },
    });
    expect(tls).toMatchObject({
      clientAuth: 'RequireAnyClientCert',
      context: {
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.2',
        ciphers: expect.stringContaining('ECDHE-ECDSA-AES256-GCM-SHA384') as string,
        ecdhCurve: 'X25519:P-256',
        honorCipherOrder: false,
      },
    });
  });
});

async function open(file: string, clock: Clock = createManualClock()) {
  const told: string[] = [];
  const info = () => void told.push('changed');
  const error = (fields: { problems?: string[] }) => void told.push(...fields.problems!);
  const source = await openWebSource(file, { log: { info, error }, clock, files });
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
});

describeWith(['openssl'], 'the door', () => {
  it('is never opened wider before the next start, nor TLS switched on or off; that is said once', async () => {
    const { cert, key } = await selfSigned();
    const cipher_suites = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'];
    const secure = { cert, key, min_version: 'TLS13', cipher_suites };
    const guarded = {
      tls_server_config: secure,
      basic_auth_users: { one: hash },
      rate_limit: { interval: '1s', burst: 5 },
      http_server_config: { headers: { 'X-Frame-Options': 'deny' } },
    };
    const { tls_server_config: _tls, ...plain } = guarded;
    const file = await write(guarded);
    const { source, told, now } = await open(file);
    const before = source.current();
    for (const other of [
      { ...guarded, basic_auth_users: {} },
      { ...guarded, rate_limit: {} },
      { ...guarded, http_server_config: {} },
      { ...guarded, tls_server_config: { ...secure, client_auth_type: 'RequestClientCert' } },
      plain,
      { ...guarded, tls_server_config: { cert, key } },
    ]) {
      await writeFile(file, stringify(other));
      for (let time = 0; time < 3; time += 1) expect(await now()).toBe(before);
    }
    expect(told).toEqual(
      [
        'basic_auth_users: is taken away',
        'rate_limit: is taken away',
        'http_server_config.headers.X-Frame-Options: is taken away',
        'tls_server_config.client_auth_type: is changed',
        'tls_server_config: TLS is switched on or off',
        'tls_server_config.min_version: is lowered',
        'tls_server_config.cipher_suites: is taken away',
      ].map((words) => `${file}: ${words} by a restart only`),
    );
  });
});

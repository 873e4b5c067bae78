import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createAuthority } from './support/certificates.ts';
import { buildProgram, environmentFor, startProgram } from './support/program.ts';
import { startPrometheus } from './support/prometheus.ts';
import { describeWith, pathOf } from './support/real-parts.ts';
import { simulate } from './support/simulated.ts';

let built: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  built = await buildProgram();
});
afterAll(() => built.remove());

/** As `htpasswd -B` writes it. */
const hashOf = (password: string) => hashSync(password, 10).replace('$2b$', '$2y$');

/** The program behind TLS, a client certificate and a password. */
async function openFrontDoor() {
  const authority = await createAuthority();
  const [, client] = [
    await authority.issue('server'),
    await authority.issue('client', { sans: 'DNS:prometheus' }),
  ];
  const webFile = join(authority.folder, 'web.yml');
  const write = (password: string) =>
    writeFile(
      webFile,
      stringify({
        tls_server_config: {
          cert_file: 'server.pem',
          key_file: 'server.key',
          client_auth_type: 'RequireAndVerifyClientCert',
          client_ca_file: 'test-ca.pem',
          client_allowed_sans: ['prometheus'],
          min_version: 'TLS13',
        },
        http_server_config: { http2: true, headers: { 'Strict-Transport-Security': 'max-age=300' } },
        basic_auth_users: { prometheus: hashOf(password) },
      }),
    );
  await write('s3cret');
  const cloud = await simulate({ servers: 25 });
  const program = await startProgram(built.main, {
    flags: [`--web.config.file=${webFile}`],
    environment: environmentFor(cloud),
  });
  return { authority, client, webFile, write, program };
}

async function curl(url: string, ...words: readonly string[]): Promise<string> {
  const output = ['-sS', '-g', '-o', '/dev/null', '-D', '-', '--max-time', '30'];
  const told = await promisify(execFile)(pathOf('curl'), [...output, ...words, url]).catch(
    ({ code }: { code: number }) => ({ stdout: `curl ended with ${code}` }),
  );
  return told.stdout;
}

describeWith(['openssl', 'curl'], 'curl at the front door', () => {
  it('needs certificate, password and TLS 1.3, gets the headers, and sees renewals at SIGHUP', async () => {
    const { authority, client, webFile, write, program } = await openFrontDoor();
    expect(program.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const trusting = ['--cacert', authority.certFile];
    const known = [...trusting, '--cert', client.certFile, '--key', client.keyFile];
    const login = (password: string) => [...known, '-u', `prometheus:${password}`];
    const health = `${program.url}/-/healthy`;
    const reload = async (words: string, times: number) => {
      program.signal('SIGHUP');
      await expect.poll(() => program.logged().split(words).length - 1, { timeout: 20_000 }).toBe(times);
    };

    expect(await curl(health)).toMatch(/^curl ended with 60/);
    expect(await curl(health, ...trusting)).toMatch(/^curl ended with (35|52|56)/);
    expect(await curl(health, ...known, '--tls-max', '1.2')).toMatch(/^curl ended with 35/);
    expect(await curl(health, ...known)).toMatch(/^HTTP\/1\.1 401 .*WWW-Authenticate: Basic realm=/s);
    expect(await curl(health, ...login('wrong'))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await curl(health, ...login('s3cret'))).toMatch(
      /^HTTP\/1\.1 200 OK\r\n.*Strict-Transport-Security: max-age=300\r\n/s,
    );
    expect(await curl(`${program.url}/metrics`, ...login('s3cret'))).toMatch(/^HTTP\/1\.1 200 /);

    const scrape = `${program.url}/metrics?collect[]=exporter`;
    expect(await curl(scrape, ...login('wrong'))).toMatch(/^HTTP\/1\.1 401 /);
    const own = await promisify(execFile)(pathOf('curl'), ['-sS', '-g', ...login('s3cret'), scrape]);
    // That of the health checks above was no scrape.
    expect(own.stdout).toContain('cloud_exporter_scrapes_refused_total{reason="unauthorized"} 1\n');

    await write('renewed');
    await reload('"msg":"web configuration changed"', 1);
    expect(await curl(health, ...login('s3cret'))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await curl(health, ...login('renewed'))).toMatch(/^HTTP\/1\.1 200 /);

    const elsewhere = await createAuthority('next-ca');
    const renewed = await elsewhere.issue('renewed');
    await copyFile(renewed.certFile, join(authority.folder, 'server.pem'));
    await copyFile(renewed.keyFile, join(authority.folder, 'server.key'));
    await reload('"msg":"web configuration changed"', 2);
    expect(await curl(health, ...login('renewed'))).toMatch(/^curl ended with 60/);
    const trustsNext = login('renewed').map((word) =>
      word === authority.certFile ? elsewhere.certFile : word,
    );
    expect(await curl(health, ...trustsNext)).toMatch(/^HTTP\/1\.1 200 /);

    await writeFile(webFile, 'basic_auth_users: { prometheus: plain-text }');
    await reload('the old one stays', 1);
    await reload('"msg":"configuration reloaded"', 4);
    expect(await curl(health, ...trustsNext)).toMatch(/^HTTP\/1\.1 200 /);
    expect(program.logged().split('the old one stays')).toHaveLength(2);
    for (const secret of ['s3cret', 'plain-text', '$2y$']) expect(program.logged()).not.toContain(secret);
  });
});

describeWith(['openssl', 'prometheus'], 'a real Prometheus at the front door', () => {
  it('scrapes with the right certificate and password, and not otherwise', async () => {
    const { authority, client, program } = await openFrontDoor();
    const job = (job_name: string, password: string, tls: object) => ({
      job_name,
      scheme: 'https',
      scrape_interval: '1s',
      basic_auth: { username: 'prometheus', password },
      tls_config: { ca_file: authority.certFile, ...tls },
      static_configs: [{ targets: [new URL(program.url).host] }],
    });
    const pair = { cert_file: client.certFile, key_file: client.keyFile };
    const prometheus = await startPrometheus({
      scrape_configs: [
        job('right', 's3cret', pair),
        job('wrong-password', 'guess', pair),
        job('no-certificate', 's3cret', {}),
      ],
    });
    const results = await prometheus.until(
      () => prometheus.query('sum by (job) (up) + 0'),
      (found) => found.length === 3 && found.some(({ value }) => value[1] === '1'),
    );
    const up = Object.fromEntries(results.map(({ metric, value }) => [metric['job'], value[1]]));
    expect(up).toEqual({ right: '1', 'wrong-password': '0', 'no-certificate': '0' });
    const [servers] = await prometheus.query('sum(cloud_servers)');
    expect(servers?.value[1]).toBe('25');
    const { activeTargets } = await prometheus.api<{
      activeTargets: { scrapePool: string; lastError: string }[];
    }>('targets?state=active');
    const errors = Object.fromEntries(
      activeTargets.map(({ scrapePool, lastError }) => [scrapePool, lastError]),
    );
    expect(errors['wrong-password']).toContain('401 Unauthorized');
    expect(errors['no-certificate']).toMatch(/certificate required|bad certificate|reset|EOF/);
    expect(errors['right']).toBe('');
  });
});

import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createAuthority } from './support/certificates.ts';
import { builtProgram, environmentFor, startProgram } from './support/program.ts';
import { describeWith, pathOf } from './support/real-parts.ts';
import { run } from './support/run.ts';
import { simulate } from './support/simulated.ts';

/** As `htpasswd -B` writes it. */
const hashOf = (password: string) => hashSync(password, 10).replace('$2b$', '$2y$');

/** Headers and body, or how curl failed. */
async function curl(url: string, ...words: readonly string[]): Promise<string> {
  return run(pathOf('curl'), ['-sSgi', ...words, url]).then(
    ({ stdout }) => stdout,
    ({ code }: { code: number }) => `curl ended with ${code}`,
  );
}

describeWith(['openssl', 'curl'], 'curl at the front door', () => {
  it('needs certificate, password and TLS 1.3, gets the headers, and sees renewals at SIGHUP', async () => {
    const authority = await createAuthority();
    await authority.issue('server');
    const client = await authority.issue('client', { sans: 'DNS:prometheus' });
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
    const program = await startProgram(await builtProgram(), {
      flags: [`--web.config.file=${webFile}`],
      environment: environmentFor(cloud),
    });
    expect(program.url).toMatch(/^https:/);
    const trusting = ['--cacert', authority.certFile];
    const known = [...trusting, '--cert', client.certFile, '--key', client.keyFile];
    const login = (password: string) => [...known, '-u', `prometheus:${password}`];
    const health = `${program.url}/-/healthy`;
    /** Reads the files anew, and waits until these words were said so often. */
    const reload = async (words: string, times: number) => {
      program.signal('SIGHUP');
      await expect.poll(() => program.logged().split(words).length - 1).toBe(times);
    };
    expect(await curl(health)).toMatch(/^curl ended with 60/);
    expect(await curl(health.replace('https:', 'http:'))).toMatch(/^curl ended with (52|56)/);
    expect(await curl(health, ...trusting)).toMatch(/^curl ended with (35|52|56)/);
    expect(await curl(health, ...known, '--tls-max', '1.2')).toMatch(/^curl ended with 35/);
    for (const url of [health, `${program.url}/`, `${program.url}/nowhere`])
      expect(await curl(url, ...known)).toMatch(
        /^HTTP\/1\.1 401 .*Strict-Transport-Security: max-age=300\r\n.*WWW-Authenticate: Basic realm=/s,
      );
    expect(await curl(health, ...login('wrong'))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await curl(health, ...login('s3cret'))).toMatch(
      /^HTTP\/1\.1 200 OK\r\n.*Strict-Transport-Security: max-age=300\r\n/s,
    );
    const scrape = `${program.url}/metrics?collect[]=exporter`;
    expect(await curl(scrape, ...login('wrong'))).toMatch(/^HTTP\/1\.1 401 /);
    // That of the health checks above was no scrape.
    expect(await curl(scrape, ...login('s3cret'))).toContain(
      '\ncloud_exporter_scrapes_refused_total{reason="unauthorized"} 1\n',
    );

    expect(await curl(`${program.url}/sd/clouds`, ...login('s3cret'))).toContain('"__scheme__":"https"');

    const elsewhere = await createAuthority('next-ca');
    const renewed = await elsewhere.issue('renewed');
    await copyFile(renewed.certFile, join(authority.folder, 'server.pem'));
    await reload('does not belong to the certificate', 1);
    expect(await curl(health, ...login('s3cret'))).toMatch(/^HTTP\/1\.1 200 /);
    await copyFile(renewed.keyFile, join(authority.folder, 'server.key'));
    const next = (password: string) =>
      login(password).map((word) => (word === authority.certFile ? elsewhere.certFile : word));
    const renew = async (password: string) => {
      await write(password);
      program.signal('SIGHUP');
      await expect.poll(() => curl(health, ...next(password))).toMatch(/^HTTP\/1\.1 200 /);
    };
    await renew('renewed');
    expect(await curl(health, ...login('renewed'))).toMatch(/^curl ended with 60/);
    expect(await curl(health, ...next('s3cret'))).toMatch(/^HTTP\/1\.1 401 /);

    await writeFile(webFile, 'basic_auth_users: { prometheus: plain-text }');
    await reload('is not a bcrypt hash', 1);
    await reload('"msg":"configuration reloaded"', 4);
    await rm(webFile);
    await reload('web.yml cannot be read (ENOENT)', 1);
    expect(await curl(health, ...next('renewed'))).toMatch(/^HTTP\/1\.1 200 /);
    // What is wrong is said once, and heals.
    expect(program.logged().split('the old one stays')).toHaveLength(4);
    await renew('healed');
    for (const secret of ['s3cret', 'plain-text', '$2y$']) expect(program.logged()).not.toContain(secret);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

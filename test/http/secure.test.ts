import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, get, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { ServerTls } from '../../src/config/web/file.ts';
import { openWebSource } from '../../src/web-source.ts';
import { alternativeNames, listen } from '../../src/http/listen.ts';
import { createAuthority, selfSigned, type Authority, type Certificate } from '../support/certificates.ts';
import { describeWith } from '../support/real-parts.ts';
import { silentLog } from '../support/silent-log.ts';

/** With a certificate of an authority of its own, and `tls_server_config` as given. */
async function openSecure(section: object) {
  const authority = await createAuthority();
  await authority.issue('server');
  const webFile = join(authority.folder, 'web.yml');

  async function readTls(settings: object): Promise<ServerTls> {
    const files = { cert_file: 'server.pem', key_file: 'server.key' };
    await writeFile(webFile, stringify({ tls_server_config: { ...files, ...settings } }));
    const source = await openWebSource(webFile, { log: silentLog });
    return source.current().tls!;
  }

  let tls = await readTls(section);
  const listener = await listen({
    respond: (_request, response) => response.end('inside'),
    address: { host: '127.0.0.1', port: 0 },
    log: silentLog,
    tls: () => tls,
  });
  onTestFinished(() => listener.close(0));
  /** What a request gets, or the reason why it got nothing. */
  async function ask(options: RequestOptions): Promise<string> {
    const asking = get(listener.url, { ca: authority.cert, agent: false, ...options });
    const answered = once(asking, 'response').then(([answer]) => text(answer as IncomingMessage));
    return answered.catch((error: Error) => error.message);
  }
  const renew = async (settings: object) => void (tls = await readTls(settings));
  return { authority, renew, ask };
}

const verifying = { client_auth_type: 'RequireAndVerifyClientCert', client_ca_file: 'test-ca.pem' };

describeWith(['openssl'], 'a client certificate', () => {
  const shown: Record<string, (authority: Authority) => Promise<Partial<Certificate>>> = {
    none: async () => ({}),
    own: (authority) => authority.issue('client', { sans: 'DNS:prometheus' }),
    stranger: () => selfSigned('stranger', ['subjectAltName=DNS:prometheus']),
    expired: (authority) => authority.issue('late', { sans: 'DNS:prometheus', days: -1 }),
  };
  const everybody = Object.keys(shown);

  it.each([
    ['NoClientCert', everybody],
    ['RequestClientCert', everybody],
    ['RequireAnyClientCert', ['own', 'stranger', 'expired']],
    ['VerifyClientCertIfGiven', ['none', 'own']],
    ['RequireAndVerifyClientCert', ['own']],
  ])('by %s lets in: %s', async (client_auth_type, admitted) => {
    const ca = client_auth_type === 'NoClientCert' ? {} : { client_ca_file: 'test-ca.pem' };
    const { authority, ask } = await openSecure({ client_auth_type, ...ca });
    for (const [name, certificateOf] of Object.entries(shown)) {
      const { cert, key } = await certificateOf(authority);
      const agent = new Agent({ ca: authority.cert, ...(cert && key && { cert, key }) });
      // Whoever is let in once is let in again, and nobody else is by asking twice.
      const inside = [await ask({ agent }), await ask({ agent })].map((answer) => answer === 'inside');
      expect(inside, name).toEqual(Array(2).fill(admitted.includes(name)));
    }
  });

  it('is known by the names that are allowed', async () => {
    const { authority, ask, renew } = await openSecure(verifying);
    for (const [sans, client_allowed_sans, isAdmitted] of [
      ['DNS:other,DNS:prometheus', ['somebody', 'prometheus'], true],
      ['IP:fd00::1', ['fd00:0::1'], true],
      ['URI:spiffe://example.com/prometheus', ['spiffe://example.com/prometheus'], true],
      ['DNS:prometheus.evil', ['prometheus'], false],
      ['DNS:*.example.com', ['a.example.com'], false],
      ['email:ops@example.com', [], false],
    ] as const) {
      await renew({ ...verifying, client_allowed_sans });
      const { cert, key } = await authority.issue('client', { sans });
      expect((await ask({ cert, key })) === 'inside', sans).toBe(isAdmitted);
    }
  });

  it('has a name in quotes, which does not pass for two', () => {
    expect(alternativeNames('DNS:"evil, DNS:prometheus, x", DNS:"a\\"b", othername:<unsupported>')).toEqual([
      'evil, DNS:prometheus, x',
      'a"b',
      '<unsupported>',
    ]);
  });

  it('is not remembered from one CA to the next', async () => {
    const { authority, ask, renew } = await openSecure(verifying);
    const { cert, key } = await authority.issue('client');
    const agent = new Agent({ ca: authority.cert, cert, key });
    expect([await ask({ agent }), await ask({ agent })]).toEqual(['inside', 'inside']);
    const next = await createAuthority('next-ca');
    await renew({ ...verifying, client_ca_file: next.certFile });
    expect(await ask({ agent })).not.toBe('inside');
    const renewed = await next.issue('client');
    expect(await ask({ cert: renewed.cert, key: renewed.key })).toBe('inside');
  });
});

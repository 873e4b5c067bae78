import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, get, type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { ServerTls } from '../../src/config/web/file.ts';
import { openWebSource } from '../../src/config/web/source.ts';
import { alternativeNames, listen, type Timeouts } from '../../src/http/listen.ts';
import { createAuthority, selfSigned, type Authority, type Certificate } from '../support/certificates.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { silentLog } from '../support/silent-log.ts';

interface SecureListener {
  readonly authority: Authority;
  readonly url: string;
  readonly port: number;
  /** Takes what the files have now, with this section. */
  renew(section?: object): Promise<void>;
  /** What a request gets, or the reason why it got nothing. */
  ask(options?: RequestOptions): Promise<string>;
  close(graceMs: number): Promise<void>;
}

/** With a certificate of an authority of its own, and `tls_server_config` as given. */
async function openSecure(section: object = {}, timeouts: Partial<Timeouts> = {}): Promise<SecureListener> {
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
    timeouts,
  });
  onTestFinished(() => listener.close(0));
  const port = Number(new URL(listener.url).port);
  return {
    ...listener,
    authority,
    port,
    async renew(settings = section) {
      tls = await readTls(settings);
    },
    ask: (options = {}) =>
      askFor(listener.url, { ca: authority.cert, agent: false, ...options }).catch(
        (error: Error) => error.message,
      ),
  };
}

async function askFor(url: string, options: RequestOptions): Promise<string> {
  const [answer] = (await once(get(url, options), 'response')) as [IncomingMessage];
  return text(answer);
}

async function shake(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

describeWith(['openssl', 'curl'], 'a listener with TLS', () => {
  it('speaks HTTPS and nothing else, and HTTP/1.1 to who would like HTTP/2', async () => {
    const listener = await openSecure();
    expect(listener.url).toBe(`https://127.0.0.1:${listener.port}`);
    const plain = connect(listener.port, '127.0.0.1');
    plain.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await text(plain).catch(() => '')).not.toContain('inside');
    const trust = ['--cacert', listener.authority.certFile];
    const words = ['-sS', '--http2', ...trust, '-w', ' %{http_version}', listener.url];
    expect((await promisify(execFile)(pathOf('curl'), words)).stdout).toBe('inside 1.1');
  });

  it.each([
    [{}, 'TLSv1.1', undefined],
    [{}, 'TLSv1.2', 'TLSv1.2'],
    [{}, 'TLSv1.3', 'TLSv1.3'],
    [{ min_version: 'TLS13' }, 'TLSv1.2', undefined],
    [{ min_version: 'TLS13' }, 'TLSv1.3', 'TLSv1.3'],
    [{ max_version: 'TLS12' }, 'TLSv1.3', 'TLSv1.2'],
  ] as const)('with %j and a client of at most %s speaks %s', async (section, newest, spoken) => {
    const { port } = await openSecure(section);
    const old = newest === 'TLSv1.1' ? { minVersion: newest, ciphers: 'DEFAULT@SECLEVEL=0' } : {};
    const shaken = shake(port, { maxVersion: newest, ...old });
    if (spoken === undefined) await expect(shaken).rejects.toThrow(/alert|version|protocol/i);
    else expect((await shaken).getProtocol()).toBe(spoken);
  });

  it('uses the cipher suites it was given, and those of TLS 1.3', async () => {
    const { port } = await openSecure({ cipher_suites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] });
    const cipherOf = async (options: ConnectionOptions) => (await shake(port, options)).getCipher().name;
    expect(await cipherOf({ maxVersion: 'TLSv1.2' })).toBe('ECDHE-ECDSA-AES256-GCM-SHA384');
    expect(await cipherOf({})).toBe('TLS_AES_128_GCM_SHA256');
    const other = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' } as const;
    await expect(cipherOf(other)).rejects.toThrow(/handshake failure/);
  });

  it('shows a renewed certificate from the next connection on, and keeps those that are open', async () => {
    const listener = await openSecure();
    const agent = new Agent({ keepAlive: true, ca: listener.authority.cert, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const serialOf = async () => (await shake(listener.port, {})).getPeerCertificate().serialNumber;
    expect(await listener.ask({ agent })).toBe('inside');
    const before = await serialOf();
    const renewed = await listener.authority.issue('renewed');
    await copyFile(renewed.keyFile, join(listener.authority.folder, 'server.key'));
    await copyFile(renewed.certFile, join(listener.authority.folder, 'server.pem'));
    await listener.renew();
    const after = await serialOf();
    expect(after).not.toBe(before);
    expect(await serialOf()).toBe(after);
    expect(await listener.ask({ agent })).toBe('inside');
    expect(await listener.ask({ host: 'localhost', servername: 'localhost' })).toBe('inside');
  });

  it('closes a connection on which no handshake comes, and does not wait for it at the end', async () => {
    const { port } = await openSecure({}, { handshakeMs: 50 });
    expect(await text(connect(port, '127.0.0.1'))).toBe('');
    const patient = await openSecure();
    const socket = connect(patient.port, '127.0.0.1');
    await once(socket, 'connect');
    await patient.close(0);
    socket.destroy();
  });
});

describeWith(['openssl'], 'a client certificate', () => {
  type Shown = 'none' | 'own' | 'stranger' | 'expired';

  async function show(listener: SecureListener, shown: Shown): Promise<string> {
    const strangers: Record<Shown, () => Promise<Partial<Certificate>>> = {
      none: async () => ({}),
      own: () => listener.authority.issue('client', { sans: 'DNS:prometheus' }),
      stranger: () => selfSigned('stranger', ['subjectAltName=DNS:prometheus']),
      expired: () => listener.authority.issue('late', { sans: 'DNS:prometheus', days: -1 }),
    };
    const { cert, key } = await strangers[shown]();
    const agent = new Agent({ ca: listener.authority.cert, ...(cert && key && { cert, key }) });
    const answers = new Set([await listener.ask({ agent }), await listener.ask({ agent })]);
    if (answers.size > 1 && answers.has('inside')) return 'once';
    return answers.has('inside') ? 'inside' : 'out';
  }

  const everybody: Shown[] = ['none', 'own', 'stranger', 'expired'];

  it.each([
    ['NoClientCert', everybody],
    ['RequestClientCert', everybody],
    ['RequireAnyClientCert', ['own', 'stranger', 'expired']],
    ['VerifyClientCertIfGiven', ['none', 'own']],
    ['RequireAndVerifyClientCert', ['own']],
  ] as [string, Shown[]][])('by %s lets in: %s', async (client_auth_type, admitted) => {
    const ca = client_auth_type === 'NoClientCert' ? {} : { client_ca_file: 'test-ca.pem' };
    const listener = await openSecure({ client_auth_type, ...ca });
    const inside = [];
    for (const shown of everybody) {
      const found = await show(listener, shown);
      expect(['inside', 'out']).toContain(found);
      if (found === 'inside') inside.push(shown);
    }
    expect(inside).toEqual(admitted);
  });

  it.each([
    ['DNS:other,DNS:prometheus', ['somebody', 'prometheus'], true],
    ['IP:fd00::1', ['fd00:0::1'], true],
    ['URI:spiffe://example.com/prometheus', ['spiffe://example.com/prometheus'], true],
    ['DNS:prometheus.evil', ['prometheus'], false],
    ['DNS:*.example.com', ['a.example.com'], false],
    ['email:ops@example.com', [], false],
  ])('with %s where %j is allowed: %s', async (sans, client_allowed_sans, isAdmitted) => {
    const client_auth_type = 'RequireAndVerifyClientCert';
    const listener = await openSecure({
      client_auth_type,
      client_ca_file: 'test-ca.pem',
      client_allowed_sans,
    });
    const { cert, key } = await listener.authority.issue('client', { sans });
    expect((await listener.ask({ cert, key })) === 'inside').toBe(isAdmitted);
  });

  it('is not remembered from one CA to the next', async () => {
    const section = { client_auth_type: 'RequireAndVerifyClientCert', client_ca_file: 'test-ca.pem' };
    const listener = await openSecure(section);
    const { cert, key } = await listener.authority.issue('client');
    const agent = new Agent({ ca: listener.authority.cert, cert, key });
    expect([await listener.ask({ agent }), await listener.ask({ agent })]).toEqual(['inside', 'inside']);
    const next = await createAuthority('next-ca');
    await listener.renew({ ...section, client_ca_file: next.certFile });
    expect(await listener.ask({ agent })).not.toBe('inside');
    const renewed = await next.issue('client');
    expect(await listener.ask({ cert: renewed.cert, key: renewed.key })).toBe('inside');
  });
});

describe('the names of a certificate', () => {
  it.each([
    ['', []],
    ['DNS:a.example.com, DNS:b', ['a.example.com', 'b']],
    ['IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:0:1', ['127.0.0.1', '[fd00::1]']],
    ['URI:spiffe://x/y, email:a@b.c', ['spiffe://x/y', 'a@b.c']],
    ['DNS:"evil, DNS:prometheus, x"', ['evil, DNS:prometheus, x']],
    ['DNS:"a\\"b", DNS:c', ['a"b', 'c']],
    ['othername:<unsupported>, DNS:c', ['<unsupported>', 'c']],
  ])('%s', (given, names) => {
    expect(alternativeNames(given)).toEqual(names);
  });
});

import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proxyFromEnvironment } from '../../src/transport/proxy.ts';
import { exporterAccount } from '../../src/simulator/accounts.ts';
import { proxyFor } from '../../src/transport/connections.ts';
import { account, toldOfEnvironment } from '../config/told.ts';
import { eventually } from '../simulator/raw-request.ts';
import { createAuthority, type Certificate } from '../support/certificates.ts';
import { parseExposition } from '../support/exposition.ts';
import { describeWith } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

/** A real proxy of the plain sort; `refuse` answers in place of a tunnel, and `isSilent` leaves it without an answer. */
async function startForwardProxy(plan: { refuse?: number; isSilent?: boolean; tls?: Certificate } = {}) {
  /** What was asked of it, such as `CONNECT 127.0.0.1:443` or `GET http://…`. */
  const asked: { line: string; headers: IncomingHttpHeaders }[] = [];
  const carried: Buffer[] = [];
  const sockets = new Set<Socket>();

  const forward: RequestListener = (incoming, answer) => {
    asked.push({ line: `${incoming.method} ${incoming.url}`, headers: incoming.headers });
    const { 'proxy-authorization': _own, ...headers } = incoming.headers;
    const outgoing = request(incoming.url!, { method: incoming.method!, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      pipeline(response, answer, () => undefined);
    });
    outgoing.once('error', () => answer.destroy());
    pipeline(incoming, outgoing, () => undefined);
  };
  const server = plan.tls ? createSecureServer(plan.tls, forward) : createServer(forward);
  server.on('connect', (incoming, socket: Socket) => {
    asked.push({ line: `CONNECT ${incoming.url}`, headers: incoming.headers });
    if (plan.isSilent) {
      socket.resume().once('end', () => socket.destroy());
      return;
    }
    if (plan.refuse) {
      socket.end(`HTTP/1.1 ${plan.refuse} Refused\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const target = connect(Number(port) || 80, hostname.replace(/^\[|\]$/g, ''), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      pipeline(socket, target, socket, () => undefined);
    });
    socket.on('data', (chunk: Buffer) => carried.push(chunk));
    target.once('error', () => socket.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${plan.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    asked,
    /** Every byte that passed through its tunnels, to be searched for secrets. */
    carried: () => Buffer.concat(carried).toString('latin1'),
    openSockets: () => sockets.size,
  };
}

async function secureCloud(servers: number) {
  const authority = await createAuthority();
  const cloud = await simulate({ servers, tls: await authority.issue('platform') });
  return { authority, cloud, trusting: { cacert: authority.certFile } };
}

async function outcomeOf(exporter: { text(path: string): Promise<string> }) {
  const parsed = parseExposition(await exporter.text('/metrics'));
  const failed = parsed.of('cloud_exporter_login_failures_total').filter(({ value }) => value > 0);
  const reasons = failed.map(({ labels }) => labels['reason']);
  return [parsed.value('cloud_up'), parsed.sum('cloud_servers'), reasons];
}

describeWith(['openssl'], 'proxy_url towards a platform with TLS', () => {
  it('carries every request through tunnels, which are kept, and sees nothing of it', async () => {
    const { cloud, trusting } = await secureCloud(195);
    const proxy = await startForwardProxy();
    const settings = settingsFor(cloud, { ...trusting, proxy_url: proxy.url, page_size: 10, concurrency: 3 });
    const exporter = await runExporter({ one: settings });
    expect(await outcomeOf(exporter)).toEqual([1, 195, []]);
    expect(cloud.journal.count('list')).toBeGreaterThan(19);
    const lines = proxy.asked.map(({ line }) => line);
    expect(new Set(lines)).toEqual(new Set([`CONNECT 127.0.0.1:${cloud.port}`]));
    expect(lines.length).toBeLessThan(cloud.journal.count() / 2);
    for (const secret of [exporterAccount.password, cloud.latestToken!, '/v3/auth/tokens'])
      expect(proxy.carried()).not.toContain(secret);
    await eventually(() => proxy.openSockets() === 0);

    // The platform is verified as it would be directly.
    const { certFile: cacert } = await createAuthority('somebody-else');
    cloud.journal.clear();
    const deceived = await runExporter({ one: settingsFor(cloud, { cacert, proxy_url: proxy.url }) });
    expect(await outcomeOf(deceived)).toEqual([0, 0, ['tls']]);
    expect(cloud.journal.count()).toBe(0);
  });

  it('logs in to the proxy, which may speak TLS itself, and shows the password to nobody else', async () => {
    const { authority, cloud, trusting } = await secureCloud(5);
    const proxy = await startForwardProxy({ tls: await authority.issue('proxy') });
    const proxy_url = proxy.url.replace('//', '//us%40er:pr%3Axy@');
    const exporter = await runExporter({ one: settingsFor(cloud, { ...trusting, proxy_url }) });
    expect(await outcomeOf(exporter)).toEqual([1, 5, []]);
    const login = Buffer.from('us@er:pr:xy').toString('base64');
    expect(proxy.asked[0]).toMatchObject({
      line: `CONNECT 127.0.0.1:${cloud.port}`,
      headers: { 'proxy-authorization': `Basic ${login}` },
    });
    expect(cloud.journal.entries.every(({ headers }) => !('proxy-authorization' in headers))).toBe(true);
    const shown = exporter.logged() + (await exporter.text('/')) + (await exporter.text('/metrics'));
    for (const secret of ['pr%3Axy', 'pr:xy', login]) expect(shown).not.toContain(secret);
  });

  it.each([
    [407, 'rejected', 1],
    [403, 'rejected', 1],
    [503, 'network', 3],
  ])('fails with a reason when the proxy answers %i', async (refuse, reason, attempts) => {
    const { cloud, trusting } = await secureCloud(5);
    const proxy = await startForwardProxy({ refuse });
    const exporter = await runExporter({ one: settingsFor(cloud, { ...trusting, proxy_url: proxy.url }) });
    expect(await outcomeOf(exporter)).toEqual([0, 0, [reason]]);
    expect(proxy.asked).toHaveLength(attempts);
    expect(exporter.logged()).toContain(`the proxy refused the connection (status ${refuse})`);
  });

  it('fails in time when the proxy never answers, and leaves no connection behind', async () => {
    const { authority, cloud, trusting } = await secureCloud(5);
    const proxy = await startForwardProxy({ isSilent: true, tls: await authority.issue('proxy') });
    const times = { request_timeout: '200ms', collection_timeout: '1s' };
    const settings = settingsFor(cloud, { ...trusting, proxy_url: proxy.url, ...times });
    const exporter = await runExporter({ one: settings });
    expect(await outcomeOf(exporter)).toEqual([0, 0, ['timeout']]);
    expect(proxy.asked.length).toBeGreaterThan(0);
    await eventually(() => proxy.openSockets() === 0);
  });
});

it('proxy_url towards a platform without TLS has every request go to the proxy', async () => {
  const cloud = await simulate({ servers: 25 });
  const proxy = await startForwardProxy();
  const proxy_url = proxy.url.replace('//', '//user:word@');
  const settings = settingsFor(cloud, { proxy_url, page_size: 10 });
  const exporter = await runExporter({ one: settings });
  expect(await outcomeOf(exporter)).toEqual([1, 25, []]);
  const lines = proxy.asked.map(({ line }) => line.split('?')[0]);
  const needed = [`POST ${cloud.authUrl}/v3/auth/tokens`, `GET ${cloud.baseUrl}/servers`];
  expect(lines).toEqual(expect.arrayContaining(needed));
  expect(lines).toHaveLength(cloud.journal.count());
  expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${btoa('user:word')}`);
});

const choiceOf = (environment: Record<string, string>) => {
  const settings = proxyFromEnvironment(environment);
  return ['http://a', 'https://a'].map((url) => proxyFor(new URL(url), settings)?.host);
};

describe('the variables of the environment', () => {
  it('are followed, unless the cloud has a proxy of its own or NO_PROXY names its host', async () => {
    const cloud = await simulate({ servers: 7 });
    const [usual, own] = [await startForwardProxy(), await startForwardProxy()];
    const asks = () => [usual.asked.length > 0, own.asked.length > 0];
    const expectTold = async (environment: Record<string, string>, more: object = {}) => {
      const exporter = await runExporter({ one: settingsFor(cloud, more) }, { environment });
      expect(await outcomeOf(exporter)).toEqual([1, 7, []]);
    };
    await expectTold({ http_proxy: usual.url, no_proxy: 'example.com, 127.0.0.0/8' });
    expect(asks()).toEqual([false, false]);
    await expectTold({ HTTP_PROXY: usual.url, NO_PROXY: '*' }, { proxy_url: own.url });
    expect(asks()).toEqual([false, true]);
    await expectTold({ HTTP_PROXY: usual.url });
    expect(asks()).toEqual([true, true]);
  });

  it.each([
    ['*', ['https://a.example.com'], []],
    ['example.com', ['https://example.com', 'https://a.Example.COM'], ['https://badexample.com']],
    ['example.com', [], ['https://example.com.evil']],
    ['.example.com', ['https://a.example.com'], []],
    ['*.EXAMPLE.com', ['https://a.example.com'], []],
    ['example.com:8443', ['https://example.com:8443'], ['https://example.com']],
    ['example.com:443', ['https://example.com'], ['https://example.com:80']],
    ['10.0.0.0/8', ['https://10.1.2.3'], ['https://11.1.2.3']],
    ['10.0.0.0/99', [], ['https://10.1.2.3']],
    ['10.0.0.1', ['https://10.0.0.1:30500'], ['https://10.0.0.11']],
    ['fd00::/8', ['https://[fd00::1]:30500'], []],
    ['fd00::1', ['https://[fd00::1]'], []],
    ['[fd00::1]:30500', ['https://[fd00::1]:30500'], ['https://[fd00::1]:1']],
    ['a.com,b.com c.com', ['https://a.com', 'https://c.com'], []],
    [' , ', [], ['https://c.com']],
    ['', [], ['https://c.com']],
  ])('NO_PROXY=%s spares %j the proxy, and not %j', (exceptions, spared, others) => {
    const isSpared = (url: string) => !proxyFor(new URL(url), { https: 'http://proxy:3128', exceptions });
    expect([...spared, ...others].filter(isSpared)).toEqual(spared);
  });

  it('are read in small letters before capitals, for each scheme or for all', () => {
    expect(choiceOf({})).toEqual([undefined, undefined]);
    expect(choiceOf({ HTTP_PROXY: 'http://p:1' })).toEqual(['p:1', undefined]);
    expect(choiceOf({ HTTPS_PROXY: ' p:2 ', https_proxy: '' })).toEqual([undefined, 'p:2']);
    expect(choiceOf({ https_proxy: 'http://p:3', HTTPS_PROXY: 'http://p:4' })).toEqual([undefined, 'p:3']);
    expect(choiceOf({ ALL_PROXY: 'http://p:5', http_proxy: 'http://p:6' })).toEqual(['p:6', 'p:5']);
  });

  it('are refused when they name no proxy that can be used, without quoting them', async () => {
    const environment = {
      ...account,
      HTTP_PROXY: 'http://user:word@:x',
      https_proxy: 'http://proxy/path',
      ALL_PROXY: 'socks5://user:word@proxy:1080',
    };
    expect(await toldOfEnvironment(environment)).toEqual([
      'HTTP_PROXY: is not a URL such as http://proxy.example.com:3128',
      'https_proxy: must not have a path',
      'ALL_PROXY: must start with http:// or https://; other kinds of proxy are not supported',
    ]);
  });
});

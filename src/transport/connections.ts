import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { HttpsProxyAgent } from 'https-proxy-agent';

export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecureSkipVerify: boolean;
}

/** The proxies by the scheme of the request, and the hosts that are reached without one. */
export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  readonly exceptions: string;
}

export interface ConnectionSettings {
  readonly tls: TlsSettings;
  /** For so many requests at once. */
  readonly connections: number;
  readonly requestTimeoutMs: number;
  /** Without it, every address is reached directly. */
  readonly proxy?: ProxySettings;
  /** One for all clouds, since a resolver that hangs takes threads that all of them need; by default Node's own. */
  readonly lookup?: LookupFunction;
}

/** The connections of one cloud: kept for the next page, directly or through a proxy, and shared with nobody. */
export function createConnections(input: ConnectionSettings) {
  const { ca, cert, key, insecureSkipVerify } = input.tls;
  // One more than there are pages at once: these never wait behind a login, nor it behind them.
  const pool = {
    keepAlive: true,
    maxSockets: input.connections + 1,
    ...(input.lookup && { lookup: input.lookup }),
  };
  const verification = { ...(ca && { ca }), rejectUnauthorized: !insecureSkipVerify };
  const tls = { ...verification, ...(cert && { cert }), ...(key && { key }) };
  let isResting = false;
  const direct = {
    httpAgent: closingAtRest(new HttpAgent(pool)),
    httpsAgent: closingAtRest(new HttpsAgent({ ...pool, ...tls })),
    proxy: false as const,
  };
  const tunnels = new Map<string, HttpAgent>();

  function tunnelThrough(proxy: URL): HttpAgent {
    const known = tunnels.get(proxy.href);
    const agent = known ?? closingAtRest(createTunnel(proxy));
    tunnels.set(proxy.href, agent);
    return agent;
  }

  /** To servers with TLS (CONNECT). */
  function createTunnel(proxy: URL): HttpAgent {
    const agent = new HttpsProxyAgent<string>(proxy, { ...pool, ...verification });
    const connect = agent.connect.bind(agent);
    const { connectOpts } = agent;
    agent.connect = async (request, target) => {
      let status = 200;
      request.once('proxyConnect', ({ statusCode }: { statusCode: number }) => (status = statusCode));
      // Whoever asked may have gone; without this a proxy that never answers would keep the socket for good.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(failure('ETIMEDOUT')), input.requestTimeoutMs);
      agent.connectOpts = { ...connectOpts, signal: late.signal };
      const socket = await connect(request, { ...target, ...tls }).finally(() => clearTimeout(timer));
      if (status === 200) return socket;
      socket.destroy();
      throw failure(`PROXY_${status}`);
    };
    return agent;
  }

  /** A login may outlive its collection, and a reload the cloud whose connections these are. */
  function closingAtRest(agent: HttpAgent): HttpAgent {
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
    agent.keepSocketAlive = (socket) => !isResting && keep(socket);
    return agent;
  }

  return {
    /** How the client is to reach an address; in the words of axios. */
    towards(url: URL) {
      isResting = false;
      const proxy = input.proxy && proxyFor(url, input.proxy);
      if (!proxy) return direct;
      if (url.protocol === 'https:') return { ...direct, httpsAgent: tunnelThrough(proxy) };
      return { ...direct, proxy: forPlainRequests(proxy) };
    },
    /** Closes idle connections; those that are busy, as soon as they are not, if nobody asked for a route by then. */
    closeIdle(): void {
      isResting = true;
      // Not Agent.destroy, which would also end a login that is still under way.
      for (const agent of [direct.httpAgent, direct.httpsAgent, ...tunnels.values()])
        for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    },
  };
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function forPlainRequests(proxy: URL) {
  const [username, password] = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)];
  const place = { protocol: proxy.protocol, host: proxy.hostname, port: Number(portOf(proxy)) };
  return { ...place, ...(username && { auth: { username, password } }) };
}

/** By hand, because `proxy-from-env` knows no networks, takes no domain for all below it, and reads the environment itself. */
export function proxyFor(url: URL, { http, https, exceptions }: ProxySettings): URL | undefined {
  const proxy = url.protocol === 'https:' ? https : http;
  const isException = (rule: string) => rule !== '' && matches(rule.toLowerCase(), url);
  return proxy === undefined || exceptions.split(/[\s,]+/).some(isException) ? undefined : new URL(proxy);
}

/** A rule of NO_PROXY: `*`, a domain with all below it, an address, a network, each with a port if it has one. */
function matches(rule: string, url: URL): boolean {
  if (rule === '*') return true;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (rule.includes('/')) return isWithin(rule, host);
  const [, name = rule, port] = /^(?:\[?(.+?)\]?):(\d+)$/.exec(isIP(rule) ? '' : rule) ?? [];
  if (port !== undefined && port !== portOf(url)) return false;
  const domain = name.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  return host === domain || (!isIP(host) && host.endsWith(`.${domain}`));
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function isWithin(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits)) return false;
  if (Number(bits) > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(address, Number(bits), kind);
  return list.check(host, kind);
}

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxyChoice } from './proxy.ts';
import { createTunnelAgent } from './tunnel.ts';

export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecureSkipVerify: boolean;
}

/** How the client is to reach an address; in the words of axios. */
export interface Route {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  readonly proxy: false | { protocol: string; host: string; port: number; auth?: Login };
}

interface Login {
  readonly username: string;
  readonly password: string;
}

export interface Connections {
  towards(url: URL): Route;
  /** Closes idle connections; those that are busy, as soon as they are not, if nobody asked for a route by then. */
  closeIdle(): void;
}

/** The connections of one cloud: kept for the next page, directly or through a proxy, and shared with nobody. */
export function createConnections(input: {
  tls: TlsSettings;
  limit: number;
  proxyFor: ProxyChoice;
  timeoutMs: number;
  /** How names become addresses; by default as Node does it. */
  lookup?: LookupFunction | undefined;
}): Connections {
  const { ca, cert, key, insecureSkipVerify } = input.tls;
  // One more than there are pages at once: these never wait behind a login, nor it behind them.
  const pool = {
    keepAlive: true,
    maxSockets: input.limit + 1,
    ...(input.lookup && { lookup: input.lookup }),
  };
  const tls = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    rejectUnauthorized: !insecureSkipVerify,
  };
  let isResting = false;
  const direct = {
    httpAgent: closingAtRest(new HttpAgent(pool)),
    httpsAgent: closingAtRest(new HttpsAgent({ ...pool, ...tls })),
  };
  const tunnels = new Map<string, HttpsAgent>();

  function tunnelThrough(proxy: URL): HttpsAgent {
    const known = tunnels.get(proxy.href);
    const agent = known ?? closingAtRest(createTunnelAgent({ pool, tls, proxy, timeoutMs: input.timeoutMs }));
    tunnels.set(proxy.href, agent);
    return agent;
  }

  /** A login may outlive its collection, and a reload the cloud whose connections these are. */
  function closingAtRest<Kind extends HttpAgent>(agent: Kind): Kind {
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
    agent.keepSocketAlive = (socket) => !isResting && keep(socket);
    return agent;
  }

  return {
    towards(url) {
      isResting = false;
      const proxy = input.proxyFor(url);
      if (!proxy) return { ...direct, proxy: false };
      if (url.protocol === 'https:') return { ...direct, httpsAgent: tunnelThrough(proxy), proxy: false };
      return { ...direct, proxy: forPlainRequests(proxy) };
    },
    closeIdle() {
      isResting = true;
      // Not Agent.destroy, which would also end a login that is still under way.
      for (const agent of [direct.httpAgent, direct.httpsAgent, ...tunnels.values()])
        for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    },
  };
}

function forPlainRequests({ protocol, hostname, port, username, password }: URL): Route['proxy'] {
  return {
    protocol,
    host: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    ...(username && {
      auth: { username: decodeURIComponent(username), password: decodeURIComponent(password) },
    }),
  };
}

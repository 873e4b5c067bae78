import { request as requestPlainly, type IncomingMessage } from 'node:http';
import { Agent, request as requestSecurely, type AgentOptions, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';

/** Connections to HTTPS servers through a proxy (CONNECT), kept and shared like any others. */
export function createTunnelAgent(input: {
  pool: AgentOptions & { lookup?: LookupFunction };
  tls: ConnectionOptions;
  proxy: URL;
  timeoutMs: number;
}): Agent {
  const { tls, proxy, timeoutMs } = input;
  const { lookup } = input.pool;
  const agent = new Agent(input.pool);
  const request = proxy.protocol === 'https:' ? requestSecurely : requestPlainly;
  agent.createConnection = (target, done) => {
    const { host, port } = target;
    const authority = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
    const knock = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...credentialsOf(proxy) },
      agent: false,
      ...(lookup && { lookup }),
      ...(tls.ca && { ca: tls.ca }),
      rejectUnauthorized: tls.rejectUnauthorized,
    });
    // Whoever asked may have gone; without this a proxy that never answers would keep the socket for good.
    knock.setTimeout(timeoutMs, () => knock.destroy(failure('ETIMEDOUT')));
    knock.once('error', (error) => done?.(error, undefined as never));
    knock.once('connect', ({ statusCode }: IncomingMessage, socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) return done?.(null, connect({ ...tls, ...nameOf(target), socket }));
      socket.destroy();
      return done?.(failure(`PROXY_${statusCode}`), undefined as never);
    });
    knock.end();
    return undefined;
  };
  return agent;
}

/** Of the server itself: what the certificate is compared with. */
function nameOf({ host, servername }: RequestOptions): ConnectionOptions {
  return { ...(host && { host }), ...(servername && { servername }) };
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username) return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

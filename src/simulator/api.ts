import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exporterAccount } from './accounts.ts';
import { answerRefusal, dayMs, Refusal, type Answer, type Release } from './answer.ts';
import type { Fleet } from './fleet/fleet.ts';
import { createLogin, type IdentityPlan, type Way } from './login.ts';
import { createTokens, type Tokens } from './tokens.ts';
import type { Request } from './lists.ts';
import { createResources } from './resources.ts';

export interface CloudPlan extends Partial<Pick<IdentityPlan, 'accounts'>> {
  readonly fleet: Fleet;
  /** The ways to log in beside the password. */
  readonly ways?: (tokens: Tokens) => Readonly<Record<string, Way>>;
  readonly release?: Release;
  readonly now?: () => number;
  readonly tokenLifetimeSeconds?: number;
  readonly maximumPageSize?: number;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** What stands between a request and its answer; by default nothing. */
  readonly around?: (core: Core) => Around;
}

/** A request as it came. */
export type Call = Awaited<ReturnType<typeof receive>> & Request;

export type Answerer = (call: Call) => Promise<Answer>;
/** Sees a request before it is answered, and writes the answer. */
export type Around = (call: Call, answer: Answerer, response: ServerResponse) => Promise<void>;

export interface Core {
  readonly fleet: Fleet;
  readonly tokens: Tokens;
  readonly now: () => number;
}

export type SimulatedCloud = Awaited<ReturnType<typeof startSimulatedCloud>>;

export async function startSimulatedCloud(plan: CloudPlan) {
  const { fleet, release = '3.11', now = Date.now, maximumPageSize = 2048 } = plan;
  const tokens = createTokens(now, plan.tokenLifetimeSeconds ?? dayMs / 1000);
  const login = createLogin({
    tokens,
    accounts: plan.accounts ?? (() => [exporterAccount]),
    ways: plan.ways?.(tokens) ?? {},
    projects: () => fleet.projects,
    addresses: () => addresses,
  });
  const resources = createResources(fleet, { tokens, release, maximumPageSize });
  const around = plan.around?.({ fleet, tokens, now }) ?? passOn;

  async function answer(call: Call): Promise<Answer> {
    try {
      // Slashes are forgiven, one too many and one at the end.
      const path = call.path.replaceAll(/\/+/g, '/').replace(/(.)\/$/, '$1');
      const [, service = '', ...rest] = path.split('/');
      const inner = `/${rest.join('/')}`;
      if (service === 'identity') return signIn(call, inner);
      const [key = '', ...more] = rest;
      const resource = resources.get(key);
      if (service !== 'compute' || resource === undefined || more.length > 0) throw notFound(inner);
      if (call.method !== 'GET') throw notAllowed(call.method);
      return await resource.list(call);
    } catch (error) {
      return answerRefusal(error, now());
    }
  }

  function signIn({ method, headers, body, peer }: Call, path: string): Answer {
    if (path === '/v2.0/tokens') throw new Refusal(500, 'empty query', '_authenticateV2: empty query');
    if (path !== '/v3/auth/tokens') throw notFound(path);
    if (method === 'GET') throw new Refusal(403, 'ForbiddenError', 'missing auth token');
    if (method !== 'POST') throw notAllowed(method);
    return login(headers['content-type'], body, peer);
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await receive(request);
    response.setHeader('Server', 'Yunion AppServer/Go/2018.4');
    response.setHeader('X-Request-Id', requestId(request.headers['x-request-id']));
    response.setHeader('Date', new Date(now()).toUTCString());
    await around(call, answer, response);
  }

  const serve = (request: IncomingMessage, response: ServerResponse) => void exchange(request, response);
  const server = plan.tls === undefined ? createPlainServer(serve) : createSecureServer(plan.tls, serve);
  /** The real platform announces no keep-alive limit; whoever wants the connection closed does it himself. */
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `${plan.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const addresses = { authUrl: `${origin}/identity`, baseUrl: `${origin}/compute` };

  return {
    ...addresses,
    port,
    fleet,
    tokens,
    /** Breaks every connection, whatever still hangs on it. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const passOn: Around = async (call, answer, response) => {
  const { status, headers, body } = await answer(call);
  response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
};

async function receive(request: IncomingMessage) {
  const body = await text(request);
  const { url = '/', method = '', headers, socket } = request;
  const whole = url.startsWith('/') ? `http://simulated.invalid${url}` : url;
  const { pathname: path, searchParams: query } = new URL(whole);
  const token = headers['x-auth-token'] as string | undefined;
  return { method, path, query, headers, token, body, peer: socket.remoteAddress ?? '' };
}

function requestId(sent: string | string[] | undefined): string {
  const own = randomBytes(3).toString('hex');
  return typeof sent === 'string' ? `${sent}-${own}` : own;
}

function notFound(path: string): Refusal {
  return new Refusal(404, 'NotFoundError', `Handler ${path} not found`);
}

function notAllowed(method: string): Refusal {
  return new Refusal(405, 'MethodNotAllowedError', `${method} is not allowed here`);
}

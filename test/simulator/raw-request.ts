import { request as send, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { exporterAccount, systemProject, type Account } from '../../src/simulator/accounts.ts';
import { startSimulatedCloud, type CloudPlan, type SimulatedCloud } from './cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

export interface RawRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly agent?: Agent;
  readonly onBytes?: (bytes: Buffer) => void;
}

export const startedAt = Date.parse('2026-11-15T00:00:00Z');

/** A cloud that is closed when the test ends, with a clock that stands still. */
export async function startCloud(
  plan: Partial<CloudPlan> & { servers?: number } = {},
): Promise<SimulatedCloud> {
  const { servers = 30, now = () => startedAt, ...rest } = plan;
  const cloud = await startSimulatedCloud({ fleet: createFleet({ servers, now }), now, ...rest });
  onTestFinished(() => cloud.close());
  return cloud;
}

/** Bare node:http, so that nothing between the test and the socket repairs what it sees. */
export function exchange({ url, method = 'GET', headers = {}, body = '', agent, onBytes }: RawRequest) {
  return new Promise<RawAnswer>((resolve, reject) => {
    const request = send(url, { method, headers, agent: agent ?? false }, (response) => {
      collect(response, onBytes).then(resolve, reject);
    });
    request.once('error', reject).end(body);
  });
}

async function collect(
  response: IncomingMessage,
  onBytes: (bytes: Buffer) => void = () => {},
): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    onBytes(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const jsonHeaders = { 'Content-Type': 'application/json' };

export const passwordIdentity = {
  methods: ['password'],
  password: {
    user: {
      name: exporterAccount.name,
      password: exporterAccount.password,
      Domain: { name: exporterAccount.domain.name },
    },
  },
};

export const projectScope = {
  project: { name: systemProject.name, domain: { id: systemProject.domain.id } },
};

export function postLogin(cloud: SimulatedCloud, auth: unknown, agent?: Agent): Promise<RawAnswer> {
  const url = `${cloud.authUrl}/v3/auth/tokens`;
  const body = JSON.stringify({ auth });
  return exchange({ url, method: 'POST', headers: jsonHeaders, body, ...(agent && { agent }) });
}

export async function takeToken(
  cloud: SimulatedCloud,
  scope: object | undefined = projectScope,
): Promise<string> {
  const { headers } = await postLogin(cloud, { identity: passwordIdentity, ...(scope && { scope }) });
  return String(headers['x-subject-token']);
}

/** A token of another account, for the project `web` of the domain `Default`. */
export async function takeTokenOf(cloud: SimulatedCloud, account: Account): Promise<string> {
  const { name, password, domain } = account;
  const identity = { methods: ['password'], password: { user: { name, password, domain } } };
  const scope = { project: { name: 'web', domain: { id: 'default' } } };
  return String((await postLogin(cloud, { identity, scope })).headers['x-subject-token']);
}

export function getServers(cloud: SimulatedCloud, token: string, query = 'details=true'): Promise<RawAnswer> {
  const headers = { ...jsonHeaders, 'X-Auth-Token': token };
  return exchange({ url: `${cloud.baseUrl}/servers?${query}`, headers });
}

export interface ListBody {
  readonly limit?: number;
  readonly offset?: number;
  readonly total?: number;
  readonly servers: readonly Record<string, unknown>[];
}

export function listOf(answer: RawAnswer): ListBody {
  return answer.json as ListBody;
}

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open?.() };
}

/** Lets the event loop turn until it is so: no clock is involved. */
export async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}

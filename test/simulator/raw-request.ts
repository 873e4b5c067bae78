import { request as send, type Agent, type IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { exporterAccount, systemProject, type Account } from '../../src/simulator/accounts.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud, type CloudPlan, type SimulatedCloud } from './cloud.ts';

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

export type Row = Record<string, unknown>;

export const startedAt = Date.parse('2026-11-15T00:00:00Z');
export const now = () => startedAt;

/** A cloud that is closed when the test ends, with a clock that stands still. */
export async function startCloud(
  plan: Partial<CloudPlan> & { servers?: number } = {},
): Promise<SimulatedCloud> {
  const { servers = 30, ...rest } = plan;
  const clock = plan.now ?? now;
  const fleet = plan.fleet ?? createFleet({ servers, now: clock });
  const cloud = await startSimulatedCloud({ ...rest, fleet, now: clock });
  onTestFinished(() => cloud.close());
  return cloud;
}

/** Bare node:http, so that nothing between the test and the socket repairs what it sees. */
export function exchange({ url, method = 'GET', headers = {}, body = '', agent, onBytes }: RawRequest) {
  return new Promise<RawAnswer>((resolve, reject) => {
    const request = send(url, { method, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        onBytes?.(chunk);
      });
      response.once('error', reject).once('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
      });
    });
    request.once('error', reject).end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const jsonHeaders = { 'Content-Type': 'application/json' };

export function identityOf({ name, password, domain }: Account): object {
  return { methods: ['password'], password: { user: { name, password, Domain: { name: domain.name } } } };
}

export const passwordIdentity = identityOf(exporterAccount);
export const projectScope = {
  project: { name: systemProject.name, domain: { id: systemProject.domain.id } },
};
export const webScope = { project: { name: 'web', domain: { id: 'default' } } };

export function postLogin(cloud: SimulatedCloud, auth: unknown, agent?: Agent): Promise<RawAnswer> {
  const url = `${cloud.authUrl}/v3/auth/tokens`;
  const body = JSON.stringify({ auth });
  return exchange({ url, method: 'POST', headers: jsonHeaders, body, ...(agent && { agent }) });
}

/** Of the exporter for the project `system` unless another account or scope is named; others have a role in `web`. */
export async function takeToken(
  cloud: SimulatedCloud,
  account = exporterAccount,
  scope?: object,
): Promise<string> {
  const usual = account.rights === 'system' ? projectScope : webScope;
  const answer = await postLogin(cloud, { identity: identityOf(account), scope: scope ?? usual });
  return String(answer.headers['x-subject-token']);
}

/** A list, or one record of it, as somebody with that token gets it; by default the exporter. */
export async function ask(cloud: SimulatedCloud, target: string, token?: string): Promise<RawAnswer> {
  const headers = { ...jsonHeaders, 'X-Auth-Token': token ?? (await takeToken(cloud)) };
  return exchange({ url: `${cloud.baseUrl}/${target}`, headers });
}

/** What is around the records, and whatever is listed. */
export type ListBody = Partial<Record<'limit' | 'offset' | 'total', number>> & {
  readonly rows: readonly Row[];
};

/** The whole system, unless the target says otherwise. */
export async function list(cloud: SimulatedCloud, target: string, token?: string): Promise<ListBody> {
  const [path = '', query = ''] = target.split('?');
  const scoped = query.includes('scope=') ? query : `scope=system&${query}`;
  return listOf(await ask(cloud, `${path}?${scoped}`, token));
}

export function listOf({ json }: RawAnswer): ListBody {
  const entries = Object.entries(json as Row);
  const [, rows = []] = entries.find(([, value]) => Array.isArray(value)) ?? [];
  const around = entries.filter(([key]) => ['limit', 'offset', 'total'].includes(key));
  return { ...Object.fromEntries(around), rows: rows as Row[] };
}

export const idsOf = ({ rows }: ListBody) => rows.map(({ id }) => String(id));

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}

/** Lets the event loop turn until it is so: no clock is involved. */
export async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}

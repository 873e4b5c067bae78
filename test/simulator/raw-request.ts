import { request as send, type Agent, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { simulate } from '../support/simulated.ts';
import { exporterAccount, systemProject, type Account } from './accounts.ts';
import type { SimulatedCloud } from './cloud.ts';

export type RawAnswer = Awaited<ReturnType<typeof exchange>>;

interface RawRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly agent?: Agent;
}

export type Row = Record<string, unknown>;

export const startedAt = Date.parse('2026-11-15T00:00:00Z');
export const now = () => startedAt;

/** A cloud with a clock that stands still. */
export const startCloud: typeof simulate = (plan) => simulate({ servers: 30, now, ...plan });

/** Bare node:http, so that nothing between the test and the socket repairs what it sees. */
export async function exchange(asked: RawRequest) {
  const { url, method = 'GET', headers: sent = {}, body = '', agent = false } = asked;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, { method, headers: sent, agent }, resolve).once('error', reject).end(body);
  });
  const { statusCode: status = 0, headers } = response;
  const told = await text(response);
  return { status, headers, text: told, json: parsed(told) };
}

/** Undefined when it is not JSON. */
function parsed(told: string): unknown {
  try {
    return JSON.parse(told);
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

export function postLogin(cloud: SimulatedCloud, auth: unknown): Promise<RawAnswer> {
  const url = `${cloud.authUrl}/v3/auth/tokens`;
  return exchange({ url, method: 'POST', headers: jsonHeaders, body: JSON.stringify({ auth }) });
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
type ListBody = Partial<Record<'limit' | 'offset' | 'total', number>> & {
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

/** Lets the event loop turn until it is so: no clock is involved. */
export async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}

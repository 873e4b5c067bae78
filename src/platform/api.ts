import { z } from 'zod';
import type { Token } from '../identity/issue.ts';
import type { TokenSource } from '../identity/token.ts';
import { Failure, type FailureReason, type Operation } from '../transport/failure.ts';
import type { Answer, Transport } from '../transport/request.ts';
import { createEndpoints } from './catalog.ts';
import type { KnownPages } from './known-page.ts';
import { createPageParser, type ParseBody } from './read-page.ts';
import type { Unread } from './record-text.ts';
import { sendWithToken } from './with-token.ts';

/** A page, with what was made of each record in its place. */
export interface Page<Item> {
  readonly records: readonly Item[];
  readonly limit: number | undefined;
  readonly total: number | undefined;
  /** `Date` of the answer: the clock of whoever answered. */
  readonly answeredAt?: number | undefined;
}

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  /** The fields to be sent; all of them if there are none. */
  readonly fields: readonly string[];
  /** Fields that nobody reads, where the platform sends them all the same. */
  readonly unread?: readonly Unread[] | undefined;
  /** Whether what is not a column of the servers is looked up; true by default. */
  readonly details?: boolean | undefined;
  /** Only servers for which all of these hold. */
  readonly filters?: readonly string[] | undefined;
  /** More parameters of this request alone. */
  readonly parameters?: readonly (readonly [string, string])[] | undefined;
}

export interface ReadContext {
  readonly deadline: number;
  readonly signal?: AbortSignal;
  readonly retryTimeouts?: boolean;
  readonly onRetry?: (reason: FailureReason) => void;
}

/** The two read operations of the platform's document, and those on hosts, which the real platform has besides. */
export interface PlatformApi {
  /**
   * `take` is given each record as it arrives, twice if the page had to be asked for twice; but none that is `known`.
   */
  listPage<Item>(
    page: PageRequest,
    context: ReadContext,
    take: (record: unknown) => Item,
    known?: KnownPages<Item>,
  ): Promise<Page<Item>>;
  getServer(id: string, context: ReadContext): Promise<unknown>;
  /** Without details. A refusal is taken for an answer: it costs no new token. */
  listHosts<Item>(
    page: PageRequest,
    context: ReadContext,
    take: (record: unknown) => Item,
    known?: KnownPages<Item>,
  ): Promise<Page<Item>>;
  /** With details. */
  getHost(id: string, context: ReadContext): Promise<Readonly<Record<string, unknown>>>;
}

const whole = z.int().nonnegative();
/** Integers may come as digits. */
const count = z
  .union([whole, z.string().regex(/^\d+$/).transform(Number).pipe(whole)])
  .optional()
  .catch(undefined);
/** Looked at one by one they would take as long as all the rest. */
const list = z.custom<unknown[]>((value) => Array.isArray(value));
const pageShape = z.object({ servers: list, limit: count, total: count });
const serverShape = z.object({ server: z.record(z.string(), z.unknown()) });
const hostPageShape = z.object({ hosts: list, limit: count, total: count });
const hostShape = z.object({ host: z.record(z.string(), z.unknown()) });

export function createPlatformApi(input: {
  transport: Transport;
  tokens: TokenSource;
  baseUrl: string | undefined;
  catalog: { interface: string; region: string | undefined };
  query: readonly (readonly [string, string])[];
  withMetadata: boolean;
}): PlatformApi {
  const { transport, tokens } = input;
  const endpointFor = createEndpoints(input.baseUrl, input.catalog);

  function sender(
    operation: Operation,
    path: string,
    query: URLSearchParams,
    context: ReadContext & { readonly parse?: ParseBody },
  ) {
    return async (holder: Token): Promise<Answer<unknown>> => {
      const url = new URL(`${endpointFor(holder)}/${path}?${query.toString()}`);
      const headers = { 'X-Auth-Token': holder.value, 'Content-Type': 'application/json' };
      const validUntil = holder.deadAt;
      const secrets = [holder.value];
      const request = { ...context, operation, method: 'GET', url, headers, secrets, validUntil } as const;
      const { parse } = context;
      const answer = await (parse
        ? transport.read(request, (body) => parsedBy(parse, body))
        : transport.json(request));
      tokens.accepted(holder);
      return answer;
    };
  }

  const get = (...[operation, path, query, context]: Parameters<typeof sender>): Promise<Answer<unknown>> =>
    sendWithToken(tokens, context, sender(operation, path, query, context));

  async function getHosts(
    ...[operation, path, query, context]: Parameters<typeof sender>
  ): Promise<Answer<unknown>> {
    // Filters and the like are about servers.
    for (const [name, value] of input.query) if (name === 'scope') query.append(name, value);
    return sender(operation, path, query, context)(await tokens.obtain(context.deadline, context.signal));
  }

  return {
    async listPage<Item>(
      { offset, limit, fields, unread = [], details = true, filters = [], parameters = [] }: PageRequest,
      context: ReadContext,
      take: (record: unknown) => Item,
      known?: KnownPages<Item>,
    ) {
      const query = new URLSearchParams({ details: String(details), limit: String(limit) });
      if (input.withMetadata) query.set('with_meta', 'true');
      if (offset > 0) query.set('offset', String(offset));
      for (const field of fields) query.append('field', field);
      for (const filter of filters) query.append('filter', filter);
      for (const [name, value] of [...parameters, ...input.query]) query.append(name, value);
      const parse = createPageParser(take, { known, unread });
      const answer = await get('list_servers', 'servers', query, { ...context, parse });
      const parsed = pageShape.safeParse(answer.result);
      if (!parsed.success) throw malformed('list_servers', 'GET /servers: the answer has no list of servers');
      const { servers, limit: answered, total } = parsed.data;
      const { answeredAt } = answer;
      return { records: servers as Item[], limit: answered, total, answeredAt };
    },
    getServer: async (id, context) => {
      const path = `servers/${encodeURIComponent(id)}`;
      const { result } = await get('get_server', path, new URLSearchParams(), context);
      const parsed = serverShape.safeParse(result);
      if (!parsed.success) throw malformed('get_server', `GET /${path}: the answer has no server`);
      return parsed.data.server;
    },
    async listHosts<Item>(
      { offset, limit, fields }: PageRequest,
      context: ReadContext,
      take: (record: unknown) => Item,
      known?: KnownPages<Item>,
    ) {
      const query = new URLSearchParams({ details: 'false', limit: String(limit) });
      if (offset > 0) query.set('offset', String(offset));
      for (const field of fields) query.append('field', field);
      const parse = createPageParser(take, { list: 'hosts', known });
      const { result } = await getHosts('list_hosts', 'hosts', query, { ...context, parse });
      const parsed = hostPageShape.safeParse(result);
      if (!parsed.success) throw malformed('list_hosts', 'GET /hosts: the answer has no list of hosts');
      const { hosts, limit: answered, total } = parsed.data;
      return { records: hosts as Item[], limit: answered, total };
    },
    async getHost(id, context) {
      const path = `hosts/${encodeURIComponent(id)}`;
      const { result } = await getHosts('get_host', path, new URLSearchParams(), context);
      const parsed = hostShape.safeParse(result);
      if (!parsed.success) throw malformed('get_host', `GET /${path}: the answer has no host`);
      return parsed.data.host;
    },
  };
}

async function parsedBy(parse: ParseBody, body: Buffer): Promise<unknown> {
  const parsed = await parse(body);
  if (parsed === undefined) throw new SyntaxError('the body is not JSON');
  return parsed;
}

function malformed(operation: Operation, message: string): Failure {
  return new Failure('malformed', message, { operation });
}

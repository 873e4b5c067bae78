import { z } from 'zod';
import type { Token } from '../identity/issue.ts';
import type { TokenSource } from '../identity/token.ts';
import { Failure, type FailureReason, type Operation, type Resource } from '../transport/failure.ts';
import { asksTooMuch } from '../transport/privilege.ts';
import type { Answer, Transport } from '../transport/request.ts';
import { createEndpoints } from './catalog.ts';
import type { Page, PageAsk } from './list.ts';
import { nothingExpected, readRecords, type Expected, type Print } from './records.ts';
import type { ScopeChoice } from './scope.ts';

export interface PageRequest {
  readonly resource: Resource;
  readonly ask: PageAsk;
  /** Whether what is not a column is looked up. */
  readonly details: boolean;
  /** The fields to be sent; all of them if there are none. */
  readonly fields: readonly string[];
  /** Only records for which all of these hold. */
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

/** What is made of each record of a page, and which of them are known. */
export interface PageReader<Item> {
  readonly take: (record: unknown, print: Print) => Item;
  readonly expected?: Expected<Item> | undefined;
}

export interface PlatformApi {
  listPage<Item>(
    request: PageRequest,
    context: ReadContext,
    /** Begun anew at each attempt. */
    read: () => PageReader<Item>,
  ): Promise<Page<Item>>;
}

/** What the order and the pages of a list hang on is not the configuration's to say. */
const ours: ReadonlySet<string> = new Set(['order', 'order_by', 'limit', 'offset']);

const whole = z.int().nonnegative();
/** Integers may come as digits. */
const count = z
  .union([whole, z.string().regex(/^\d+$/).transform(Number).pipe(whole)])
  .optional()
  .catch(undefined);
const pageShape = z.object({ limit: count, total: count });

export function createPlatformApi(input: {
  transport: Transport;
  tokens: TokenSource;
  scope: ScopeChoice;
  baseUrl: string | undefined;
  catalog: { interface: string; region: string | undefined };
  query: readonly (readonly [string, string])[];
  withMetadata: boolean;
}): PlatformApi {
  const { transport, tokens, scope } = input;
  const endpointFor = createEndpoints(input.baseUrl, input.catalog);
  const configured = input.query.filter(([name]) => !ours.has(name));

  interface Get<Result> {
    readonly operation: Operation;
    readonly path: string;
    readonly query: (token: Token) => URLSearchParams;
    readonly read: (body: Buffer) => Result;
  }

  async function send<Result>(get: Get<Result>, context: ReadContext, token: Token): Promise<Answer<Result>> {
    const query = get.query(token).toString();
    const request = {
      ...context,
      operation: get.operation,
      method: 'GET' as const,
      url: new URL(`${endpointFor(token)}/${get.path}${query && '?'}${query}`),
      headers: { 'X-Auth-Token': token.value, 'Content-Type': 'application/json' },
      secrets: [token.value],
      validUntil: token.deadAt,
    };
    const answer = await transport.read(request, get.read);
    tokens.accepted(token);
    return answer;
  }

  /** With the token held; if that is refused, with a narrower scope where the refusal names one, or with a new token. */
  async function get<Result>(request: Get<Result>, context: ReadContext): Promise<Answer<Result>> {
    const sendWith = (token: Token): Promise<Answer<Result>> => {
      const asked = scope.of(token);
      return send(request, context, token).catch((error: unknown) => {
        const refusal = error instanceof Failure ? error.privilege : undefined;
        if (!refusal || !scope.narrow(token, refusal, asked)) throw error;
        return sendWith(token);
      });
    };
    const token = await tokens.obtain(context.deadline, context.signal);
    try {
      return await sendWith(token).catch((error: unknown) => {
        // The platform also refuses while it cannot ask its identity service: that may pass.
        if (!tokens.isPrecious || !isRefusal(error)) throw error;
        return sendWith(token);
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const fresh = await tokens.replace(token, context.deadline, context.signal);
      if (!fresh) throw error;
      return sendWith(fresh);
    }
  }

  /** Beside the servers: a refusal is taken for an answer, and costs no new token. */
  async function getBeside<Result>(request: Get<Result>, context: ReadContext): Promise<Answer<Result>> {
    return send(request, context, await tokens.obtain(context.deadline, context.signal));
  }

  function queryOf(
    { resource, ask, details, fields, filters = [], parameters = [] }: PageRequest,
    token: Token,
  ) {
    const query = new URLSearchParams({ details: String(details), limit: String(ask.limit) });
    if (ask.offset) query.set('offset', String(ask.offset));
    for (const field of fields) query.append('field', field);
    for (const filter of filters) query.append('filter', filter);
    if (ask.range) {
      const { after, upTo } = ask.range;
      query.set('order_by', 'id');
      query.set('order', 'asc');
      if (after !== undefined) query.append('filter', `id.gt("${after}")`);
      if (upTo !== undefined) query.append('filter', `id.le("${upTo}")`);
    }
    for (const [name, value] of parameters) query.append(name, value);
    if (resource === 'servers') {
      if (input.withMetadata) query.set('with_meta', 'true');
      for (const [name, value] of configured) query.append(name, value);
    }
    const word = scopeFor(resource, token);
    if (word !== undefined) query.append('scope', word);
    return query;
  }

  /** Zones and regions are open to every account, but only with this word does it see all of them. */
  function scopeFor(resource: Resource, token: Token): string | undefined {
    if (resource === 'zones' || resource === 'cloudregions') return 'system';
    const chosen = scope.of(token);
    if (chosen !== 'query') return chosen === 'project' ? undefined : chosen;
    // Filters and the like are about servers; there, the configuration's own word is in the query already.
    return resource === 'servers' ? undefined : configured.find(([name]) => name === 'scope')?.[1];
  }

  return {
    async listPage<Item>(request: PageRequest, context: ReadContext, read: () => PageReader<Item>) {
      const { resource } = request;
      const operation: Operation = `list_${resource}`;
      const readPage = (body: Buffer) => {
        const { take, expected = nothingExpected } = read();
        return readRecords<Item>(body, resource, take, expected);
      };
      const ways = resource === 'servers' ? get : getBeside;
      const query = (token: Token) => queryOf(request, token);
      const { result, header } = await ways({ operation, path: resource, query, read: readPage }, context);
      if (!result) throw malformed(operation, `GET /${resource}: the answer has no list of ${resource}`);
      const { limit, total } = pageShape.parse(result.rest);
      const answeredAt = Date.parse(header('date') ?? '') || undefined;
      return { items: result.items, limit, total, answeredAt };
    },
  };
}

/** The platform answers 403 for a dead token; the document suggests 401. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure) || error.operation === 'login') return false;
  if (error.privilege && asksTooMuch(error.privilege)) return false;
  return error.reason === 'unauthorized' || error.reason === 'forbidden';
}

function malformed(operation: Operation, message: string): Failure {
  return new Failure('malformed', message, { operation });
}

import type { Token } from '../identity/issue.ts';
import type { TokenSource } from '../identity/token.ts';
import { Failure, listFailure, type Resource } from '../transport/failure.ts';
import { asksTooMuch } from '../transport/privilege.ts';
import type { Request, Transport } from '../transport/request.ts';
import { endpointOf } from './catalog.ts';
import type { Page, PageAsk } from './list-pages.ts';
import { nothingExpected, readRecords, type Expected, type Print } from './records.ts';
import type { ScopeChoice } from './scope.ts';
import { quantityOf } from './server.ts';

export interface PageRequest {
  readonly resource: Resource;
  readonly ask: PageAsk;
  /** Whether what is not a column is looked up. */
  readonly details: boolean;
  /** The fields to be sent; all of them if there are none. */
  readonly fields: readonly string[];
  /** What records are known and ordered by, where that is another field than `id`: a number. */
  readonly key?: string | undefined;
  /** Only records for which all of these hold. */
  readonly filters?: readonly string[] | undefined;
  /** More parameters of this request alone. */
  readonly parameters?: readonly (readonly [string, string])[] | undefined;
}

export type ReadContext = Pick<Request, 'deadline' | 'signal' | 'retryTimeouts' | 'onRetry'>;

/** What is made of each record of a page, and which of them are known. */
export interface PageReader<Item> {
  readonly take: (record: unknown, print: Print) => Item;
  readonly expected?: Expected<Item> | undefined;
}

export type PlatformApi = ReturnType<typeof createPlatformApi>;

/** What the order and the pages of a list hang on is not the configuration's to say. */
const ours: ReadonlySet<string> = new Set(['order', 'order_by', 'limit', 'offset']);

export function createPlatformApi(input: {
  transport: Transport;
  tokens: TokenSource;
  scope: ScopeChoice;
  baseUrl: string | undefined;
  catalog: { interface: string; region: string | undefined };
  query: readonly (readonly [string, string])[];
  withMetadata: boolean;
}) {
  const { transport, tokens, scope } = input;
  const configured = input.query.filter(([name]) => !ours.has(name));

  /** With the token held; if that is refused, with a narrower scope where the refusal names one, or with a new token. */
  async function withToken<Done>(context: ReadContext, send: (token: Token) => Promise<Done>): Promise<Done> {
    const sendWith = (token: Token): Promise<Done> => {
      const asked = scope.of(token);
      return send(token).catch((error: unknown) => {
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

  function queryOf(
    { resource, ask, details, fields, key, filters = [], parameters = [] }: PageRequest,
    token: Token,
  ) {
    const query = new URLSearchParams({ details: String(details), limit: String(ask.limit) });
    if (ask.offset) query.set('offset', String(ask.offset));
    for (const field of fields) query.append('field', field);
    for (const filter of filters) query.append('filter', filter);
    if (ask.range) {
      const { after, upTo } = ask.range;
      const valueOf = (id: string) => (key === undefined ? `"${id}"` : Number(id));
      query.set('order_by', key ?? 'id');
      query.set('order', 'asc');
      if (after !== undefined) query.append('filter', `${key ?? 'id'}.gt(${valueOf(after)})`);
      if (upTo !== undefined) query.append('filter', `${key ?? 'id'}.le(${valueOf(upTo)})`);
    }
    for (const [name, value] of parameters) query.append(name, value);
    if (resource === 'servers') {
      if (input.withMetadata) query.set('with_meta', 'true');
      for (const [name, value] of configured) query.append(name, value);
    }
    const word = scopeFor(resource, token);
    if (word !== undefined) query.append('scope', word);
    return query.toString();
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
    /** `begin` is called at each attempt. */
    async listPage<Item>(
      request: PageRequest,
      context: ReadContext,
      begin: () => PageReader<Item>,
    ): Promise<Page<Item>> {
      const { resource } = request;
      const send = async (token: Token) => {
        const endpoint = endpointOf(token.catalog, input.baseUrl, input.catalog);
        const answer = await transport.read(
          {
            ...context,
            operation: `list_${resource}`,
            method: 'GET',
            url: new URL(`${endpoint}/${resource}?${queryOf(request, token)}`),
            headers: { 'X-Auth-Token': token.value, 'Content-Type': 'application/json' },
            secrets: [token.value],
            validUntil: token.deadAt,
          },
          (body) => {
            const { take, expected = nothingExpected } = begin();
            return readRecords<Item>(body, resource, take, expected);
          },
        );
        tokens.accepted(token);
        return answer;
      };
      // Beside the servers a refusal is taken for an answer, and costs no new token.
      const { result, header } =
        resource === 'servers'
          ? await withToken(context, send)
          : await send(await tokens.obtain(context.deadline, context.signal));
      if (!result) throw listFailure(resource, 'malformed', `the answer has no list of ${resource}`);
      const { items, rest } = result;
      return {
        items,
        limit: quantityOf(rest['limit']),
        total: quantityOf(rest['total']),
        answeredAt: Date.parse(header('date') ?? '') || undefined,
      };
    },
  };
}

/** The platform answers 403 for a dead token; the document suggests 401. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure) || error.operation === 'login') return false;
  if (error.privilege && asksTooMuch(error.privilege)) return false;
  return error.reason === 'unauthorized' || error.reason === 'forbidden';
}

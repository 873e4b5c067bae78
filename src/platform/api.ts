import type { Token } from '../identity/issue.ts';
import type { TokenSource } from '../identity/token.ts';
import { cureOfBrokenAnswer, Failure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import { asksTooMuch } from '../transport/privilege.ts';
import type { Request, Transport } from '../transport/request.ts';
import { endpointOf } from './catalog.ts';
import type { Page, PageAsk } from './page.ts';
import { readRecords, type RecordReader, type WithId } from './records.ts';
import type { ScopeChoice } from './scope.ts';
import { quantityOf } from './values.ts';

export interface PageRequest {
  readonly resource: Resource;
  readonly ask: PageAsk;
  /** Whether what is not a column is looked up. */
  readonly details: boolean;
  /** The fields to be sent; all of them if there are none. */
  readonly fields: readonly string[];
  /** What records are known and ordered by, where that is another field than `id`: a number. */
  readonly key?: string | undefined;
  /** More parameters of this request alone. */
  readonly parameters?: readonly (readonly [string, string])[] | undefined;
}

export type ReadContext = Pick<Request, 'deadline' | 'signal'>;

/** Platforms cut a page at this many records. One that does not heed the limit sends more, but not without end. */
const largestPage = 2048;
const pagesPerAnswer = 4;

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
  /** A list has been read before: the address is that of the platform. */
  isProven: boolean;
}) {
  const { transport, tokens, scope } = input;
  const configured = input.query.filter(([name]) => !ours.has(name));
  let { isProven } = input;

  /** With the token held; if that is refused, with a narrower scope where the refusal names one, or with a new token. */
  async function sendWithToken<Done>(
    context: ReadContext,
    send: (token: Token) => Promise<Done>,
  ): Promise<Done> {
    let token = await obtainWhole(context);
    // The platform also refuses while it cannot ask its identity service: that may pass.
    let mayPass = tokens.isPrecious;
    let isNew = false;
    for (;;) {
      const asked = scope.of(token);
      try {
        return await send(token);
      } catch (error) {
        const refusal = error instanceof Failure ? error.privilege : undefined;
        if (refusal && scope.narrow(token, refusal, asked)) continue;
        if (isNew || !isRefusal(error)) throw error;
        isNew = !mayPass;
        mayPass = false;
        const fresh = isNew ? await tokens.replace(token, context.deadline, context.signal) : token;
        if (!fresh) throw error;
        token = fresh;
      }
    }
  }

  /** A token that says less than has been proven is asked for once more; if the second says the same, it counts. */
  async function obtainWhole({ deadline, signal }: ReadContext): Promise<Token> {
    const token = await tokens.obtain(deadline, signal);
    if (!scope.isNarrower(token)) return token;
    const second = await tokens.replace(token, deadline, signal);
    const words = 'the token may list less than the one before';
    if (!second) throw new Failure('forbidden', words, { operation: 'list_servers' });
    if (scope.isNarrower(second)) scope.accept(second);
    return second;
  }

  function queryOf(
    { resource, ask, details, fields, key = 'id', parameters = [] }: PageRequest,
    token: Token,
  ) {
    const query = new URLSearchParams({ details: String(details), limit: String(ask.limit) });
    if (ask.offset) query.set('offset', String(ask.offset));
    for (const field of fields) query.append('field', field);
    if (ask.range) {
      const { after, upTo, known, isJustKnown } = ask.range;
      const valueOf = (id: string) => (key === 'id' ? `"${id}"` : Number(id));
      query.set('order_by', key);
      query.set('order', 'asc');
      if (isJustKnown) query.append('filter', `id.in(${known.map(({ id }) => id).join(',')})`);
      if (after !== undefined) query.append('filter', `${key}.gt(${valueOf(after)})`);
      if (upTo !== undefined) query.append('filter', `${key}.le(${valueOf(upTo)})`);
    }
    for (const [name, value] of parameters) query.append(name, value);
    if (resource === 'servers') {
      if (input.withMetadata) query.set('with_meta', 'true');
      for (const [name, value] of configured) query.append(name, value);
    }
    // Zones and regions are open to every account, but only with this word does it see all of them.
    const word = resource === 'zones' || resource === 'cloudregions' ? 'system' : scope.of(token);
    // That is what the platform does without the word.
    if (word !== 'project') query.set('scope', word);
    return query.toString();
  }

  return {
    async listPage<Item extends WithId, State>(
      request: PageRequest,
      context: ReadContext,
      reader: RecordReader<Item, State>,
    ): Promise<Page<Item>> {
      const { resource } = request;
      const mostRecords = pagesPerAnswer * Math.max(request.ask.limit, largestPage);
      const send = async (token: Token) => {
        const endpoint = endpointOf(token.catalog, input.baseUrl, input.catalog);
        const answer = await transport.read(
          {
            ...context,
            // The platform goes on with a request that was given up.
            retryTimeouts: false,
            operation: `list_${resource}`,
            method: 'GET',
            url: new URL(`${endpoint}/${resource}?${queryOf(request, token)}`),
            headers: { 'X-Auth-Token': token.value, 'Content-Type': 'application/json' },
            secrets: [token.value],
            validUntil: token.deadAt,
            isAddressProven: isProven,
          },
          (body, slices) => readRecords(body, { list: resource, mostRecords, ...reader }, slices),
        );
        tokens.accepted(token);
        return answer;
      };
      // Beside the servers a refusal is taken for an answer, and costs no new token.
      const { result } =
        resource === 'servers'
          ? await sendWithToken(context, send)
          : await send(await tokens.obtain(context.deadline, context.signal));
      if (!result)
        throw new Failure('malformed', `GET /${resource}: the answer has no list of ${resource}`, {
          operation: `list_${resource}`,
          cure: isProven ? cureOfBrokenAnswer : undefined,
        });
      isProven = true;
      const { items, rest } = result;
      return { items, limit: quantityOf(rest['limit']), total: quantityOf(rest['total']) };
    },
  };
}

/** The platform answers 403 for a dead token; the document suggests 401. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure) || error.operation === 'login') return false;
  if (error.privilege && asksTooMuch(error.privilege)) return false;
  return error.reason === 'unauthorized' || error.reason === 'forbidden';
}

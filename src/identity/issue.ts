import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { timestampOf } from '../timestamp.ts';
import { addressOf } from '../transport/address.ts';
import { Failure } from '../transport/failure.ts';
import type { Answer, Transport } from '../transport/request.ts';
import { loginBody, type Credential, type Scope } from './credentials.ts';

export interface Token {
  readonly value: string;
  /** `expires_at` by the platform's clock; absent when the answer has none. */
  readonly expiresAt: number | undefined;
  /** Its end by our wall clock, for people. */
  readonly endsAt: number;
  /** On the monotonic clock: from here on the token is dead, and from here on it should be renewed. */
  readonly deadAt: number;
  readonly renewAt: number;
  /** The same by our wall clock, which goes on while the machine sleeps and the monotonic one does not. */
  readonly renewAtWall: number;
  /** How far the platform's clock is ahead of ours. */
  readonly clockSkewMs: number;
  /** By its policies; a token that tells of none is one of a project. */
  readonly widestScope: 'system' | 'domain' | 'project';
  readonly catalog: readonly CatalogService[];
  readonly user: string;
  readonly userDomain: string;
  readonly project: string;
  readonly roles: readonly string[];
  readonly passwordExpiresAt: number | undefined;
}

export interface Issue {
  readonly credential: Credential;
  readonly deadline: number;
  readonly retryTimeouts?: boolean;
}

const maxMarginMs = 5 * 60_000;
/** A token that says nothing of its end is renewed like one that lives this long. */
const assumedLifeMs = 3_600_000;
/** `Date` has whole seconds and an answer takes its time on the way: less than this is no difference. */
const clockToleranceMs = 5000;

const word = z.string().catch('');
const named = z.object({ name: word }).catch({ name: '' });
const list = <Item extends z.ZodType>(item: Item) => z.array(item).catch([]);
const endpoint = z
  .object({ url: word, interface: word, region: word, region_id: word })
  .transform(({ region_id, region, ...named }) => ({ ...named, region: region_id || region }));
const service = z.object({ type: word, name: word, endpoints: list(endpoint) });
export type CatalogService = Readonly<z.output<typeof service>>;

/** Only what is used, after all keys were brought to one spelling; anything odd counts as absent. */
const tokenShape = z.object({
  expires_at: word,
  catalog: list(service),
  user: z.object({ name: word, domain: named, password_expires_at: word }).catch({
    name: '',
    domain: { name: '' },
    password_expires_at: '',
  }),
  project: named,
  roles: list(named),
  policies: z
    .object({ system: list(z.unknown()), domain: list(z.unknown()) })
    .catch({ system: [], domain: [] }),
});

/** POST /v3/auth/tokens: one login, from credential to token. */
export function createIssuer(input: {
  authUrl: string;
  scope: Scope | undefined;
  transport: Transport;
  clock: Clock;
}): (issue: Issue) => Promise<Token> {
  const address = addressOf(input.authUrl)?.replace(/\/v3$/, '');
  return async ({ credential, deadline, retryTimeouts = true }) => {
    if (address === undefined)
      throw new Failure('endpoint', 'auth_url is not an address that can be asked', { operation: 'login' });
    const url = new URL(`${address}/v3/auth/tokens`);
    const at = new Date(input.clock.now());
    const { body, secrets } = await loginBody({ credential, scope: input.scope, url, at }).catch((error) => {
      throw new Failure('secret', `POST ${url.href}: ${secretProblem(error)}`, { operation: 'login' });
    });
    const answer = await input.transport.json({
      operation: 'login',
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      secrets,
      deadline,
      retryTimeouts,
    });
    return readToken(answer, url, input.clock);
  };
}

function secretProblem(error: NodeJS.ErrnoException): string {
  return error.path ? `${error.path} cannot be read (${error.code ?? 'unknown'})` : error.message;
}

function readToken(answer: Answer<unknown>, url: URL, clock: Clock): Token {
  const receivedAt = clock.now();
  const malformed = (message: string) =>
    new Failure('malformed', `POST ${url.href}: ${message}`, { operation: 'login' });
  const envelope = z.object({ id: word, token: z.record(z.string(), z.unknown()) }).safeParse(answer.result);
  if (!envelope.success) throw malformed('the answer has no token object');
  const value = answer.header('x-subject-token') || envelope.data.id;
  if (!value) throw malformed('the answer has no X-Subject-Token');
  if (!/^[\x21-\x7e]+$/.test(value)) throw malformed('its token has characters that no header can carry');
  const token = tokenShape.parse(withSnakeKeys(envelope.data.token, maxKeyDepth));
  const aheadMs = (answer.answeredAt ?? receivedAt) - receivedAt;
  const clockSkewMs = Math.abs(aheadMs) > clockToleranceMs ? aheadMs : 0;
  const expiresAt = timestampOf(token.expires_at);
  const lifeMs = expiresAt === undefined ? assumedLifeMs : expiresAt - clockSkewMs - receivedAt;
  const marginMs = Math.min(maxMarginMs, lifeMs * 0.2);
  const deadAt = clock.monotonic() + lifeMs;
  if (lifeMs <= 0) throw malformed(`the token it issued expired already (${token.expires_at})`);
  return {
    value,
    expiresAt,
    endsAt: receivedAt + lifeMs,
    deadAt,
    renewAt: deadAt - marginMs,
    renewAtWall: receivedAt + lifeMs - marginMs,
    clockSkewMs,
    widestScope: widestScopeOf(token.policies),
    catalog: token.catalog,
    user: token.user.name,
    userDomain: token.user.domain.name,
    project: token.project.name,
    roles: token.roles.map(({ name }) => name),
    passwordExpiresAt: timestampOf(token.user.password_expires_at),
  };
}

function widestScopeOf({ system, domain }: { system: unknown[]; domain: unknown[] }): Token['widestScope'] {
  if (system.length > 0) return 'system';
  return domain.length > 0 ? 'domain' : 'project';
}

/** The keys of an endpoint within a list, of a service within the catalog: nothing deeper is read. */
const maxKeyDepth = 5;

/** The document writes `Domain` and `PasswordExpiresAt` where the platform answers `domain` and `password_expires_at`. */
function withSnakeKeys(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) return value.map((item) => withSnakeKeys(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replace(/(?<!^)(?=[A-Z])/g, '_').toLowerCase(),
      withSnakeKeys(item, depth - 1),
    ]),
  );
}

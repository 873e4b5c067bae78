import type { Clock } from '../clock.ts';
import { timestampOf } from '../timestamp.ts';
import { addressOf } from '../transport/address.ts';
import { Failure } from '../transport/failure.ts';
import type { Answer, Transport } from '../transport/request.ts';
import { shows, type Secrets } from '../transport/secrets.ts';
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
  /** By its policies; a token that names none is one of a project. */
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

/** More than any header may hold. */
const longestToken = 65_536;
/** A login is a hundred services at most, and is parsed in one go. */
const mostBytes = 4 * 2 ** 20;
/** Of each list so many are looked at; hundreds of times what a platform has. */
const mostItems = 500;

export interface CatalogService {
  readonly type: string;
  readonly endpoints: readonly CatalogEndpoint[];
}

interface CatalogEndpoint {
  readonly interface: string;
  readonly region: string;
  /** Its URL; nothing if a secret stands in it, for addresses are shown. Asked for few of them. */
  readonly url: () => string | undefined;
  /** Interface and region, unless they show a secret. */
  readonly shown: () => string | undefined;
}

interface IssuerInput {
  readonly authUrl: string;
  readonly scope: Scope | undefined;
  readonly transport: Pick<Transport, 'json' | 'secrets'>;
  readonly clock: Clock;
}

/** POST /v3/auth/tokens: one login, from credential to token. */
export function createIssuer(input: IssuerInput): (issue: Issue) => Promise<Token> {
  let isProven = false;
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
      maxBytes: mostBytes,
      isAddressProven: isProven,
    });
    const token = readToken(answer, url, input);
    isProven = true;
    return token;
  };
}

function secretProblem(error: NodeJS.ErrnoException): string {
  return error.path ? `${error.path} cannot be read (${error.code ?? 'unknown'})` : error.message;
}

function readToken(answer: Answer<unknown>, url: URL, { transport, clock }: IssuerInput): Token {
  const receivedAt = clock.now();
  const malformed = (message: string) =>
    new Failure('malformed', `POST ${url.href}: ${message}`, { operation: 'login' });
  const body = objectOf(answer.result);
  const token = body['token'];
  if (!isObject(token)) throw malformed('the answer has no token object');
  const id = text(body['id']);
  const value = answer.header('x-subject-token') || id;
  if (!value) throw malformed('the answer has no X-Subject-Token');
  if (!/^[\x21-\x7e]+$/.test(value)) throw malformed('its token has characters that no header can carry');
  if (value.length > longestToken) throw malformed('its token is longer than any header may be');
  const { secrets } = transport;
  secrets.add([value, id]);
  const nameOf = (part: unknown) => secrets.name(text(read(part, 'name')));
  const [user, policies] = [read(token, 'user'), read(token, 'policies')];
  const aheadMs = (answer.answeredAt ?? receivedAt) - receivedAt;
  const clockSkewMs = Math.abs(aheadMs) > clockToleranceMs ? aheadMs : 0;
  const expiresAt = timestampOf(text(read(token, 'expires_at')));
  const lifeMs = expiresAt === undefined ? assumedLifeMs : expiresAt - clockSkewMs - receivedAt;
  const marginMs = Math.min(maxMarginMs, lifeMs * 0.2);
  const deadAt = clock.monotonic() + lifeMs;
  if (lifeMs <= 0)
    throw malformed(`the token it issued expired already (${new Date(expiresAt ?? 0).toISOString()})`);
  return {
    value,
    expiresAt,
    endsAt: receivedAt + lifeMs,
    deadAt,
    renewAt: deadAt - marginMs,
    renewAtWall: receivedAt + lifeMs - marginMs,
    clockSkewMs,
    widestScope: widestScopeOf(policies),
    catalog: listOf(read(token, 'catalog')).map((service) => readService(service, [value, id], secrets)),
    user: nameOf(user),
    userDomain: nameOf(read(user, 'domain')),
    project: nameOf(read(token, 'project')),
    roles: listOf(read(token, 'roles')).map(nameOf),
    passwordExpiresAt: timestampOf(text(read(user, 'password_expires_at'))),
  };
}

function readService(service: unknown, tokens: readonly string[], secrets: Secrets): CatalogService {
  const endpoints = listOf(read(service, 'endpoints')).map((endpoint): CatalogEndpoint => {
    const kind = text(read(endpoint, 'interface'));
    const region = text(read(endpoint, 'region_id')) || text(read(endpoint, 'region'));
    const address = text(read(endpoint, 'url'));
    return {
      interface: kind,
      region,
      url: () => (isSecretIn(address, tokens, secrets) ? undefined : address),
      shown: () => secrets.word(`${kind}/${region}`),
    };
  });
  return { type: text(read(service, 'type')), endpoints };
}

/** Addresses are shown in messages. The host may well have a word in common with a password, but with no token. */
function isSecretIn(address: string, tokens: readonly string[], secrets: Secrets): boolean {
  if (!URL.canParse(address)) return false;
  const { host, username, password, pathname, search } = new URL(address);
  const rest = decoded(`${username} ${password} ${pathname} ${search}`);
  return secrets.isShown(rest) || tokens.some((token) => token !== '' && shows(host, token));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function widestScopeOf(policies: unknown): Token['widestScope'] {
  if (listOf(read(policies, 'system')).length > 0) return 'system';
  return listOf(read(policies, 'domain')).length > 0 ? 'domain' : 'project';
}

/** The document writes `PasswordExpiresAt` where the platform answers `password_expires_at`. */
const capitals = new Map<string, string>();

function capitalized(key: string): string {
  const known = capitals.get(key) ?? key.replace(/(?:^|_)(\w)/g, (_, one: string) => one.toUpperCase());
  capitals.set(key, known);
  return known;
}

function read(value: unknown, key: string): unknown {
  const object = objectOf(value);
  return object[key] ?? object[capitalized(key)];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const objectOf = (value: unknown) => (isObject(value) ? value : {});
const text = (value: unknown) => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, mostItems) : [];

import type { FailureReason } from '../../src/transport/advice.ts';
import type { Fault } from '../simulator/faults.ts';
import type { FaultClock } from './fault-clock.ts';

/** Where in a collection a fault strikes. */
export const places = ['login', 'first', 'middle'] as const;
export type Place = (typeof places)[number];

/** How a collection ends that meets the fault at every try; `fine` if nobody notices. */
export type Outcome =
  | 'fine'
  | {
      readonly reason: FailureReason;
      /** Requests that met the fault. With more than one, a fault that strikes once is not noticed. */
      readonly tries: number;
      /** A refused login is not repeated for a while, so the cloud is back only after the pause. */
      readonly pause?: true;
    };

/** What the platform does, as a sentence without its subject, and how a collection ends that meets it. */
export interface Row {
  readonly what: string;
  readonly login: Outcome | undefined;
  readonly first: Outcome | undefined;
  readonly middle: Outcome | undefined;
}

const once = (reason: FailureReason): Outcome => ({ reason, tries: 1 });
const thrice = (reason: FailureReason): Outcome => ({ reason, tries: 3 });
const refused = (reason: FailureReason): Outcome => ({ reason, tries: 1, pause: true });
const everywhere = (outcome: Outcome) => ({ login: outcome, first: outcome, middle: outcome });
const onPages = (outcome: Outcome) => ({ first: outcome, middle: outcome });
const atLogin = (outcome: Outcome) => ({ login: outcome, first: undefined, middle: undefined });

/** A refused token is replaced by a new login and the page asked for once more. */
const afterNewLogin = (reason: FailureReason): Outcome => ({ reason, tries: 2 });

/** A certificate is looked at when a connection is made, not in the middle of a list. */
const whenConnecting = (outcome: Outcome) => ({ login: outcome, first: outcome, middle: undefined });

export interface FaultRow extends Row {
  readonly fault: (place: Place, world: World) => Fault;
  /** The attempt ends only because its time does. */
  readonly isSilent?: true;
}

/** What a fault may need to know of the test that sets it. */
export interface World {
  readonly clock: Pick<FaultClock, 'advance'>;
  /** The address of a host that is not the platform's. */
  readonly stranger: string;
  /** The platform's own address. */
  readonly origin: string;
  /** How many servers the platform has. */
  readonly servers: () => number;
}

type FaultOf = FaultRow['fault'];
const row = (what: string, fault: Fault | FaultOf, outcomes: Omit<Row, 'what'>): FaultRow => ({
  what,
  fault: typeof fault === 'function' ? fault : () => fault,
  ...outcomes,
});
const silent = (one: FaultRow): FaultRow => ({ ...one, isSilent: true });
const status = (code: number, more: object = {}): Fault => ({ kind: 'status', code, ...more });
const json =
  (atLogin: unknown, onPage: unknown = atLogin): FaultOf =>
  (place) => ({ kind: 'json', json: place === 'login' ? atLogin : onPage });
const redirect =
  (to: 'origin' | 'stranger', code = 302): FaultOf =>
  (_place, world) => ({ kind: 'redirect', location: new URL('elsewhere', world[to]).href, code });
const text = (words: string): Fault => ({ kind: 'text', text: words });
const tooMuch = { kind: 'garbage' } as const;
const notFound = (name: string) => status(404, { body: { class: name, code: 404 } });

const [rejected, malformed] = [everywhere(once('rejected')), everywhere(once('malformed'))];
const oversized = everywhere(once('oversized'));
const [upstream, network] = [everywhere(thrice('upstream')), everywhere(thrice('network'))];
const [timeout, broken] = [everywhere(thrice('timeout')), everywhere(thrice('malformed'))];
/** The platform goes on with a page that was given up: it is not asked for again. */
const tooLate = { ...timeout, ...onPages(once('timeout')) };

const odd = (words: string, token: unknown, servers: unknown) =>
  row(`answers ${words}`, json({ token }, { servers, total: 25 }), malformed);

export const faultRows: readonly FaultRow[] = [
  row('answers 400', status(400), rejected),
  row('answers 401', status(401), {
    login: refused('unauthorized'),
    ...onPages(afterNewLogin('unauthorized')),
  }),
  row('answers 403', status(403), { login: refused('unauthorized'), ...onPages(afterNewLogin('forbidden')) }),
  row('answers 404 for an unknown user (`UserNotFound`)', notFound('UserNotFound'), {
    login: refused('unauthorized'),
    ...onPages(once('rejected')),
  }),
  row('answers 404 for an unknown path (`NotFoundError`)', notFound('NotFoundError'), rejected),
  row('answers 404 with a page of somebody else', status(404, { body: '<h1>not found</h1>' }), rejected),
  row('answers 408', status(408), timeout),
  row('answers 429', status(429), { login: refused('throttled'), ...onPages(thrice('throttled')) }),
  row('answers 429 with `Retry-After: 2`', status(429, { retryAfter: 2 }), {
    login: { reason: 'throttled', tries: 3, pause: true },
    ...onPages(thrice('throttled')),
  }),
  ...[500, 502, 503].map((code) => row(`answers ${code}`, status(code), upstream)),
  row('answers 503 with `Retry-After: 2`', status(503, { retryAfter: 2 }), upstream),
  row(
    'answers 503 with a `Retry-After` beyond `collection_timeout`',
    status(503, { retryAfter: 86_400 }),
    everywhere(once('upstream')),
  ),
  row('answers 204 without a body', status(204), broken),
  row('answers 400 and quotes the whole request', { kind: 'echo', code: 400 }, rejected),
  row('answers 200 with a page that quotes the whole request', { kind: 'echo', code: 200 }, broken),
  row('redirects to another path of the same host', redirect('origin'), rejected),
  row('redirects to another host (302)', redirect('stranger'), rejected),
  row(
    'redirects to another host (307, which asks to send everything again)',
    redirect('stranger', 307),
    rejected,
  ),
  row('answers 200 with a web page', text('<!doctype html><title>Sign in</title>'), broken),
  row('answers 200 with nothing', text(''), broken),
  row('answers `null`', json(null), malformed),
  row('answers a number', json(200), malformed),
  row('answers a list without its envelope', json([]), malformed),
  row('answers an empty object', json({}), malformed),
  odd('a text where the token or the list belongs', 'abc', 'none'),
  odd('`null` where the token or the list belongs', null, null),
  odd('a list where the token belongs, or an object where the list does', [], {}),
  row(
    'answers an empty list, and says it has servers',
    (_place, { servers }) => ({ kind: 'json', json: { servers: [], total: servers() } }),
    // Three such answers, and the list is read by offset, twice.
    { login: undefined, ...onPages({ reason: 'truncated', tries: 5 }) },
  ),
  row('answers more than `response_limit_bytes`', tooMuch, oversized),
  row('answers the same without announcing its length', { ...tooMuch, chunked: true }, oversized),
  row('resets the connection', { kind: 'reset' }, network),
  row('hangs up', { kind: 'hangUp' }, network),
  silent(row('never answers', { kind: 'hang' }, tooLate)),
  row('resets the connection inside the body', { kind: 'resetInBody', afterBytes: 200 }, network),
  silent(row('falls silent inside the body', { kind: 'hangInBody', afterBytes: 200 }, tooLate)),
  row(
    'drips the body, too slowly for `request_timeout`',
    (_place, { clock }) => ({ kind: 'drip', bytes: 50, pause: () => clock.advance(1000) }),
    tooLate,
  ),
  row('drips the body, fast enough', { kind: 'drip', bytes: 1000 }, everywhere('fine')),
  row('cuts the body, and its `Content-Length` to match', { kind: 'truncated', keepBytes: 200 }, broken),
  row('announces more bytes than it sends', { kind: 'contentLength', byBytes: 100 }, network),
  row('announces fewer bytes than it sends', { kind: 'contentLength', byBytes: -100 }, broken),
  row('announces no length', { kind: 'chunked' }, everywhere('fine')),
  row('resets a connection that was used before', { kind: 'reset', onlyReused: true }, everywhere('fine')),
  row('issues a token without `X-Subject-Token`', { kind: 'noSubjectToken' }, atLogin(once('malformed'))),
  row('issues a token without `expires_at`', { kind: 'noExpiry' }, atLogin('fine')),
  row('issues a token that has expired', { kind: 'expiredAlready' }, atLogin(once('malformed'))),
  row('has a clock that is an hour ahead', { kind: 'clockSkew', byMs: 3_600_000 }, atLogin('fine')),
  row('has a clock that is an hour behind', { kind: 'clockSkew', byMs: -3_600_000 }, atLogin('fine')),
];

/** What no single answer can be made to do: the state of the connection, of a certificate, of the whole service. */
export const conditions = {
  refusing: { what: 'refuses connections', ...network },
  idle: { what: 'closes a connection that was idle between two scrapes', ...everywhere('fine') },
  selfSigned: { what: 'shows a self-signed certificate', ...whenConnecting(once('tls')) },
  expired: { what: 'shows a certificate that has expired', ...whenConnecting(once('tls')) },
  otherName: { what: 'shows a certificate for another name', ...whenConnecting(once('tls')) },
  notTls: { what: 'speaks plain HTTP where TLS was expected', ...whenConnecting(once('tls')) },
} satisfies Record<string, Row>;

import type { Fault } from '../simulator/faults.ts';
import type { FaultClock } from './fault-clock.ts';
import {
  afterNewLogin,
  atLogin,
  everywhere,
  once,
  onPages,
  refused,
  thrice,
  type Place,
  type Row,
} from './outcome.ts';

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

const status = (code: number, retryAfter?: number) => (): Fault => ({
  kind: 'status',
  code,
  ...(retryAfter !== undefined && { retryAfter }),
});
const json =
  (atLogin: unknown, onPage: unknown) =>
  (place: Place): Fault => ({
    kind: 'json',
    json: place === 'login' ? atLogin : onPage,
  });
const always = (fault: Fault) => () => fault;

export const faultRows: readonly FaultRow[] = [
  { what: 'answers 400', fault: status(400), ...everywhere(once('rejected')) },
  {
    what: 'answers 401',
    fault: status(401),
    login: refused('unauthorized'),
    ...onPages(afterNewLogin('unauthorized')),
  },
  {
    what: 'answers 403',
    fault: status(403),
    login: refused('unauthorized'),
    ...onPages(afterNewLogin('forbidden')),
  },
  {
    what: 'answers 404 for an unknown user (`UserNotFound`)',
    fault: always({ kind: 'status', code: 404, body: { class: 'UserNotFound', code: 404 } }),
    login: refused('unauthorized'),
    ...onPages(once('rejected')),
  },
  {
    what: 'answers 404 for an unknown path (`NotFoundError`)',
    fault: always({ kind: 'status', code: 404, body: { class: 'NotFoundError', code: 404 } }),
    ...everywhere(once('rejected')),
  },
  {
    what: 'answers 404 with a page of somebody else',
    fault: always({ kind: 'status', code: 404, body: '<h1>not found</h1>' }),
    ...everywhere(once('rejected')),
  },
  { what: 'answers 408', fault: status(408), ...everywhere(thrice('timeout')) },
  {
    what: 'answers 429',
    fault: status(429),
    login: refused('throttled'),
    ...onPages(thrice('throttled')),
  },
  {
    what: 'answers 429 with `Retry-After: 2`',
    fault: status(429, 2),
    login: { reason: 'throttled', tries: 3, pause: true },
    ...onPages(thrice('throttled')),
  },
  { what: 'answers 500', fault: status(500), ...everywhere(thrice('upstream')) },
  { what: 'answers 502', fault: status(502), ...everywhere(thrice('upstream')) },
  { what: 'answers 503', fault: status(503), ...everywhere(thrice('upstream')) },
  {
    what: 'answers 503 with `Retry-After: 2`',
    fault: status(503, 2),
    ...everywhere(thrice('upstream')),
  },
  {
    what: 'answers 503 with a `Retry-After` beyond `collection_timeout`',
    fault: status(503, 86_400),
    ...everywhere(once('upstream')),
  },
  { what: 'answers 204 without a body', fault: status(204), ...everywhere(thrice('malformed')) },
  {
    what: 'answers 400 and quotes the whole request',
    fault: always({ kind: 'echo', code: 400 }),
    ...everywhere(once('rejected')),
  },
  {
    what: 'answers 200 with a page that quotes the whole request',
    fault: always({ kind: 'echo', code: 200 }),
    ...everywhere(thrice('malformed')),
  },
  {
    what: 'redirects to another path of the same host',
    fault: (_place, { origin }) => ({ kind: 'redirect', location: `${origin}/elsewhere` }),
    ...everywhere(once('rejected')),
  },
  {
    what: 'redirects to another host (302)',
    fault: (_place, { stranger }) => ({ kind: 'redirect', location: stranger }),
    ...everywhere(once('rejected')),
  },
  {
    what: 'redirects to another host (307, which asks to send everything again)',
    fault: (_place, { stranger }) => ({ kind: 'redirect', location: stranger, code: 307 }),
    ...everywhere(once('rejected')),
  },
  {
    what: 'answers 200 with a web page',
    fault: always({ kind: 'text', text: '<!doctype html><title>Sign in</title>' }),
    ...everywhere(thrice('malformed')),
  },
  {
    what: 'answers 200 with nothing',
    fault: always({ kind: 'text', text: '' }),
    ...everywhere(thrice('malformed')),
  },
  { what: 'answers `null`', fault: json(null, null), ...everywhere(once('malformed')) },
  { what: 'answers a number', fault: json(200, 200), ...everywhere(once('malformed')) },
  { what: 'answers a list without its envelope', fault: json([], []), ...everywhere(once('malformed')) },
  { what: 'answers an empty object', fault: json({}, {}), ...everywhere(once('malformed')) },
  {
    what: 'answers a text where the token or the list belongs',
    fault: json({ token: 'abc' }, { servers: 'none', total: 25 }),
    ...everywhere(once('malformed')),
  },
  {
    what: 'answers `null` where the token or the list belongs',
    fault: json({ token: null }, { servers: null, total: 25 }),
    ...everywhere(once('malformed')),
  },
  {
    what: 'answers a list where the token belongs, or an object where the list does',
    fault: json({ token: [] }, { servers: {}, total: 25 }),
    ...everywhere(once('malformed')),
  },
  {
    what: 'answers an empty list, and says it has servers',
    fault: (_place, { servers }) => ({ kind: 'json', json: { servers: [], total: servers() } }),
    login: undefined,
    // Three such answers, and the list is read by offset, twice.
    first: { reason: 'truncated', tries: 5 },
    middle: { reason: 'truncated', tries: 5 },
  },
  {
    what: 'answers 50 MB of garbage, above `response_limit_bytes`',
    fault: always({ kind: 'garbage', megabytes: 50 }),
    ...everywhere(once('oversized')),
  },
  {
    what: 'answers the same without announcing its length',
    fault: always({ kind: 'garbage', megabytes: 50, chunked: true }),
    ...everywhere(once('oversized')),
  },
  { what: 'resets the connection', fault: always({ kind: 'reset' }), ...everywhere(thrice('network')) },
  { what: 'hangs up', fault: always({ kind: 'hangUp' }), ...everywhere(thrice('network')) },
  {
    what: 'never answers',
    fault: always({ kind: 'hang' }),
    isSilent: true,
    ...everywhere(thrice('timeout')),
  },
  {
    what: 'resets the connection inside the body',
    fault: always({ kind: 'resetInBody', afterBytes: 200 }),
    ...everywhere(thrice('network')),
  },
  {
    what: 'falls silent inside the body',
    fault: always({ kind: 'hangInBody', afterBytes: 200 }),
    isSilent: true,
    ...everywhere(thrice('timeout')),
  },
  {
    what: 'drips the body, too slowly for `request_timeout`',
    fault: (_place, { clock }) => ({ kind: 'drip', bytes: 100, pause: () => clock.advance(1000) }),
    ...everywhere(thrice('timeout')),
    // The first range of a first list is short, and comes in time.
    first: { reason: 'timeout', tries: 4 },
  },
  {
    what: 'drips the body, fast enough',
    fault: always({ kind: 'drip', bytes: 1000 }),
    ...everywhere('fine'),
  },
  {
    what: 'cuts the body, and its `Content-Length` to match',
    fault: always({ kind: 'truncated', keepBytes: 200 }),
    ...everywhere(thrice('malformed')),
  },
  {
    what: 'announces more bytes than it sends',
    fault: always({ kind: 'contentLength', byBytes: 100 }),
    ...everywhere(thrice('network')),
  },
  {
    what: 'announces fewer bytes than it sends',
    fault: always({ kind: 'contentLength', byBytes: -100 }),
    ...everywhere(thrice('malformed')),
  },
  { what: 'announces no length', fault: always({ kind: 'chunked' }), ...everywhere('fine') },
  {
    what: 'resets a connection that was used before',
    fault: always({ kind: 'reset', onlyReused: true }),
    ...everywhere('fine'),
  },
  {
    what: 'issues a token without `X-Subject-Token`',
    fault: always({ kind: 'noSubjectToken' }),
    ...atLogin(once('malformed')),
  },
  {
    what: 'issues a token without `expires_at`',
    fault: always({ kind: 'noExpiry' }),
    ...atLogin('fine'),
  },
  {
    what: 'issues a token that has expired',
    fault: always({ kind: 'expiredAlready' }),
    ...atLogin(once('malformed')),
  },
  {
    what: 'has a clock that is an hour ahead',
    fault: always({ kind: 'clockSkew', byMs: 3_600_000 }),
    ...atLogin('fine'),
  },
  {
    what: 'has a clock that is an hour behind',
    fault: always({ kind: 'clockSkew', byMs: -3_600_000 }),
    ...atLogin('fine'),
  },
];

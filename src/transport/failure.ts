import { BodyTooLarge } from './body.ts';
import { privilegeHint, privilegeOf, type Privilege } from './privilege.ts';

/**
 * Every way in which a collection can fail: label value, log field and error type alike. And what an operator should
 * look at first, which is printed in logs, on the landing page and in docs/failures.md.
 */
export const failureAdvice = {
  timeout: {
    meaning: 'The platform did not answer in time.',
    cure: 'See whether the platform is overloaded, or DNS if the message names the name server; raise `request_timeout`, or lower `page_size` or `concurrency`.',
  },
  network: {
    meaning: 'The connection was refused, reset or broke off, or the name did not resolve.',
    cure: 'Check the address, DNS, the firewall and the proxy between exporter and platform.',
  },
  tls: {
    meaning: 'No secure connection could be made; mostly the certificate could not be verified.',
    cure: 'Give the CA that signed it as `cacert` (`OS_CACERT`), and check its host name and dates.',
  },
  unauthorized: {
    meaning: 'The login was refused, or a fresh token was not accepted (401).',
    cure: 'Check user, password, domain and project, and whether the account is locked; the exporter waits before it tries again.',
  },
  forbidden: {
    meaning: 'The token may not list servers (403), even after a new login.',
    cure: 'Give the account a role that may list servers, in the project that it logs in to; a `scope` in `query` must not be wider than its role.',
  },
  throttled: {
    meaning: 'The platform asked for fewer requests (429), or locked the account for too many logins.',
    cure: 'Lower `concurrency`, raise `max_age`, or scrape less often; after a login, check whether the account is locked.',
  },
  upstream: {
    meaning: 'The platform answered with a server error (5xx).',
    cure: "Look at the platform's own logs with the request id that the exporter logs.",
  },
  rejected: {
    meaning: 'The platform refused the request itself (another 4xx, or a redirect).',
    cure: 'Check `auth_url`, `base_url` and `query`; redirects are not followed, so give the final address.',
  },
  malformed: {
    meaning: 'The answer was not what the document describes.',
    cure: 'Check that `base_url` is the platform API and not a web console or a gateway page.',
  },
  oversized: {
    meaning: 'An answer was larger than the exporter accepts.',
    cure: 'Lower `page_size`, or raise `response_limit_bytes`.',
  },
  truncated: {
    meaning:
      'Fewer servers arrived than the platform says it has, or the list changed too fast to be complete, in two attempts.',
    cure: 'Look for a proxy or a filter that cuts pages, or wait until the changes are over; the last good numbers are kept until `max_stale`.',
  },
  endpoint: {
    meaning: "The token's catalog has no usable address of the platform API.",
    cure: 'Set `base_url` (`CLOUD_BASE_URL`), or fix `region_name` and `interface`; an unscoped token has no catalog.',
  },
  secret: {
    meaning: 'A secret file could not be read at login.',
    cure: 'Check that the file exists, is not empty and is readable by the user that runs the exporter.',
  },
  bug: {
    meaning: 'The exporter itself made a mistake; other clouds are not touched.',
    cure: 'Report the stack in the log line `a bug broke the collection`; a restart or an upgrade may help.',
  },
};

export type FailureReason = keyof typeof failureAdvice;
export const failureReasons = Object.keys(failureAdvice) as FailureReason[];

/** What the platform is asked to list, in its own words. */
export const resources = [
  'servers',
  'hosts',
  'storages',
  'isolated_devices',
  'networks',
  'cloudproviderregions',
  'zones',
  'cloudregions',
] as const;
export type Resource = (typeof resources)[number];

export type Operation = 'login' | `list_${Resource}`;

interface FailureContext {
  readonly operation: Operation;
  readonly requestId?: string | undefined;
  readonly privilege?: Privilege | undefined;
  /** Where that of the reason would mislead. */
  readonly cure?: string | undefined;
  readonly cause?: unknown;
}

/** The one error of this program: `reason` for machines, `message` and `cure` for people, never a secret. */
export class Failure extends Error {
  readonly reason: FailureReason;
  readonly operation: Operation;
  readonly requestId: string | undefined;
  /** What the platform says of our rights, where it refuses for lack of them. */
  readonly privilege: Privilege | undefined;
  readonly cure: string;

  constructor(reason: FailureReason, message: string, context: FailureContext) {
    super(message, { cause: context.cause });
    this.name = 'Failure';
    this.reason = reason;
    this.operation = context.operation;
    this.requestId = context.requestId;
    this.privilege = context.privilege;
    this.cure = context.cure ?? failureAdvice[reason].cure;
  }
}

/** An error of another sort is a mistake in this program; its text may hold anything, so only the log has it. */
export function failureOf(error: unknown, operation: Operation): Failure {
  if (error instanceof Failure) return error;
  const name = error instanceof Error ? error.name : typeof error;
  const message = `${name} in the exporter itself; its log has the stack`;
  return new Failure('bug', message, { operation, cause: error });
}

export function listFailure(resource: Resource, reason: FailureReason, words: string): Failure {
  return new Failure(reason, `GET /${resource}: ${words}`, { operation: `list_${resource}` });
}

/** Why an exchange brought nothing. */
export interface Cause extends Pick<FailureContext, 'cure' | 'privilege'> {
  readonly reason: FailureReason;
  readonly message: string;
}

/** The platform's own classes of refused logins. */
const loginRefusals: ReadonlyMap<string, readonly [FailureReason, meaning: string]> = new Map([
  ['WrongPassword', ['unauthorized', 'the password is wrong']],
  ['UserNotFound', ['unauthorized', 'unknown user, or unknown user domain']],
  ['UserLocked', ['unauthorized', 'the account is locked or disabled; an administrator has to enable it']],
  ['UserDisabled', ['unauthorized', 'the account is disabled; an administrator has to enable it']],
  ['ConflictError', ['unauthorized', 'several domains have a user of this name; set user_domain_name']],
  ['TooManyFailedAttempts', ['throttled', 'too many failed logins; the account is locked now']],
  ['NotFoundError', ['rejected', 'no login service at this path; check auth_url']],
]);

const maxErrorBytes = 65_536;

/**
 * Why an answer is no success. The platform's `class` word is shown if it is `tellable`; its `details` may quote the
 * token, and only what they say of our rights is read.
 */
export function causeOfAnswer(
  { status, body }: { readonly status: number; readonly body: Buffer },
  operation: Operation,
  tellable: (text: string) => string | undefined,
): Cause {
  const { class: word, details } = body.length > maxErrorBytes ? {} : explain(body);
  const platformClass = typeof word === 'string' ? tellable(word) : undefined;
  const told = `status ${status}${platformClass ? ` (${platformClass})` : ''}`;
  const refusal = operation === 'login' && status < 500 && loginRefusals.get(platformClass ?? '');
  if (refusal) return { reason: refusal[0], message: `${told}: ${refusal[1]}` };
  const privilege = status === 403 ? privilegeOf(details) : undefined;
  const hint = privilege && privilegeHint(privilege);
  const reason = reasonOfStatus(status, operation, platformClass !== undefined);
  return { reason, message: hint ? `${told}: ${hint}` : told, privilege };
}

function explain(body: Buffer): { class?: unknown; details?: unknown } {
  try {
    return (JSON.parse(body.toString()) as object | null) ?? {};
  } catch {
    return {};
  }
}

function reasonOfStatus(status: number, operation: Operation, isOfPlatform: boolean): FailureReason {
  if (status === 408) return 'timeout';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'upstream';
  if (status === 401) return 'unauthorized';
  // A gateway says 404 of an address, and not of an account.
  const isOfAccount =
    status === 403 || status === 423 || (isOfPlatform && (status === 404 || status === 409));
  if (operation === 'login' && isOfAccount) return 'unauthorized';
  return status === 403 ? 'forbidden' : 'rejected';
}

const timeoutCodes: ReadonlySet<string> = new Set(['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT']);
const tlsCode =
  /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|EPROTO$)/;

/** Why an exchange brought no answer; the library's error itself is not passed on. */
export function causeOfError(error: unknown): Cause {
  if (error instanceof BodyTooLarge) return { reason: 'oversized', message: error.message };
  const code = codeOf(error);
  const refusal = Number(/^PROXY_(\d+)$/.exec(code)?.[1]);
  if (refusal) {
    const message = `the proxy refused the connection (status ${refusal})`;
    return { reason: refusal < 500 ? 'rejected' : 'network', message };
  }
  if (code === 'ETIMEOUT') return { reason: 'timeout', message: 'the name server gave no answer' };
  if (timeoutCodes.has(code)) return { reason: 'timeout', message: code };
  if (tlsCode.test(code)) return causeOfHandshake(code, error instanceof Error ? error.message : '');
  return { reason: 'network', message: code || 'the connection failed' };
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : '';
}

const untrusted = 'the certificate is signed by a CA that is not trusted here';
const giveClientCertificate =
  'Give the client certificate and its key as `cert` and `key` (`OS_CERT`, `OS_KEY`).';

/** What a failed handshake means to a person, by the code of Node or by the words of OpenSSL. */
const handshakes: readonly (readonly [sign: RegExp, meaning: string, cure?: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT/, 'the certificate is self-signed'],
  [/^SELF_SIGNED_CERT_IN_CHAIN/, untrusted],
  [/^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/, `${untrusted}, or the server leaves out an intermediate one`],
  [/^CERT_HAS_EXPIRED/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID/, 'the certificate is not valid yet; is the clock right?'],
  [/^CERT_REVOKED/, 'the certificate was revoked'],
  [/^(ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH)/, 'the certificate is for another host name'],
  [
    /wrong.version.number|packet.length.too.long/i,
    'the other side does not speak TLS; should it be http://?',
    'Write the address with http://, or with the port that speaks TLS.',
  ],
  [
    /alert.(certificate.required|bad.certificate|handshake.failure)/i,
    'it may want a client certificate',
    giveClientCertificate,
  ],
  [
    /alert.unknown.ca/i,
    'the client certificate is signed by a CA that is not trusted there',
    giveClientCertificate,
  ],
  [
    /alert.protocol.version|unsupported.protocol/i,
    'the versions of TLS do not fit',
    'Let both sides speak TLS 1.2 or newer.',
  ],
];

/** The code, with what it means where that is known; the words of OpenSSL are only looked at, not passed on. */
function causeOfHandshake(code: string, message: string): Cause {
  const [, meaning, cure] = handshakes.find(([sign]) => sign.test(`${code} ${message}`)) ?? [];
  return { reason: 'tls', message: meaning ? `${meaning} (${code})` : code, cure };
}

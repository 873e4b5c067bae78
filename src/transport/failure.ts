import type { Privilege } from './privilege.ts';

/** Every way in which a collection can fail; used as label value, log field and error type alike. */
export const failureReasons = [
  'timeout',
  'network',
  'tls',
  'unauthorized',
  'forbidden',
  'throttled',
  'upstream',
  'rejected',
  'malformed',
  'oversized',
  'truncated',
  'endpoint',
  'secret',
  'bug',
] as const;

export type FailureReason = (typeof failureReasons)[number];

/** What an operator should look at first; printed in logs, on the landing page and in the README. */
export const failureAdvice: Readonly<Record<FailureReason, { meaning: string; cure: string }>> = {
  timeout: {
    meaning: 'The platform did not answer in time.',
    cure: 'See whether the platform is overloaded, or DNS if the message names the name server; raise `request_timeout`, or lower `page_size` or `concurrency`.',
  },
  network: {
    meaning: 'The connection was refused, reset or broke off, or the name did not resolve.',
    cure: 'Check the address, DNS, the firewall and the proxy between exporter and platform.',
  },
  tls: {
    meaning: "The platform's certificate could not be verified.",
    cure: 'Give the CA that signed it as `cacert` (`OS_CACERT`), and check its host name and dates.',
  },
  unauthorized: {
    meaning: 'The login was refused, or a fresh token was not accepted (401).',
    cure: 'Check user, password, domain and project, and whether the account is locked; the exporter waits before it tries again.',
  },
  forbidden: {
    meaning: 'The token may not list servers (403), even after a new login.',
    cure: 'Give the account a role in its project, or drop `scope=system` from `query` if it is not an administrator.',
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
      'Fewer servers arrived than the platform says it has, or so many were deleted meanwhile that others may be missing, twice.',
    cure: 'Look for a proxy or a filter that cuts pages, or wait until the deletions are over; the last good numbers are kept until `max_stale`.',
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

export type Operation = 'login' | 'list_servers' | 'get_server' | 'list_hosts' | 'get_host';

export interface FailureContext {
  readonly operation: Operation;
  readonly requestId?: string | undefined;
  readonly privilege?: Privilege | undefined;
  readonly cause?: unknown;
}

/** The one error of this program: `reason` for machines, `message` for people, never a secret. */
export class Failure extends Error {
  readonly reason: FailureReason;
  readonly operation: Operation;
  readonly requestId: string | undefined;
  /** What the platform says of our rights, where it refuses for lack of them. */
  readonly privilege: Privilege | undefined;

  constructor(reason: FailureReason, message: string, context: FailureContext) {
    super(message, { cause: context.cause });
    this.name = 'Failure';
    this.reason = reason;
    this.operation = context.operation;
    this.requestId = context.requestId;
    this.privilege = context.privilege;
  }
}

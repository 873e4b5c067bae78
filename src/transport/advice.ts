/**
 * Every way in which a collection can fail: label value, log field and error type alike. And what an operator should
 * look at first, which is printed in logs, on the landing page and in docs/failures.md.
 */
export const failureAdvice = {
  timeout: {
    meaning: 'The platform did not answer in time.',
    cure: 'Check whether the platform is overloaded (or DNS, if the message names the name server). Raise `request_timeout`, or lower `page_size` or `concurrency`.',
  },
  network: {
    meaning: 'The connection was refused, reset or broke off, or the name did not resolve.',
    cure: 'Check the address, DNS, the firewall and the proxy between exporter and platform.',
  },
  tls: {
    meaning: 'No secure connection could be made; usually because the certificate could not be verified.',
    cure: 'Give the CA that signed it as `cacert` (`OS_CACERT`), and check its host name and dates.',
  },
  unauthorized: {
    meaning: 'The login was refused, or a fresh token was not accepted (401).',
    cure: 'Check user, password, domain and project, and whether the account is locked; the exporter waits before it tries again.',
  },
  forbidden: {
    meaning: 'The token may not list servers (403), even after a new login.',
    cure: 'Make an account of its own, as in docs/account.md, and log in to its project, `system`; a new policy takes effect after half a minute. A `scope` in `query` must not be wider than the account is allowed.',
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
    meaning: 'The answer is not what the platform API sends.',
    cure: 'Nothing at this address has answered well so far: check that `base_url` and `auth_url` are the platform and not a web console or a gateway page.',
  },
  oversized: {
    meaning: 'An answer was larger, or had more in it, than the exporter accepts.',
    cure: 'Lower `page_size`, or raise `response_limit_bytes`. If it is a login of more than 4 MiB, or a page with four times the requested records, look for a proxy.',
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
    meaning: 'The exporter has a bug; other clouds are not affected.',
    cure: 'Report the stack in the log line `a bug broke the collection`; a restart or an upgrade may help.',
  },
};

export type FailureReason = keyof typeof failureAdvice;
export const failureReasons = Object.keys(failureAdvice) as FailureReason[];

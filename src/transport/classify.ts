import { BodyTooLarge } from './body.ts';
import type { FailureReason, Operation } from './failure.ts';
import { tlsWords } from './tls-words.ts';

const retriedStatuses: ReadonlySet<number> = new Set([408, 429]);

export function isRetried(status: number): boolean {
  return retriedStatuses.has(status) || status >= 500;
}

/** The reason behind a status that is not a success; `platformClass` is the platform's own error class. */
export function reasonOfStatus(
  status: number,
  operation: Operation,
  platformClass: string | undefined,
): FailureReason {
  if (status === 408) return 'timeout';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'upstream';
  if (status === 401) return 'unauthorized';
  if (operation === 'login' && isRefusedLogin(status, platformClass)) return 'unauthorized';
  if (status === 403) return 'forbidden';
  return 'rejected';
}

/** Newer releases answer 404 for an unknown user, 409 for a name in two domains and 423 for a locked account. */
function isRefusedLogin(status: number, platformClass: string | undefined): boolean {
  return (
    status === 403 || status === 423 || (platformClass !== undefined && (status === 404 || status === 409))
  );
}

const timeoutCodes: ReadonlySet<string> = new Set(['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT']);
const tlsCode =
  /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|EPROTO$)/;

/** The reason and the words for an exchange that brought no answer; the library's error itself is not passed on. */
export function describeError(error: unknown): { reason: FailureReason; words: string } {
  if (error instanceof BodyTooLarge) return { reason: 'oversized', words: error.message };
  const code = codeOf(error);
  const refusal = /^PROXY_(\d+)$/.exec(code)?.[1];
  if (refusal)
    return {
      reason: Number(refusal) < 500 ? 'rejected' : 'network',
      words: `the proxy refused the connection (status ${refusal})`,
    };
  if (timeoutCodes.has(code)) return { reason: 'timeout', words: code };
  if (tlsCode.test(code)) return { reason: 'tls', words: tlsWords(code, messageOf(error)) };
  return { reason: 'network', words: code || 'the connection failed' };
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

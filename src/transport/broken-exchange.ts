import { AnswerTooLarge } from './body.ts';
import type { Cause } from './failure.ts';
import { causeOfHandshake, isHandshakeCode } from './handshake.ts';

const timeoutCodes: ReadonlySet<string> = new Set(['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT']);
/** Why an exchange brought no answer; the library's error itself is not passed on. */
export function causeOfError(error: unknown): Cause {
  if (error instanceof AnswerTooLarge) return { reason: 'oversized', message: error.message };
  const code = codeOf(error);
  const refusal = Number(/^PROXY_(\d+)$/.exec(code)?.[1]);
  if (refusal) {
    const message = `the proxy refused the connection (status ${refusal})`;
    return { reason: refusal < 500 ? 'rejected' : 'network', message };
  }
  if (code === 'ETIMEOUT') return { reason: 'timeout', message: 'the name server gave no answer' };
  if (timeoutCodes.has(code)) return { reason: 'timeout', message: code };
  if (isHandshakeCode(code)) return causeOfHandshake(code, error instanceof Error ? error.message : '');
  return { reason: 'network', message: code || 'the connection failed' };
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : '';
}

import type { FailureReason } from './advice.ts';
import type { Cause } from './failure.ts';
import { parseJson } from './json.ts';
import { privilegeHint, privilegeOf } from './privilege.ts';
import type { Operation } from './resources.ts';
import type { Secrets } from './secrets.ts';

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

/** The platform's classes are names of code; a token is none. */
const classShape = /^[A-Za-z]{1,40}$/;

/** Why an answer is no success. Its `details` may quote the token; only what they say of our rights is read. */
export function causeOfAnswer(
  { status, body }: { readonly status: number; readonly body: Buffer },
  operation: Operation,
  secrets: Pick<Secrets, 'word'>,
): Cause {
  const { class: word, details } = body.length > maxErrorBytes ? {} : explain(body);
  const platformClass = typeof word === 'string' ? classOf(word, secrets) : undefined;
  const shown = `status ${status}${platformClass ? ` (${platformClass})` : ''}`;
  const refusal = operation === 'login' && status < 500 && loginRefusals.get(platformClass ?? '');
  if (refusal) return { reason: refusal[0], message: `${shown}: ${refusal[1]}` };
  const privilege = status === 403 ? privilegeOf(details) : undefined;
  const hint = privilege && privilegeHint(privilege);
  const reason = reasonOfStatus(status, operation, platformClass !== undefined);
  return { reason, message: hint ? `${shown}: ${hint}` : shown, privilege };
}

function classOf(word: string, secrets: Pick<Secrets, 'word'>): string | undefined {
  if (loginRefusals.has(word)) return word;
  return classShape.test(word) ? secrets.word(word) : undefined;
}

function explain(body: Buffer): { class?: unknown; details?: unknown } {
  try {
    return (parseJson(body) as object | null) ?? {};
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

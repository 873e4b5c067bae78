import type { Credential } from '../../src/identity/credentials.ts';
import type { Issue, Token } from '../../src/identity/issue.ts';
import { createTokenSource, type LoginTrigger } from '../../src/identity/token.ts';
import type { Log } from '../../src/log.ts';
import { Failure, type FailureReason } from '../../src/transport/failure.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

export const minute = 60_000;
export const password: Credential = { method: 'password', user: { id: 'u' }, password: async () => 'pw' };
export const ticket: Credential = { method: 'cas', ticket: async () => 'once' };
export const givenToken: Credential = { method: 'token', token: async () => 'given' };

/** A token source whose logins are answered as the test says. */
export function setUp(credential = password) {
  const clock = createManualClock();
  const issued: Issue[] = [];
  const logins: LoginTrigger[] = [];
  const failures: FailureReason[] = [];
  const warnings: object[] = [];
  const debugged: object[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields) => void warnings.push(fields),
    debug: (fields) => void debugged.push(fields),
  };
  let answer: (issue: Issue) => Promise<Token> = async () => token(10 * minute);

  function token(lifeMs: number): Token {
    const deadAt = clock.monotonic() + lifeMs;
    const endsAt = clock.now() + lifeMs;
    const marginMs = Math.min(5 * minute, lifeMs * 0.2);
    return {
      value: `token-${issued.length}`,
      expiresAt: endsAt,
      endsAt,
      deadAt,
      renewAt: deadAt - marginMs,
      renewAtWall: endsAt - marginMs,
      widestScope: 'project',
      clockSkewMs: 0,
      catalog: [],
      user: '',
      userDomain: '',
      project: '',
      roles: [],
      passwordExpiresAt: undefined,
    };
  }

  const source = createTokenSource({
    credential,
    clock,
    log,
    observer: {
      loggingIn: (trigger) => logins.push(trigger),
      loginFailed: (reason) => failures.push(reason),
    },
    issue: (issue) => {
      issued.push(issue);
      return answer(issue);
    },
  });
  /** The deadline of a collection that starts now. */
  const deadline = () => clock.monotonic() + minute;
  return {
    clock,
    source,
    issued,
    logins,
    failures,
    warnings,
    debugged,
    token,
    deadline,
    obtain: () => source.obtain(deadline()),
    replace: (refused: Token) => source.replace(refused, deadline()),
    answerWith: (next: (issue: Issue) => Promise<Token>) => {
      answer = next;
    },
    refuse: (reason: FailureReason = 'unauthorized') => {
      answer = async () => {
        throw new Failure(reason, 'refused', { operation: 'login' });
      };
    },
  };
}

export const failureFor = (reason: FailureReason) => new Failure(reason, 'refused', { operation: 'login' });

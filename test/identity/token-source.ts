import type { Credential } from '../../src/identity/credentials.ts';
import type { Issue, Token } from '../../src/identity/issue.ts';
import { createTokenSource, type LoginTrigger } from '../../src/identity/token.ts';
import type { FailureReason } from '../../src/transport/advice.ts';
import { Failure } from '../../src/transport/failure.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

export const minute = 60_000;
export const password: Credential = { method: 'password', user: { id: 'u' }, password: async () => 'pw' };
export const ticket: Credential = { method: 'cas', ticket: async () => 'once' };
export const givenToken: Credential = { method: 'token', token: async () => 'given' };

export const failureFor = (reason: FailureReason) => new Failure(reason, 'refused', { operation: 'login' });

/** A token source whose logins are answered as the test says. */
export function setUp(credential = password) {
  const clock = createManualClock();
  const issued: Issue[] = [];
  const logins: LoginTrigger[] = [];
  const failures: FailureReason[] = [];
  const warnings: object[] = [];
  const debugged: object[] = [];
  let answer: (issue: Issue) => Promise<Token> = async () => token();

  function token(lifeMs = 10 * minute): Token {
    const marginMs = Math.min(5 * minute, lifeMs * 0.2);
    const [deadAt, endsAt] = [clock.monotonic() + lifeMs, clock.now() + lifeMs];
    const renewal = { renewAt: deadAt - marginMs, renewAtWall: endsAt - marginMs };
    const value = `token-${issued.length}`;
    return { value, expiresAt: endsAt, endsAt, deadAt, ...renewal } as Token;
  }

  const source = createTokenSource({
    credential,
    clock,
    log: {
      ...silentLog,
      warn: (told) => void warnings.push(told),
      debug: (told) => void debugged.push(told),
    },
    observer: { loggingIn: (why) => logins.push(why), loginFailed: (reason) => failures.push(reason) },
    issue: (issue) => {
      issued.push(issue);
      return answer(issue);
    },
  });
  /** The deadline of a collection that starts now. */
  const deadline = () => clock.monotonic() + minute;
  const answerWith = (next: typeof answer) => void (answer = next);
  return {
    clock,
    source,
    issued,
    logins,
    failures,
    warnings,
    debugged,
    deadline,
    answerWith,
    obtain: () => source.obtain(deadline()),
    replace: (refused: Token) => source.replace(refused, deadline()),
    refuse: (reason: FailureReason = 'unauthorized') => answerWith(() => Promise.reject(failureFor(reason))),
    grant: (lifeMs?: number) => answerWith(async () => token(lifeMs)),
    /** Has logins hang until the test ends the latest, with the token that it tells. */
    hang() {
      let end: (token: Token) => void = () => undefined;
      answerWith(() => new Promise((resolve) => (end = resolve)));
      return () => {
        const fresh = token();
        end(fresh);
        return fresh;
      };
    },
  };
}

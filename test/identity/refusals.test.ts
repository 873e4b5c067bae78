import { describe, expect, it } from 'vitest';
import { createIssuer } from '../../src/identity/issue.ts';
import { createTokenSource } from '../../src/identity/token.ts';
import type { Failure } from '../../src/transport/failure.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { serve, transportWith } from '../support/served.ts';
import { silentLog } from '../support/silent-log.ts';
import { password } from './token-source.ts';

/** An identity service that refuses each login so, and a cloud that tries two of them, one right after the other. */
async function tryTwice(status: number, body: string) {
  let asked = 0;
  const { origin: authUrl } = await serve((_request, response) => {
    asked += 1;
    response.writeHead(status).end(body);
  });
  const clock = createEagerClock((ms) => ms < 10_000);
  const tokens = createTokenSource({
    credential: password,
    issue: createIssuer({ authUrl, scope: undefined, transport: transportWith({ clock }), clock }),
    clock,
    observer: { loggingIn: () => undefined, loginFailed: () => undefined },
    log: silentLog,
  });
  const failures: Failure[] = [];
  for (let login = 0; login < 2; login += 1)
    await tokens.obtain(Infinity).catch((error: Failure) => failures.push(error));
  const [first] = failures;
  return { asked, reason: first?.reason, message: first?.message.split(': ').slice(1).join(': ') };
}

const refusal = (className: string) => JSON.stringify({ class: className, code: 1, details: 'pw' });

describe('a login that is refused', () => {
  it.each([
    [401, 'WrongPassword', ': the password is wrong'],
    [401, 'UnauthorizedError', ''],
    [404, 'UserNotFound', ': unknown user, or unknown user domain'],
    [404, 'constructor', ''],
    [409, 'ConflictError', ': several domains have a user of this name; set user_domain_name'],
    [423, 'UserLocked', ': the account is locked or disabled; an administrator has to enable it'],
    [423, 'UserDisabled', ': the account is disabled; an administrator has to enable it'],
    [423, 'Locked', ''],
    [429, 'TooManyFailedAttempts', ': too many failed logins; the account is locked now'],
  ])('with %i (%s) is told in words of its own, and waits before the next', async (status, name, words) => {
    const reason = status === 429 ? 'throttled' : 'unauthorized';
    const outcome = await tryTwice(status, refusal(name));
    expect(outcome).toEqual({ asked: 1, reason, message: `status ${status} (${name})${words}` });
  });

  it.each([
    [refusal('NotFoundError'), ' (NotFoundError): no login service at this path; check auth_url'],
    ['<h1>a gateway has not found it</h1>', ''],
  ])('because its path is wrong costs the account no pause: a 404 with %s', async (body, words) => {
    const outcome = { asked: 2, reason: 'rejected', message: `status 404${words}` };
    expect(await tryTwice(404, body)).toEqual(outcome);
  });
});

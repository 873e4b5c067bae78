import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/identity/credentials.ts';
import type { Issue, Token } from '../../src/identity/issue.ts';
import { createTokenSource, type LoginTrigger } from '../../src/identity/token.ts';
import { Failure, type FailureReason } from '../../src/transport/failure.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

const minute = 60_000;
const password: Credential = { method: 'password', user: { id: 'u' }, password: async () => 'pw' };

function setUp(credential = password) {
  const clock = createManualClock();
  const issued: Issue[] = [];
  const logins: LoginTrigger[] = [];
  const failures: FailureReason[] = [];
  let answer: () => Promise<Token> = async () => token(10 * minute);

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
    log: silentLog,
    observer: {
      loggingIn: (trigger) => logins.push(trigger),
      loginFailed: (reason) => failures.push(reason),
    },
    issue: (issue) => {
      issued.push(issue);
      return answer();
    },
  });
  return {
    clock,
    source,
    issued,
    logins,
    failures,
    token,
    obtain: () => source.obtain(clock.monotonic() + minute),
    answerWith: (next: () => Promise<Token>) => {
      answer = next;
    },
    refuse: (reason: FailureReason = 'unauthorized') => {
      answer = async () => {
        throw new Failure(reason, 'refused', { operation: 'login' });
      };
    },
  };
}

describe('a token', () => {
  it('is used until it nears its end, then renewed before use', async () => {
    const { clock, obtain, logins } = setUp();
    await obtain();
    await clock.advance(7.9 * minute);
    await obtain();
    expect(logins).toEqual(['startup']);
    await clock.advance(0.2 * minute);
    await obtain();
    expect(logins).toEqual(['startup', 'near_expiry']);
  });

  it('is issued once for all who wait', async () => {
    const { obtain, issued } = setUp();
    const tokens = await Promise.all(Array.from({ length: 20 }, obtain));
    expect(issued).toHaveLength(1);
    expect(new Set(tokens).size).toBe(1);
  });

  it('that is still valid goes on being used while renewal fails', async () => {
    const { clock, obtain, refuse, failures } = setUp();
    const first = await obtain();
    await clock.advance(9 * minute);
    refuse('network');
    expect(await obtain()).toBe(first);
    expect(failures).toEqual(['network']);
    await clock.advance(1 * minute);
    await expect(obtain()).rejects.toMatchObject({ reason: 'network' });
  });

  it('that was refused is replaced once for all who used it', async () => {
    const { clock, obtain, source, issued, logins } = setUp();
    const dead = await obtain();
    source.accepted(dead);
    const fresh = await Promise.all(
      Array.from({ length: 10 }, () => source.replace(dead, clock.monotonic() + minute)),
    );
    expect(issued).toHaveLength(2);
    expect(new Set(fresh).size).toBe(1);
    expect(logins).toEqual(['startup', 'rejected']);
  });

  it('without rights is not replaced at every scrape', async () => {
    const { clock, obtain, source, issued } = setUp();
    const refusals: boolean[] = [];
    for (let scrape = 0; scrape < 8; scrape += 1) {
      refusals.push((await source.replace(await obtain(), clock.monotonic() + minute)) === undefined);
      await clock.advance(15_000);
    }
    // The first replacement is tried at once, the next after 30 s, the one after that a minute later.
    expect(refusals).toEqual([false, true, false, true, true, true, false, true]);
    expect(issued).toHaveLength(4);
  });
});

describe('a refused login', () => {
  it('backs off from 30 s to 10 min, and says when it is tried again', async () => {
    const { clock, obtain, refuse, issued } = setUp();
    refuse();
    const pauses: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      await expect(obtain()).rejects.toMatchObject({ reason: 'unauthorized' });
      const words = await obtain().catch((error: Error) => error.message);
      pauses.push(Number(/tried in (\d+) s/.exec(String(words))?.[1]));
      await clock.advance(pauses.at(-1)! * 1000);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
    expect(issued).toHaveLength(7);
  });

  it.each<FailureReason>(['network', 'timeout', 'upstream', 'secret'])(
    'for %s is tried at the next scrape',
    async (reason) => {
      const { obtain, refuse, issued } = setUp();
      refuse(reason);
      await expect(obtain()).rejects.toMatchObject({ reason });
      await expect(obtain()).rejects.toMatchObject({ reason });
      expect(issued).toHaveLength(2);
    },
  );

  it('is tried at once after it was forgiven', async () => {
    const { obtain, refuse, answerWith, token, source } = setUp();
    refuse();
    await expect(obtain()).rejects.toThrow();
    answerWith(async () => token(minute));
    await expect(obtain()).rejects.toThrow('tried in 30 s');
    source.resetBackoff();
    await expect(obtain()).resolves.toBeDefined();
  });
});

describe('a ticket or a given token', () => {
  it.each<Credential>([
    { method: 'cas', ticket: async () => 'once' },
    { method: 'token', token: async () => 'given' },
  ])('lives on by trading the token held: $method', async (credential) => {
    const { clock, obtain, issued } = setUp(credential);
    const first = await obtain();
    await clock.advance(9 * minute);
    await obtain();
    expect(issued.map((issue) => issue.credential.method)).toEqual([credential.method, 'token']);
    const traded = issued[1]!.credential;
    expect(traded.method === 'token' && (await traded.token())).toBe(first.value);
  });
});

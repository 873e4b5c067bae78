import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/identity/credentials.ts';
import type { Issue, Token } from '../../src/identity/issue.ts';
import type { FailureReason } from '../../src/transport/failure.ts';
import { failureFor, givenToken, minute, password, setUp, ticket } from './token-source.ts';

/** The secret with which a login was made. */
async function secretOf({ credential }: Issue): Promise<string> {
  if (credential.method === 'token') return credential.token();
  return credential.method === 'cas' ? credential.ticket() : credential.method;
}

const secretsOf = (issued: readonly Issue[]) => Promise.all(issued.map(secretOf));

describe.each<[Credential, string]>([
  [ticket, 'once'],
  [givenToken, 'given'],
])('a token that came from $method', (credential, original) => {
  /** Answers a trade as told, and a login with the original credential by `login`. */
  function refuseTrade(
    parts: ReturnType<typeof setUp>,
    reason: FailureReason,
    login: FailureReason | 'fine' = 'unauthorized',
  ) {
    parts.answerWith(async (issue) => {
      const isTrade = (await secretOf(issue)) !== original;
      if (isTrade) throw failureFor(reason);
      if (login === 'fine') return parts.token(10 * minute);
      throw failureFor(login);
    });
  }

  it('is precious, and lives on by being traded for a new one', async () => {
    const { clock, source, obtain, issued } = setUp(credential);
    const first = await obtain();
    await clock.advance(9 * minute);
    await obtain();
    expect(source.isPrecious).toBe(true);
    expect(await secretsOf(issued)).toEqual([original, first.value]);
  });

  it('that is dead is not traded', async () => {
    const { clock, obtain, issued } = setUp(credential);
    await obtain();
    await clock.advance(10 * minute);
    await obtain();
    expect(await secretsOf(issued)).toEqual([original, original]);
  });

  it('is traded when it is refused, once for all who used it', async () => {
    const { source, obtain, replace, issued, logins } = setUp(credential);
    const old = await obtain();
    source.accepted(old);
    const fresh = await Promise.all(Array.from({ length: 10 }, () => replace(old)));
    expect(new Set(fresh).size).toBe(1);
    expect(fresh[0]).not.toBe(old);
    expect(source.held()).toBe(fresh[0]);
    expect(await secretsOf(issued)).toEqual([original, old.value]);
    expect(logins).toEqual(['startup', 'rejected']);
    expect(await replace(old)).toBe(fresh[0]);
    expect(issued).toHaveLength(2);
  });

  it.each<FailureReason>(['network', 'timeout', 'upstream', 'throttled', 'secret', 'malformed'])(
    'is kept, and the credential spared, when the trade fails as %s',
    async (reason) => {
      const { source, obtain, replace, refuse, issued } = setUp(credential);
      const old = await obtain();
      source.accepted(old);
      refuse(reason);
      await expect(replace(old)).rejects.toMatchObject({ reason });
      expect(source.held()).toBe(old);
      expect(issued).toHaveLength(2);
    },
  );

  it.each<FailureReason>(['unauthorized', 'forbidden', 'rejected'])(
    'that cannot be traded (%s) is followed by a login',
    async (reason) => {
      const parts = setUp(credential);
      const old = await parts.obtain();
      parts.source.accepted(old);
      refuseTrade(parts, reason, 'fine');
      const fresh = await parts.replace(old);
      expect(parts.source.held()).toBe(fresh);
      expect(await secretsOf(parts.issued)).toEqual([original, old.value, original]);
    },
  );

  it.each<[FailureReason, boolean]>([
    ['unauthorized', false],
    ['forbidden', false],
    ['rejected', true],
  ])('refused by the platform, and %s by its identity service, is kept: %s', async (reason, isKept) => {
    const parts = setUp(credential);
    const old = await parts.obtain();
    parts.source.accepted(old);
    refuseTrade(parts, reason);
    await expect(parts.replace(old)).rejects.toMatchObject({ reason: 'unauthorized' });
    expect(parts.source.held()).toBe(isKept ? old : undefined);
  });

  it('that only nears its end is kept when it cannot be traded', async () => {
    const parts = setUp(credential);
    const old = await parts.obtain();
    await parts.clock.advance(9 * minute);
    refuseTrade(parts, 'unauthorized');
    expect(await parts.obtain()).toBe(old);
    expect(parts.source.held()).toBe(old);
  });
});

describe('a token that came from a password', () => {
  it('is not precious: what is refused is dropped before the login', async () => {
    const { source, obtain, replace, issued, refuse } = setUp();
    const old = await obtain();
    source.accepted(old);
    refuse('network');
    await expect(replace(old)).rejects.toMatchObject({ reason: 'network' });
    expect([source.isPrecious, source.held()]).toEqual([false, undefined]);
    expect(issued.map(({ credential }) => credential)).toEqual([password, password]);
  });

  it('is asked for as rejected until a login succeeds, and then as near its end', async () => {
    const { clock, source, obtain, replace, logins, refuse, answerWith, token } = setUp();
    const old = await obtain();
    source.accepted(old);
    refuse('network');
    await expect(replace(old)).rejects.toThrow();
    answerWith(async () => token(10 * minute));
    await obtain();
    await clock.advance(9 * minute);
    await obtain();
    expect(logins).toEqual(['startup', 'rejected', 'rejected', 'near_expiry']);
  });

  it('that is refused while it is being renewed is replaced by what that brings', async () => {
    const { clock, source, obtain, replace, answerWith, issued, logins, token } = setUp();
    const old = await obtain();
    await clock.advance(9 * minute);
    let end: (token: Token) => void = () => undefined;
    answerWith(() => new Promise((resolve) => (end = resolve)));
    void obtain();
    const replaced = replace(old);
    const fresh = token(10 * minute);
    end(fresh);
    expect(await replaced).toBe(fresh);
    expect(source.held()).toBe(fresh);
    expect([issued.length, logins]).toEqual([2, ['startup', 'near_expiry']]);
    answerWith(async () => token(10 * minute));
    expect(await replace(fresh), 'this is the first that is replaced because it was refused').toBeDefined();
  });

  it('that was never accepted is not replaced again and again', async () => {
    const { clock, source, obtain, replace, issued } = setUp();
    await replace(await obtain());
    expect(await replace(await obtain())).toBeUndefined();
    source.resetBackoff();
    expect(await replace(await obtain())).toBeDefined();
    await clock.advance(29_999);
    expect(await replace(await obtain())).toBeUndefined();
    source.accepted(await obtain());
    expect(await replace(await obtain())).toBeDefined();
    expect(issued).toHaveLength(4);
  });

  it('has to be accepted anew when it is a new one', async () => {
    const { source, obtain, replace } = setUp();
    const old = await obtain();
    source.accepted(old);
    const second = await replace(old);
    const third = await replace(second!);
    expect(await replace(third!)).toBeUndefined();
  });

  it('counts as accepted only while it is held', async () => {
    const { source, obtain, replace } = setUp();
    const old = await obtain();
    await replace(old);
    source.accepted(old);
    expect(await replace(await obtain())).toBeUndefined();
  });
});

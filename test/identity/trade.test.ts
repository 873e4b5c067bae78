import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/identity/credentials.ts';
import type { Issue } from '../../src/identity/issue.ts';
import type { FailureReason } from '../../src/transport/advice.ts';
import { failureFor, givenToken, minute, password, setUp, ticket } from './token-source.ts';

/** The secret with which a login was made. */
async function secretOf({ credential }: Issue): Promise<string> {
  if (credential.method === 'token') return credential.token();
  return credential.method === 'cas' ? credential.ticket() : credential.method;
}

/** A token that the platform took. */
async function setUpAccepted(credential: Credential) {
  const parts = setUp(credential);
  const old = await parts.obtain();
  parts.source.accepted(old);
  const secrets = () => Promise.all(parts.issued.map(secretOf));
  return { ...parts, old, secrets };
}

it.each([password, ticket, givenToken])(
  'a token that came from $method is replaced when it is refused, once for all who used it',
  async (credential) => {
    const { source, old, replace, issued, logins } = await setUpAccepted(credential);
    const fresh = await Promise.all(Array.from({ length: 10 }, () => replace(old)));
    expect(new Set(fresh).size).toBe(1);
    expect(fresh[0]).not.toBe(old);
    expect(source.held()).toBe(fresh[0]);
    expect(await replace(old)).toBe(fresh[0]);
    expect([issued.length, logins]).toEqual([2, ['startup', 'rejected']]);
  },
);

describe.each<[Credential, string]>([
  [ticket, 'once'],
  [givenToken, 'given'],
])('a token that came from $method', (credential, original) => {
  /** Answers a trade as told, and a login with the original credential by `login`. */
  async function setUpTrade(trade: FailureReason | 'fine', login: FailureReason | 'fine' = 'unauthorized') {
    const parts = await setUpAccepted(credential);
    parts.answerWith(async (issue) => {
      const outcome = (await secretOf(issue)) === original ? login : trade;
      if (outcome !== 'fine') throw failureFor(outcome);
      return { ...parts.old, value: 'fresh' };
    });
    return parts;
  }

  it('is precious, and lives on by being traded for a new one', async () => {
    const { clock, source, old, obtain, secrets } = await setUpTrade('fine');
    await clock.advance(9 * minute);
    await obtain();
    expect(source.isPrecious).toBe(true);
    expect(await secrets()).toEqual([original, old.value]);
  });

  const passing: FailureReason[] = ['network', 'timeout', 'upstream', 'throttled', 'secret', 'malformed'];
  it.each(passing)('is kept, and the credential spared, when the trade fails as %s', async (reason) => {
    const { source, old, replace, secrets } = await setUpTrade(reason);
    await expect(replace(old)).rejects.toMatchObject({ reason });
    expect(source.held()).toBe(old);
    expect(await secrets()).toEqual([original, old.value]);
  });

  const final: FailureReason[] = ['unauthorized', 'forbidden', 'rejected'];
  it.each(final)('that cannot be traded (%s) is followed by a login', async (reason) => {
    const { source, old, replace, secrets } = await setUpTrade(reason, 'fine');
    const fresh = await replace(old);
    expect(source.held()).toBe(fresh);
    expect(await secrets()).toEqual([original, old.value, original]);
  });

  it.each<[FailureReason, boolean]>([
    ['unauthorized', false],
    ['forbidden', false],
    ['rejected', true],
  ])('refused by the platform, and %s by its identity service, is kept: %s', async (reason, isKept) => {
    const { source, old, replace } = await setUpTrade(reason);
    await expect(replace(old)).rejects.toMatchObject({ reason: 'unauthorized' });
    expect(source.held()).toBe(isKept ? old : undefined);
  });
});

describe('a token that came from a password', () => {
  it('is not precious: what is refused is dropped before the login, and asked for as rejected until one succeeds', async () => {
    const { clock, source, old, obtain, replace, issued, logins, refuse, grant } =
      await setUpAccepted(password);
    refuse('network');
    await expect(replace(old)).rejects.toMatchObject({ reason: 'network' });
    expect([source.isPrecious, source.held()]).toEqual([false, undefined]);
    expect(issued.map(({ credential }) => credential)).toEqual([password, password]);
    grant();
    await obtain();
    await clock.advance(9 * minute);
    await obtain();
    expect(logins).toEqual(['startup', 'rejected', 'rejected', 'near_expiry']);
  });

  it('that is refused while it is being renewed is replaced by what that brings', async () => {
    const { clock, source, obtain, replace, hang, grant, issued, logins } = setUp();
    const old = await obtain();
    await clock.advance(9 * minute);
    const end = hang();
    void obtain();
    const replaced = replace(old);
    const fresh = end();
    expect(await replaced).toBe(fresh);
    expect(source.held()).toBe(fresh);
    expect([issued.length, logins]).toEqual([2, ['startup', 'near_expiry']]);
    grant();
    expect(await replace(fresh), 'this is the first that is replaced because it was refused').toBeDefined();
  });

  it('has to be accepted anew when it is a new one, and while it is held', async () => {
    const { source, old, replace } = await setUpAccepted(password);
    const second = await replace(old);
    const third = await replace(second!);
    source.accepted(second!);
    expect(await replace(third!)).toBeUndefined();
  });
});

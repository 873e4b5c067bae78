import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { Failure, type FailureReason } from '../transport/failure.ts';
import type { Credential } from './credentials.ts';
import type { Issue, Token } from './issue.ts';

export const loginTriggers = ['startup', 'near_expiry', 'rejected'] as const;
export type LoginTrigger = (typeof loginTriggers)[number];

export interface LoginObserver {
  loggingIn(trigger: LoginTrigger): void;
  loginFailed(reason: FailureReason): void;
}

export interface TokenSource {
  /** A token that is good for use now: the one held, or a new one. */
  obtain(deadline: number): Promise<Token>;
  /** A token in place of one that the platform refused, or nothing if a login would not help. */
  replace(refused: Token, deadline: number): Promise<Token | undefined>;
  /** The platform took this token: if it is refused later, it has died. */
  accepted(token: Token): void;
  held(): Token | undefined;
  /** Forgets earlier refusals, so that a corrected account is tried at once. */
  resetBackoff(): void;
}

const firstPauseMs = 30_000;
const longestPauseMs = 600_000;

/** Refusals in a row, and the moment until which a further try is held back. */
interface Pause {
  readonly count: number;
  readonly until: number;
}

const noPause: Pause = { count: 0, until: 0 };

/** Hammering a wrong password can lock the account, and a login that cures nothing is only load. */
function lengthen({ count }: Pause, now: number): Pause {
  return { count: count + 1, until: now + Math.min(longestPauseMs, firstPauseMs * 2 ** count) };
}

/** Answers about the account, which need a person; others, such as the 404 of a gateway, may be gone in a moment. */
const refusals: ReadonlySet<FailureReason> = new Set(['unauthorized', 'forbidden', 'throttled']);

/** One live token of one cloud, in memory only; never issued twice at once. */
export function createTokenSource(input: {
  credential: Credential;
  issue: (issue: Issue) => Promise<Token>;
  clock: Clock;
  observer: LoginObserver;
  log: Log;
}): TokenSource {
  const { credential, issue, clock, observer, log } = input;
  let held: Token | undefined;
  let proven = false;
  let trigger: LoginTrigger = 'startup';
  let login: Promise<Token> | undefined;
  let refusedLogin: { failure: Failure; pause: Pause } | undefined;
  let fruitless = noPause;

  async function obtain(deadline: number): Promise<Token> {
    if (held && clock.now() < held.renewAt) return held;
    login ??= renew(deadline).finally(() => {
      login = undefined;
    });
    try {
      return await login;
    } catch (error) {
      if (!held || clock.now() >= held.deadAt || !(error instanceof Failure)) throw error;
      log.warn({ reason: error.reason, err: error.message }, 'token not renewed, the old one is still valid');
      return held;
    }
  }

  async function renew(deadline: number): Promise<Token> {
    holdBack();
    if (held) trigger = 'near_expiry';
    observer.loggingIn(trigger);
    try {
      const token = await issueOnce(deadline);
      held = token;
      proven = false;
      refusedLogin = undefined;
      log.debug(
        { trigger, expiresAt: token.expiresAt && new Date(token.expiresAt).toISOString() },
        'logged in',
      );
      return token;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      observer.loginFailed(error.reason);
      if (refusals.has(error.reason)) {
        refusedLogin = { failure: error, pause: lengthen(refusedLogin?.pause ?? noPause, clock.now()) };
      }
      throw error;
    }
  }

  function holdBack(): void {
    if (!refusedLogin || clock.now() >= refusedLogin.pause.until) return;
    const { failure, pause } = refusedLogin;
    const seconds = Math.ceil((pause.until - clock.now()) / 1000);
    throw new Failure(failure.reason, `${failure.message}; the next login is tried in ${seconds} s`, failure);
  }

  /** A ticket works once and a given token ends, so both live on by trading the token held for a new one. */
  async function issueOnce(deadline: number): Promise<Token> {
    const tradable = credential.method === 'token' || credential.method === 'cas';
    if (!tradable || !held || clock.now() >= held.deadAt) return issue({ credential, deadline });
    const { value } = held;
    try {
      return await issue({ credential: { method: 'token', token: async () => value }, deadline });
    } catch (error) {
      const isRefused =
        error instanceof Failure && (refusals.has(error.reason) || error.reason === 'rejected');
      if (!isRefused) throw error;
      return issue({ credential, deadline });
    }
  }

  async function replace(refused: Token, deadline: number): Promise<Token | undefined> {
    if (held === refused) {
      if (!proven && clock.now() < fruitless.until) return undefined;
      fruitless = proven ? noPause : lengthen(fruitless, clock.now());
      held = undefined;
      trigger = 'rejected';
    }
    return obtain(deadline);
  }

  return {
    obtain,
    replace,
    accepted: (token) => {
      if (token !== held) return;
      proven = true;
      fruitless = noPause;
    },
    held: () => (held && clock.now() < held.deadAt ? held : undefined),
    resetBackoff: () => {
      refusedLogin = undefined;
      fruitless = noPause;
    },
  };
}

import { within, type Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { FailureReason } from '../transport/advice.ts';
import { Failure } from '../transport/failure.ts';
import type { Credential } from './credentials.ts';
import type { Issue, Token } from './issue.ts';

export const loginTriggers = ['startup', 'near_expiry', 'rejected'] as const;
export type LoginTrigger = (typeof loginTriggers)[number];

export interface LoginObserver {
  loggingIn(trigger: LoginTrigger): void;
  loginFailed(reason: FailureReason): void;
}

export type TokenSource = ReturnType<typeof createTokenSource>;

const firstPauseMs = 30_000;
const maxPauseMs = 600_000;
/** How long pages wait for a new token while the one held still works. */
export const maxRenewalWaitMs = 1500;

/** Refusals in a row, and the moment until which a further try is held back. */
interface Pause {
  readonly count: number;
  readonly until: number;
}

const noPause: Pause = { count: 0, until: -Infinity };

/** Hammering a wrong password can lock the account, and a login that cures nothing is only load. */
function lengthen({ count }: Pause, now: number): Pause {
  return { count: count + 1, until: now + Math.min(maxPauseMs, firstPauseMs * 2 ** count) };
}

/** Answers about the account, which need attention; others, such as the 404 of a gateway, may be gone in a moment. */
const refusals: ReadonlySet<FailureReason> = new Set(['unauthorized', 'forbidden', 'throttled']);
/** Answers after which the token held cannot be traded, so that the credential itself is tried. */
const untradable: ReadonlySet<FailureReason> = new Set(['unauthorized', 'forbidden', 'rejected']);

/** One live token of one cloud, in memory only; never issued twice at once. */
export function createTokenSource(input: {
  credential: Credential;
  issue: (issue: Issue) => Promise<Token>;
  clock: Clock;
  observer: LoginObserver;
  log: Log;
}) {
  const { credential, issue, clock, observer, log } = input;
  /** A login with these may not work again, so what came from it is not given up lightly. */
  const isPrecious = credential.method === 'token' || credential.method === 'cas';
  let held: Token | undefined;
  /** The latest token that the platform took. */
  let proven: Token | undefined;
  let trigger: LoginTrigger = 'startup';
  let login: Promise<Token> | undefined;
  /** The latest try to replace a token that still works, and the deadline of the collection that made it. */
  let renewal = { startedAt: -Infinity, deadline: -Infinity, ended: Promise.resolve() };
  let refusedLogin: { readonly failure: Failure; readonly pause: Pause } | undefined;
  let fruitless = noPause;

  const heldAlive = () => (held && clock.monotonic() < held.deadAt ? held : undefined);
  const isFresh = (token: Token) => clock.monotonic() < token.renewAt && clock.now() < token.renewAtWall;

  /** A token that is good for use now: the one held, or a new one. `deadline` is that of the collection. */
  async function obtain(deadline: number, signal?: AbortSignal): Promise<Token> {
    signal?.throwIfAborted();
    if (held && isFresh(held)) return held;
    if (heldAlive()) await tryToRenew(deadline);
    return heldAlive() ?? unlessAborted(logIn(deadline), signal);
  }

  /** Once in a collection. If it takes long or fails, the token held goes on being used until its end. */
  async function tryToRenew(deadline: number): Promise<void> {
    if (!login && renewal.deadline !== deadline)
      renewal = { startedAt: clock.monotonic(), deadline, ended: renew(deadline) };
    const leftMs = renewal.startedAt + maxRenewalWaitMs - clock.monotonic();
    if (leftMs > 0) await within({ clock, ms: leftMs }, renewal.ended, () => undefined);
  }

  async function renew(deadline: number): Promise<void> {
    try {
      await logIn(deadline);
    } catch (error) {
      const fields =
        error instanceof Failure
          ? { reason: error.reason, err: error.message }
          : { reason: 'bug', stack: error instanceof Error ? error.stack : String(error) };
      log.warn(fields, 'token not renewed, the old one is still valid');
    }
  }

  function logIn(deadline: number): Promise<Token> {
    login ??= issueAndHold(deadline).finally(() => {
      login = undefined;
    });
    return login;
  }

  async function issueAndHold(deadline: number): Promise<Token> {
    holdBack();
    observer.loggingIn(trigger);
    try {
      const token = await issueOnce(deadline);
      const expiresAt = token.expiresAt && new Date(token.expiresAt).toISOString();
      log.debug({ trigger, expiresAt }, 'logged in');
      held = token;
      trigger = 'near_expiry';
      refusedLogin = undefined;
      return token;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      observer.loginFailed(error.reason);
      if (refusals.has(error.reason))
        refusedLogin = { failure: error, pause: lengthen(refusedLogin?.pause ?? noPause, clock.monotonic()) };
      throw error;
    }
  }

  function holdBack(): void {
    if (!refusedLogin || clock.monotonic() >= refusedLogin.pause.until) return;
    const { failure, pause } = refusedLogin;
    const seconds = Math.ceil((pause.until - clock.monotonic()) / 1000);
    throw new Failure(failure.reason, `${failure.message}; the next login is tried in ${seconds} s`, failure);
  }

  /** A ticket works once and a given token ends, so both live on by trading the token held for a new one. */
  async function issueOnce(deadline: number): Promise<Token> {
    const old = heldAlive();
    // While the old one works there is no hurry: the next collection tries again.
    const retryTimeouts = old === undefined;
    if (!isPrecious || !old) return issue({ credential, deadline, retryTimeouts });
    try {
      const trade = { method: 'token', token: async () => old.value } as const;
      return await issue({ credential: trade, deadline, retryTimeouts });
    } catch (error) {
      if (!(error instanceof Failure) || !untradable.has(error.reason)) throw error;
      // Refused by the platform and by its identity service: it is dead.
      if (trigger === 'rejected' && refusals.has(error.reason)) held = undefined;
      return issue({ credential, deadline });
    }
  }

  /** A token in place of one that the platform refused, or nothing if a login would not help. */
  async function replace(refused: Token, deadline: number, signal?: AbortSignal): Promise<Token | undefined> {
    if (held !== refused) return obtain(deadline, signal);
    if (!login) {
      if (clock.monotonic() < fruitless.until) return undefined;
      if (refused !== proven) fruitless = lengthen(fruitless, clock.monotonic());
      trigger = 'rejected';
    }
    if (!isPrecious) held = undefined;
    return unlessAborted(logIn(deadline), signal);
  }

  return {
    isPrecious,
    obtain,
    replace,
    /** The platform took this token: if it is refused later, it has died. */
    accepted(token: Token): void {
      if (token !== held) return;
      proven = token;
      fruitless = noPause;
    },
    held: heldAlive,
    /** Nothing can be asked before a login that is under way has ended. */
    isAwaited: () => login !== undefined && heldAlive() === undefined,
    /** Forgets earlier refusals, so that a corrected account is tried at once. */
    resetBackoff(): void {
      refusedLogin = undefined;
      fruitless = noPause;
    },
  };
}

async function unlessAborted(work: Promise<Token>, signal: AbortSignal | undefined): Promise<Token> {
  if (!signal) return work;
  // One of its own: many pages that wait for one login would look like a leak of listeners.
  const own = AbortSignal.any([signal]);
  return new Promise((resolve, reject) => {
    const leave = () => reject(own.reason as Error);
    own.addEventListener('abort', leave);
    work.then(resolve, reject).finally(() => own.removeEventListener('abort', leave));
  });
}

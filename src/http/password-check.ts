import { createHmac, randomBytes } from 'node:crypto';
import { createBcryptWorker, type Compare } from './bcrypt-worker.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** `busy` when so many came after it that it would only wait in vain. */
export type Verdict = 'right' | 'wrong' | 'busy';

export type PasswordCheck = (users: ReadonlyMap<string, string>, login: Login) => Promise<Verdict>;

/** How many verdicts of each sort are remembered, and how many logins may wait for one. */
const remembered = 100;
const mostWaiting = 20;

/** The credentials of `Authorization: Basic …`; RFC 7617 ends the user at the first colon. */
export function parseBasic(header: string | undefined): Login | undefined {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

interface Job extends Login {
  readonly hash: string;
  readonly isKnown: boolean;
  readonly key: string;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Checks passwords against bcrypt hashes: one at a time, so that guesses keep one thread busy and no more. The latest
 * and the oldest take turns: who comes between guesses waits for few of them, and nobody is overtaken for ever.
 */
export function createPasswordCheck(compare: Compare = createBcryptWorker()): PasswordCheck {
  const secret = randomBytes(32);
  // Apart, so that a stranger's guesses never push out the verdict on Prometheus.
  const right = createMemory();
  const wrong = createMemory();
  const waiting: Job[] = [];
  let isWorking = false;

  function recall(key: string): Verdict | undefined {
    return right.has(key) ? 'right' : wrong.has(key) ? 'wrong' : undefined;
  }

  async function decide({ password, hash, isKnown, key }: Job): Promise<Verdict> {
    const isRight = (await compare(password, hash)) && isKnown;
    (isRight ? right : wrong).add(key);
    return isRight ? 'right' : 'wrong';
  }

  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let turn = 0; waiting.length > 0; turn += 1) {
      const job = (turn % 2 === 0 ? waiting.pop() : waiting.shift())!;
      await Promise.resolve(recall(job.key) ?? decide(job)).then(job.resolve, job.reject);
    }
    isWorking = false;
  }

  return async (users, { user, password }) => {
    const known = users.get(user);
    const hash = known ?? decoy(users);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    const verdict = recall(key);
    if (verdict) return verdict;
    return new Promise((resolve, reject) => {
      waiting.push({ user, password, hash, isKnown: known !== undefined, key, resolve, reject });
      void work();
      if (waiting.length > mostWaiting) waiting.shift()?.resolve('busy');
    });
  };
}

/** A hash that no password has, as costly as the real ones: an unknown user takes as long as a known one. */
function decoy(users: ReadonlyMap<string, string>): string {
  const costs = [...users.values()].map((hash) => hash.slice(4, 6)).toSorted();
  return `$2b$${costs.at(-1) ?? '10'}$${'.'.repeat(53)}`;
}

function createMemory() {
  const keys = new Set<string>();
  return {
    has: (key: string) => keys.has(key),
    add(key: string) {
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > remembered && oldest !== undefined) keys.delete(oldest);
    },
  };
}

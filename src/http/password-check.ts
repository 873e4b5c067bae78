import { createHmac, randomBytes } from 'node:crypto';
import { compare as compareWithBcrypt } from 'bcryptjs';

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** `busy` when so many wait already that one more would only wait in vain. */
export type Verdict = 'right' | 'wrong' | 'busy';

export type PasswordCheck = (users: ReadonlyMap<string, string>, login: Login) => Promise<Verdict>;
type Compare = (password: string, hash: string) => Promise<boolean>;

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

/** Checks passwords against bcrypt hashes: one at a time, since each costs a tenth of a second of our only thread. */
export function createPasswordCheck(compare: Compare = compareWithBcrypt): PasswordCheck {
  const secret = randomBytes(32);
  // Apart, so that a stranger's guesses never push out the verdict on Prometheus.
  const right = createMemory();
  const wrong = createMemory();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  return async (users, { user, password }) => {
    const known = users.get(user);
    const hash = known ?? decoy(users);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    const recall = () => (right.has(key) ? 'right' : wrong.has(key) ? 'wrong' : undefined);
    const verdict = recall();
    if (verdict) return verdict;
    if (waiting >= mostWaiting) return 'busy';
    waiting += 1;
    const turn = last.then(async () => {
      const meanwhile = recall();
      if (meanwhile) return meanwhile;
      const isRight = (await compare(password, hash)) && known !== undefined;
      (isRight ? right : wrong).add(key);
      return isRight ? 'right' : 'wrong';
    });
    last = turn.catch(() => undefined).finally(() => (waiting -= 1));
    return turn;
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

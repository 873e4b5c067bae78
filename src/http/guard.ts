import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Request, RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import type { WebConfig } from '../config/web/file.ts';
import type { Refusal } from '../metrics/self.ts';
import { sendText } from './send.ts';

/** Stands before every path, health checks included, as exporter-toolkit does: headers, rate limit, basic auth. */
export function createGuard(input: {
  /** The configuration in force at the moment. */
  web: () => WebConfig | Promise<WebConfig>;
  clock: Clock;
  refused: (request: Request, reason: Refusal) => void;
}): RequestHandler {
  const { refused } = input;
  const checkPassword = createPasswordCheck();
  const mayPass = createRateLimit(input.clock);
  return async (request, response, next) => {
    const { headers, rateLimit, users } = await input.web();
    response.set(headers);
    if (rateLimit && !mayPass(rateLimit)) {
      refused(request, 'rate_limit');
      return sendText(response, 429, 'too many requests');
    }
    if (users.size === 0) return next();
    const login = parseBasic(request.get('authorization'));
    const verdict = login ? await checkPassword(users, login) : 'wrong';
    if (verdict === 'right') return next();
    if (verdict === 'busy') {
      refused(request, 'busy');
      return sendText(response.set('Retry-After', '1'), 503, 'too many logins at once');
    }
    refused(request, 'unauthorized');
    response.set('WWW-Authenticate', 'Basic realm="cloud-platform-exporter", charset="UTF-8"');
    return sendText(response, 401, 'a user name and password are needed');
  };
}

/** A bucket of `burst` tokens that gains one per interval; whoever finds it empty has to come back later. */
function createRateLimit(clock: Clock): (rate: NonNullable<WebConfig['rateLimit']>) => boolean {
  let tokens = Infinity;
  let filledAt = clock.monotonic();
  return ({ intervalMs, burst }) => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + (now - filledAt) / intervalMs);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

type Login = NonNullable<ReturnType<typeof parseBasic>>;

/** The credentials of `Authorization: Basic …`; RFC 7617 ends the user at the first colon. */
function parseBasic(header: string | undefined) {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** `busy` when as many wait already as may. */
type Verdict = 'right' | 'wrong' | 'busy';

/** How many logins may wait for a verdict. */
const maxWaiting = 20;

/** Checks passwords against bcrypt hashes: one after the other, so that guesses keep one thread busy and no more. */
export function createPasswordCheck(compare: Compare = createBcryptWorker()) {
  const secret = randomBytes(32);
  /** Who was let in, so that Prometheus pays once. Guesses are not remembered. */
  const right = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  /** With the one that is being decided. */
  let waiting = 0;

  return async (users: ReadonlyMap<string, string>, { user, password }: Login): Promise<Verdict> => {
    const known = users.get(user);
    // An unknown user takes as long as a known one.
    const hash = known ?? [...users.values()][0]!;
    const claim = JSON.stringify([user, hash, password]);
    const key = createHmac('sha256', secret).update(claim).digest('base64');
    if (right.has(key)) return 'right';
    if (waiting > maxWaiting) return 'busy';
    waiting += 1;
    const decision = last.then(async () => {
      if (!right.has(key) && (await compare(password, hash)) && known !== undefined) right.add(key);
    });
    last = decision.catch(() => undefined);
    await decision.finally(() => (waiting -= 1));
    return right.has(key) ? 'right' : 'wrong';
  };
}

type Compare = (password: string, hash: string) => Promise<boolean>;

/** Runs in the thread. As text, since the thread starts from a file of its own, and a test has none that is compiled. */
const workerProgram = `
const { parentPort, workerData } = require('node:worker_threads');
const { compareSync } = require(workerData);
parentPort.on('message', ({ password, hash }) => {
  let isRight = false;
  try {
    isRight = compareSync(password, hash);
  } catch {}
  parentPort.postMessage(isRight);
});
`;

/**
 * Compares one password after the other in a thread of its own: each takes a tenth of a second or more, in which the
 * main thread would answer nobody. The thread starts with the first password, and ends with the process, which
 * it does not keep alive.
 */
export function createBcryptWorker(): Compare {
  const library = createRequire(import.meta.url).resolve('bcryptjs');
  let worker: Worker | undefined;
  return async (password, hash) => {
    worker ??= new Worker(workerProgram, { eval: true, workerData: library }).once('exit', () => {
      worker = undefined;
    });
    worker.unref();
    worker.postMessage({ password, hash });
    const [isRight] = (await once(worker, 'message')) as [boolean];
    return isRight;
  };
}

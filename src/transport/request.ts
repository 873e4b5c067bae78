import type { Readable } from 'node:stream';
import axios, { AxiosHeaders } from 'axios';
import type { Clock } from '../clock.ts';
import { timestampOf } from '../timestamp.ts';
import { createSlices, nextSlice, type Slices, type YieldToEventLoop } from '../yield-to-event-loop.ts';
import { AnswerTooLarge, createBodyReader, type BodyMemory } from './body.ts';
import { createConnections, type ConnectionSettings } from './connections.ts';
import { causeOfError } from './broken-exchange.ts';
import { cureOfBrokenAnswer, Failure, type Cause } from './failure.ts';
import { causeOfAnswer } from './refusal.ts';
import type { Operation } from './resources.ts';
import { isCostly, NotJson, parseJson } from './json.ts';
import { createSecrets } from './secrets.ts';

export interface Request {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What it carries and nobody may see. */
  readonly secrets: readonly string[];
  /** The moment, on the monotonic clock, after which nobody waits for the answer any more. */
  readonly deadline: number;
  /** No attempt starts after this moment of the same clock: the token it carries is dead by then. */
  readonly validUntil?: number;
  readonly signal?: AbortSignal;
  /** False for who would rather ask for less: the platform goes on with a request that was given up. */
  readonly retryTimeouts?: boolean;
  /** A larger answer is refused; by default, as the configuration says. */
  readonly maxBytes?: number;
  /** The address has given such answers before: a bad one is not the address's fault. */
  readonly isAddressProven?: boolean;
  /** Is called with why the request is tried again. */
  readonly onRetry?: (reason: Failure['reason']) => void;
}

export interface Answer<Result> {
  readonly status: number;
  /** What was made of the body. */
  readonly result: Result;
  /** As the platform gave it, if it may be shown. */
  readonly requestId: string | undefined;
  /** `Date` of the answer: the clock of whoever answered. */
  readonly answeredAt: number | undefined;
  header(name: string): string | undefined;
}

export interface RequestObserver {
  /** One attempt ended; `code` is the status, or the reason when there was no answer. */
  attempted(event: { operation: Operation; code: string; seconds: number; url: URL; bytes: number }): void;
  retrying(event: { operation: Operation; reason: Failure['reason']; waitMs: number }): void;
}

export type Transport = ReturnType<typeof createTransport>;

export interface TransportSettings extends ConnectionSettings {
  readonly clock: Clock;
  readonly observer: RequestObserver;
  /** One for all clouds, as the next one: they share the event loop, and memory. */
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly bodies: BodyMemory;
  readonly responseLimitBytes: number;
  readonly userAgent: string;
  readonly random?: () => number;
}

/** Why a wait was called off; a reason of one's own spares an error with its stack for each request. */
const answered = new Error('answered');
const maxAttempts = 3;
const retriedStatuses: ReadonlySet<number> = new Set([408, 429]);
const firstWaitMs = 100;
/** Longer, because the platform still works on the request that was given up. */
const firstWaitAfterTimeoutMs = 2000;

/** The part of axios that talks to the network, called directly: merging settings takes more than half as long again. */
const sendByHttp = axios.getAdapter('http');

export function createTransport(settings: TransportSettings) {
  const { clock, observer, yieldToEventLoop, requestTimeoutMs, random = Math.random } = settings;
  const connections = createConnections(settings);
  const headersOfAll = {
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': settings.userAgent,
  };
  const secrets = createSecrets();

  /**
   * For pages. `use` is given the whole body and works in slices; the memory of the body serves another answer
   * afterwards, so nothing may point into it. A body that is no JSON (`use` throws a SyntaxError) may have broken off:
   * it is asked for again.
   */
  async function read<Result>(request: Request, use: Use<Result>): Promise<Answer<Result>> {
    secrets.add(request.secrets);
    const bodyReader = createBodyReader(settings.bodies);
    try {
      for (let attempt = 1; ; attempt += 1) {
        const received = await tryOnce(request, bodyReader);
        const outcome = 'failure' in received ? received : await makeUseOf(request, received, use);
        if ('result' in outcome) return outcome;
        await waitForRetry(request, outcome, attempt);
      }
    } finally {
      bodyReader.end();
    }
  }

  /** Throws the failure if there is no use in a retry. */
  async function waitForRetry(request: Request, refused: Refused, attempt: number): Promise<void> {
    const { failure, mayRetry, isTimeout, retryAfterMs } = refused;
    const firstMs = isTimeout ? firstWaitAfterTimeoutMs : firstWaitMs;
    const waitMs = retryAfterMs ?? firstMs * 2 ** (attempt - 1) * (1 + random());
    const isLate = clock.monotonic() + waitMs >= Math.min(request.deadline, request.validUntil ?? Infinity);
    if (!mayRetry || attempt === maxAttempts || isLate) throw failure;
    observer.retrying({ operation: request.operation, reason: failure.reason, waitMs });
    request.onRetry?.(failure.reason);
    await clock.wait(waitMs, ownSignal(request.signal));
  }

  async function tryOnce(request: Request, bodyReader: BodyReader): Promise<Exchange | Refused> {
    // Axios' adapter would send it all the same, and nobody would read the answer: a connection less, for good.
    request.signal?.throwIfAborted();
    const { operation } = request;
    const startedAt = clock.monotonic();
    const timeoutMs = Math.min(requestTimeoutMs, request.deadline - startedAt);
    const tooLate = { reason: 'timeout', message: 'the time for it was over' } as const;
    if (timeoutMs <= 0) return refuse(request, tooLate, { mayRetry: false });
    const exchange = await exchangeOnce(request, bodyReader, timeoutMs);
    observer.attempted({
      operation,
      code: 'status' in exchange ? String(exchange.status) : exchange.reason,
      seconds: (clock.monotonic() - startedAt) / 1000,
      url: request.url,
      bytes: 'status' in exchange ? exchange.body.length : 0,
    });
    request.signal?.throwIfAborted();
    if ('reason' in exchange) {
      const isTimeout = exchange.reason === 'timeout';
      const mayRetry = isTimeout ? request.retryTimeouts !== false : exchange.reason === 'network';
      return refuse(request, exchange, { mayRetry, isTimeout });
    }
    return exchange.status >= 200 && exchange.status < 300 ? exchange : judge(request, exchange);
  }

  async function exchangeOnce(
    request: Request,
    bodyReader: BodyReader,
    timeoutMs: number,
  ): Promise<Exchange | Cause> {
    const { method, url, headers, body } = request;
    const late = new AbortController();
    const timer = new AbortController();
    clock.wait(timeoutMs, timer.signal).then(
      () => late.abort(),
      () => undefined,
    );
    try {
      const answer = await sendByHttp({
        ...connections.towards(url),
        method,
        url: url.href,
        headers: new AxiosHeaders({ ...headersOfAll, ...headers }),
        data: body,
        signal: ownSignal(late.signal, request.signal),
        responseType: 'stream',
        maxRedirects: 0,
        validateStatus: () => true,
      });
      const header = (name: string) => answer.headers[name.toLowerCase()] as string | undefined;
      const stream = answer.data as Readable;
      const maxBytes = Math.min(request.maxBytes ?? Infinity, settings.responseLimitBytes);
      const received = await bodyReader.read(stream, Number(header('content-length') ?? 0), maxBytes);
      secrets.add([header('x-subject-token')]);
      const requestId = secrets.word(header('x-request-id'));
      const answeredAt = timestampOf(header('date') ?? '');
      return { status: answer.status, body: received, header, requestId, answeredAt };
    } catch (error) {
      if (!late.signal.aborted) return causeOfError(error);
      return { reason: 'timeout', message: `no answer within ${timeoutMs / 1000} s` };
    } finally {
      timer.abort(answered);
    }
  }

  async function makeUseOf<Result>(
    request: Request,
    { body, ...answer }: Exchange,
    use: Use<Result>,
  ): Promise<Answer<Result> | Refused> {
    const slices = createSlices(yieldToEventLoop);
    await nextSlice(slices);
    request.signal?.throwIfAborted();
    try {
      const result = await use(body, slices);
      request.signal?.throwIfAborted();
      return { ...answer, result };
    } catch (error) {
      const { requestId } = answer;
      if (error instanceof AnswerTooLarge)
        return refuse(request, causeOfError(error), { mayRetry: false, requestId });
      if (!(error instanceof SyntaxError)) throw error;
      // Words of others would quote the body.
      const { message, isInRecord } =
        error instanceof NotJson ? error : { message: 'the body is not JSON', isInRecord: false };
      const cure = request.isAddressProven || isInRecord ? cureOfBrokenAnswer : undefined;
      const cause = { reason: 'malformed', message, cure } as const;
      return refuse(request, cause, { mayRetry: true, requestId });
    }
  }

  function judge(request: Request, exchange: Exchange): Refused {
    const { status, header, requestId, answeredAt } = exchange;
    const retryAfterMs = retryAfter(header('retry-after'), answeredAt ?? clock.now());
    // At the identity endpoint 429 without Retry-After says that the account was just locked: asking again makes it worse.
    const isLocked = request.operation === 'login' && status === 429 && retryAfterMs === undefined;
    const mayRetry = status >= 500 || (retriedStatuses.has(status) && !isLocked);
    const cause = causeOfAnswer(exchange, request.operation, secrets);
    return refuse(request, cause, { mayRetry, retryAfterMs, requestId });
  }

  return {
    secrets,
    read,
    /** For small answers: the body as one piece of JSON. */
    json: (request: Request) => read(request, readAtOnce),
    /** Closes what is idle, or will be: the platform drops it after ten seconds, and the next use would find it dead. */
    closeIdle: connections.closeIdle,
  };
}

/** Reads a body; throws NotJson or AnswerTooLarge if it cannot. */
type Use<Result> = (body: Buffer, slices: Slices) => Result | Promise<Result>;

function readAtOnce(body: Buffer): unknown {
  if (isCostly(body)) throw new AnswerTooLarge('it has too many values');
  return parseJson(body);
}

type BodyReader = ReturnType<typeof createBodyReader>;

interface Exchange extends Omit<Answer<never>, 'result'> {
  readonly body: Buffer;
}

interface Refused {
  readonly failure: Failure;
  readonly mayRetry: boolean;
  readonly isTimeout?: boolean;
  readonly retryAfterMs?: number | undefined;
}

function refuse(
  { operation, method, url }: Request,
  { reason, message, ...cause }: Cause,
  { requestId, ...retry }: Omit<Refused, 'failure'> & { readonly requestId?: string | undefined },
): Refused {
  const words = `${method} ${url.origin}${url.pathname}: ${message}`;
  return { ...retry, failure: new Failure(reason, words, { ...cause, operation, requestId }) };
}

/** Hundreds of requests that listened to the signal of their collection would look like a leak. */
function ownSignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Seconds, or a date by the clock of whoever answered; anything else counts as not given. */
function retryAfter(value: string | undefined, answeredAt: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = timestampOf(value);
  return at === undefined ? undefined : Math.max(0, at - answeredAt);
}

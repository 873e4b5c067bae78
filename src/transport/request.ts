import type { Clock } from '../clock.ts';
import type { YieldToEventLoop } from '../yield-to-event-loop.ts';
import { createBodyReader } from './body.ts';
import { describeError, isRetried, reasonOfStatus } from './classify.ts';
import { createConnections, type TlsSettings } from './connections.ts';
import { Failure, type FailureReason, type Operation } from './failure.ts';
import { createHttpClient, type HttpAnswer } from './http-client.ts';
import type { Names } from './names.ts';
import { privilegeOf, privilegeWords, type Privilege } from './privilege.ts';
import type { ProxyChoice } from './proxy.ts';

export interface Request {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The moment, on the monotonic clock, after which nobody waits for the answer any more. */
  readonly deadline: number;
  /** No attempt starts after this moment of the same clock: the token it carries is dead by then. */
  readonly validUntil?: number;
  readonly signal?: AbortSignal;
  /** False for who would rather ask for less: the platform goes on with a request that was given up. */
  readonly retryTimeouts?: boolean;
  /** Is told why the request is tried again. */
  readonly onRetry?: (reason: FailureReason) => void;
}

export interface Answer<Result> {
  readonly status: number;
  /** What was made of the body. */
  readonly result: Result;
  header(name: string): string | undefined;
}

export interface RequestObserver {
  /** One attempt ended; `code` is the status, or the reason when there was no answer. */
  attempted(event: { operation: Operation; code: string; seconds: number; url: URL; bytes: number }): void;
  retrying(event: { operation: Operation; reason: FailureReason; waitMs: number }): void;
}

export interface Transport {
  /** For small answers: the body as one piece of JSON. */
  json(request: Request): Promise<Answer<unknown>>;
  /**
   * For pages. `read` is given the whole body, in a turn of the event loop of its own; its memory serves another answer
   * afterwards, so nothing may point into it. A body that is no JSON (`read` throws a SyntaxError), or of which it says
   * so by a Failure of reason `malformed`, may have broken off: it is asked for again, and then the message of that
   * Failure is told behind the address.
   */
  read<Result>(request: Request, read: Use<Result>): Promise<Answer<Result>>;
  /** Closes what is idle, or will be: the platform drops it after ten seconds, and the next use would find it dead. */
  closeIdle(): void;
}

export interface TransportSettings {
  readonly clock: Clock;
  readonly observer: RequestObserver;
  /** One for all clouds: they share the event loop. */
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly requestTimeoutMs: number;
  readonly responseLimitBytes: number;
  readonly connections: number;
  readonly userAgent: string;
  readonly tls: TlsSettings;
  /** One for all clouds, since a resolver that hangs takes threads that all of them need. */
  readonly names?: Names;
  /** Without it, every address is reached directly. */
  readonly proxyFor?: ProxyChoice;
  readonly random?: () => number;
}

/** Why a wait was called off; a reason of one's own spares an error with its stack for each request. */
const answered = new Error('answered');
const attempts = 3;
const firstWaitMs = 100;
/** Longer, because the platform still works on the request that was given up. */
const firstWaitAfterTimeoutMs = 2000;

export function createTransport(settings: TransportSettings): Transport {
  const { clock, observer, yieldToEventLoop, requestTimeoutMs, random = Math.random } = settings;
  const connections = createConnections({
    tls: settings.tls,
    limit: settings.connections,
    proxyFor: settings.proxyFor ?? (() => undefined),
    timeoutMs: requestTimeoutMs,
    lookup: settings.names?.lookup,
  });
  const sendByHttp = createHttpClient(settings.userAgent);
  /** One for each request under way, with its memory; they rest as long as the connections do. */
  let bodyReaders: BodyReader[] = [];

  async function read<Result>(request: Request, use: Use<Result>): Promise<Answer<Result>> {
    const readBody = bodyReaders.pop() ?? createBodyReader(settings.responseLimitBytes);
    try {
      return await sendUntilAnswered(request, readBody, use);
    } finally {
      bodyReaders.push(readBody);
    }
  }

  async function sendUntilAnswered<Result>(
    request: Request,
    readBody: BodyReader,
    use: Use<Result>,
  ): Promise<Answer<Result>> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await tryOnce(request, readBody, use);
      if ('answer' in outcome) return outcome.answer;
      const { failure, retryAfterMs } = outcome;
      const firstMs = outcome.isTimeout ? firstWaitAfterTimeoutMs : firstWaitMs;
      const waitMs = retryAfterMs ?? firstMs * 2 ** (attempt - 1) * (1 + random());
      const late = clock.monotonic() + waitMs >= Math.min(request.deadline, request.validUntil ?? Infinity);
      if (!outcome.mayRetry || attempt === attempts || late) throw failure;
      observer.retrying({ operation: request.operation, reason: failure.reason, waitMs });
      request.onRetry?.(failure.reason);
      await clock.wait(waitMs, request.signal).catch((error: unknown) => {
        request.signal?.throwIfAborted();
        throw error;
      });
    }
  }

  async function tryOnce<Result>(
    request: Request,
    readBody: BodyReader,
    use: Use<Result>,
  ): Promise<Outcome<Result>> {
    // Axios' adapter would send it all the same, and nobody would read the answer: a connection less, for good.
    request.signal?.throwIfAborted();
    const { operation } = request;
    const startedAt = clock.monotonic();
    const timeoutMs = Math.min(requestTimeoutMs, request.deadline - startedAt);
    if (timeoutMs <= 0)
      return { failure: failed('timeout', request, 'the time for it was over'), mayRetry: false };
    const exchange = await exchangeOnce(request, readBody, timeoutMs);
    observer.attempted({
      operation,
      code: 'status' in exchange ? String(exchange.status) : exchange.reason,
      seconds: (clock.monotonic() - startedAt) / 1000,
      url: request.url,
      bytes: 'status' in exchange ? exchange.body.length : 0,
    });
    request.signal?.throwIfAborted();
    if ('reason' in exchange) {
      const failure = failed(exchange.reason, request, exchange.words);
      const isTimeout = exchange.reason === 'timeout';
      const mayRetry = isTimeout ? request.retryTimeouts !== false : exchange.reason === 'network';
      return { failure, mayRetry, isTimeout };
    }
    const isSuccess = exchange.status >= 200 && exchange.status < 300;
    return isSuccess ? makeUseOf(request, exchange, use) : judge(request, exchange);
  }

  async function exchangeOnce(
    request: Request,
    readBody: BodyReader,
    timeoutMs: number,
  ): Promise<Exchange | Broken> {
    const late = new AbortController();
    // A signal of its own: hundreds of requests that listened to that of their collection would look like a leak.
    const signal = AbortSignal.any([late.signal, ...(request.signal ? [request.signal] : [])]);
    const timer = new AbortController();
    clock.wait(timeoutMs, timer.signal).then(
      () => late.abort(),
      () => undefined,
    );
    try {
      const { method, url, headers } = request;
      const route = connections.towards(url);
      const answer = await sendByHttp({ route, method, url, headers, body: request.body, signal });
      const { status, header } = answer;
      const body = await readBody(answer.body, Number(header('content-length') ?? 0));
      return { status, body, header };
    } catch (error) {
      if (late.signal.aborted) return { reason: 'timeout', words: lateWords(request.url, timeoutMs) };
      return describeError(error);
    } finally {
      timer.abort(answered);
    }
  }

  function lateWords({ hostname }: URL, timeoutMs: number): string {
    const isUnresolved = settings.names?.isUnresolved(hostname) ?? false;
    return `${isUnresolved ? 'the name server gave ' : ''}no answer within ${timeoutMs / 1000} s`;
  }

  async function makeUseOf<Result>(
    request: Request,
    { status, body, header }: Exchange,
    use: Use<Result>,
  ): Promise<Outcome<Result>> {
    await yieldToEventLoop();
    request.signal?.throwIfAborted();
    try {
      return { answer: { status, result: await use(body), header } };
    } catch (error) {
      const words = whyMalformed(error);
      if (words === undefined) throw error;
      // A body that broke off looks like this too, so it is worth another try.
      return { failure: failed('malformed', request, words, header), mayRetry: true };
    }
  }

  function judge(request: Request, exchange: Exchange): Refused {
    const { status, header } = exchange;
    const { platformClass, privilege } = explain(exchange);
    const reason = reasonOfStatus(status, request.operation, platformClass);
    const retryAfterMs = retryAfter(header('retry-after'), Date.parse(header('date') ?? '') || clock.now());
    const hint = privilege && privilegeWords(privilege);
    const words = `status ${status}${platformClass ? ` (${platformClass})` : ''}${hint ? `: ${hint}` : ''}`;
    const failure = failed(reason, request, words, header, privilege);
    // At the identity endpoint 429 without Retry-After says that the account was just locked: asking again makes it worse.
    const locked = request.operation === 'login' && status === 429 && retryAfterMs === undefined;
    return { failure, mayRetry: isRetried(status) && !locked, retryAfterMs };
  }

  return {
    read,
    json: (request) => read(request, parseJson),
    closeIdle() {
      bodyReaders = [];
      connections.closeIdle();
    },
  };
}

/** What is to be made of a body. */
type Use<Result> = (body: Buffer) => Result | Promise<Result>;
type BodyReader = ReturnType<typeof createBodyReader>;

interface Exchange extends Pick<HttpAnswer, 'status' | 'header'> {
  readonly body: Buffer;
}

interface Broken {
  readonly reason: FailureReason;
  readonly words: string;
}

type Outcome<Result> = { readonly answer: Answer<Result> } | Refused;

interface Refused {
  readonly failure: Failure;
  readonly mayRetry: boolean;
  readonly isTimeout?: boolean;
  readonly retryAfterMs?: number | undefined;
}

function parseJson(body: Buffer): unknown {
  return JSON.parse(body.toString());
}

function whyMalformed(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return 'the body is not JSON';
  return error instanceof Failure && error.reason === 'malformed' ? error.message : undefined;
}

function failed(
  reason: FailureReason,
  request: Request,
  words: string,
  header?: Exchange['header'],
  privilege?: Privilege,
): Failure {
  const { operation, method, url } = request;
  const message = `${method} ${url.origin}${url.pathname}: ${words}`;
  return new Failure(reason, message, { operation, requestId: header?.('x-request-id'), privilege });
}

const longestErrorBytes = 65_536;

/** The platform's `class` word is safe to show; its `details` may quote the token, and stay here. */
function explain({ status, body }: Exchange): { platformClass?: string; privilege?: Privilege | undefined } {
  const parsed = body.length < longestErrorBytes ? parsedOrNothing(body) : undefined;
  if (typeof parsed !== 'object' || parsed === null) return {};
  const { class: word, details } = parsed as Record<string, unknown>;
  return {
    ...(typeof word === 'string' && /^\w{1,64}$/.test(word) && { platformClass: word }),
    privilege: status === 403 ? privilegeOf(details) : undefined,
  };
}

function parsedOrNothing(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** Seconds, or a date by the clock of whoever answered. Anything else counts as not given, though Date.parse would make a date of `1.5` or `-1`. */
function retryAfter(value: string | undefined, answeredAt: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - answeredAt);
}

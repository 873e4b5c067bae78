/** Which of the two the simulator speaks: the platform's document to the letter, or the platform as it was seen to run. */
export type Dialect = 'document' | 'platform';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function succeed(dialect: Dialect, body: Buffer): Answer {
  const charset = dialect === 'document' ? '; charset=UTF-8' : ';charset=utf-8';
  return { status: 200, headers: { 'Content-Type': `application/json${charset}` }, body };
}

/** Thrown wherever a request must not go on; it becomes the platform's flat error body. */
export class Refusal extends Error {
  readonly status: number;
  readonly className: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, className: string, details: string, headers: Record<string, string> = {}) {
    super(details);
    this.status = status;
    this.className = className;
    this.headers = headers;
  }
}

export function unauthorized(details: string): Refusal {
  return new Refusal(401, 'UnauthorizedError', `unauthorized ${details}`);
}

export function answerRefusal(refusal: Refusal, nowMs: number): Answer {
  const body = {
    class: refusal.className,
    code: refusal.status,
    details: refusal.message,
    time: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  /** The real platform fills Location with the error's text on 400: a client must not take it for a redirect. */
  const location = refusal.status === 400 ? { Location: refusal.message } : undefined;
  return {
    status: refusal.status,
    headers: { 'Content-Type': 'application/json', ...location, ...refusal.headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

export function requireMethod(method: string, allowed: string): void {
  if (method === allowed) return;
  throw new Refusal(405, 'MethodNotAllowedError', `${method} is not allowed here`, { Allow: allowed });
}

export function requireJsonContentType(contentType: string | undefined): void {
  if (/^application\/json *(;.*)?$/i.test(contentType ?? '')) return;
  throw new Refusal(400, 'InputParameterError', 'fail to decode request body');
}

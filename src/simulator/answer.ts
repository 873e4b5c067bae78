export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The release of the platform that is simulated. */
export type Release = '3.11' | '4.0';

export function succeed(body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const usual = { 'Content-Type': 'application/json;charset=utf-8', Vary: 'Origin' };
  return { status: 200, headers: { ...usual, ...headers }, body: Buffer.from(body) };
}

/** Thrown wherever a request must not go on; it becomes the platform's flat error body. */
export class Refusal extends Error {
  readonly status: number;
  readonly className: string;

  constructor(status: number, className: string, details: string) {
    super(details);
    this.status = status;
    this.className = className;
  }
}

export function answerRefusal(error: unknown, nowMs: number): Answer {
  const { status, className, message } =
    error instanceof Refusal ? error : new Refusal(500, 'UnclassifiedError', String(error));
  const time = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  /** The real platform fills Location with the error's text on 400: a client must not take it for a redirect. */
  const location = status === 400 ? { Location: message } : undefined;
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...location },
    body: Buffer.from(JSON.stringify({ class: className, code: status, details: message, time })),
  };
}

/** As the platform writes its objects: keys sorted, and what is null, '', [] or {} not there at all. */
export function withoutEmpties(value: object): object {
  const cleaned = Object.entries(value).map(
    ([key, inner]: [string, unknown]) => [key, clean(inner)] as const,
  );
  const kept = cleaned.filter(([, inner]) => !isEmpty(inner));
  return Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === 'object' && value !== null ? withoutEmpties(value) : value;
}

/** The platform's own form of a time: UTC with six fractional digits. */
export function timestamp(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000Z');
}

/** As its database keeps its times: in whole seconds. */
export function stamp(atMs: number): string {
  return timestamp(Math.floor(atMs / 1000) * 1000);
}

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

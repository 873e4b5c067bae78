import type { HalfTold } from './half-told.ts';

/** Ways in which an answer goes wrong. What has `until` goes on, or answers, once that promise is kept. */
export type Fault =
  /** An answer in place of the real one; the operation is not carried out. */
  | { kind: 'status'; code: number; retryAfter?: string | number; body?: unknown }
  /** Quotes the whole request, with the secrets in it: in JSON, or as plain text where the code is 200. */
  | { kind: 'echo'; code: number }
  | { kind: 'redirect'; location: string; code?: number }
  | { kind: 'json'; json: unknown }
  | { kind: 'text'; text: string; contentType?: string }
  | { kind: 'garbage'; megabytes: number; chunked?: boolean }
  /** The connection fails before an answer: broken, closed in silence, or silent. */
  | { kind: 'reset'; onlyReused?: boolean }
  | { kind: 'hangUp' }
  | { kind: 'hang'; until?: Promise<unknown> }
  /** The real answer, and something happens on the way. */
  | { kind: 'resetInBody'; afterBytes: number }
  | { kind: 'hangInBody'; afterBytes: number; until?: Promise<unknown> }
  | { kind: 'drip'; bytes: number; pause?: () => Promise<unknown> }
  | { kind: 'truncated'; keepBytes: number }
  | { kind: 'contentLength'; byBytes: number }
  | { kind: 'chunked' }
  | { kind: 'closeIdle'; afterMs: number }
  /** The list comes with 200, and what was looked up is missing in its records. */
  | ({ kind: 'halfTold' } & HalfTold)
  /** The login succeeds, and its answer lies. */
  | { kind: 'noSubjectToken' }
  | { kind: 'noExpiry' }
  | { kind: 'expiredAlready'; byMs?: number }
  | { kind: 'clockSkew'; byMs: number };

export interface FaultRule {
  readonly operation: 'login' | 'list' | 'show' | 'hosts';
  /** Only this page of the list: offset divided by limit, from 0. */
  readonly page?: number;
  /** Only requests with such parameters. */
  readonly where?: (parameters: URLSearchParams) => boolean;
  /** How often it strikes; for ever if not given. */
  readonly times?: number;
  readonly fault: Fault;
}

export interface Occasion {
  readonly operation: string;
  readonly page: number | undefined;
  readonly parameters: URLSearchParams;
  readonly connectionReused: boolean;
}

export interface Faults {
  /** Rules are tried in the order in which they were set; the first that applies strikes. */
  set(rule: FaultRule): { readonly hits: number; clear(): void };
  clear(): void;
}

export function createFaults(): {
  readonly faults: Faults;
  readonly strike: (on: Occasion) => Fault | undefined;
} {
  let armed: { readonly rule: FaultRule; hits: number }[] = [];

  function strike(occasion: Occasion): Fault | undefined {
    const found = armed.find(({ rule, hits }) => hits < (rule.times ?? Infinity) && applies(rule, occasion));
    if (found === undefined) return undefined;
    found.hits += 1;
    return found.rule.fault;
  }

  const faults: Faults = {
    set(rule) {
      const one = { rule, hits: 0 };
      armed.push(one);
      return {
        get hits() {
          return one.hits;
        },
        clear() {
          armed = armed.filter((other) => other !== one);
        },
      };
    },
    clear() {
      armed = [];
    },
  };
  return { faults, strike };
}

function applies({ operation, page, where, fault }: FaultRule, occasion: Occasion): boolean {
  if (operation !== occasion.operation || where?.(occasion.parameters) === false) return false;
  if (page !== undefined && page !== occasion.page) return false;
  return !(fault.kind === 'reset' && fault.onlyReused === true && !occasion.connectionReused);
}

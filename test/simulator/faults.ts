import type { Operation } from './journal.ts';
import type { HalfTold } from './lookups.ts';

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
  /** The list comes with 200 and its total, and ends after so many records. */
  | { kind: 'short'; rows: number }
  /** The login succeeds, and its answer lies. */
  | { kind: 'noSubjectToken' }
  | { kind: 'noExpiry' }
  | { kind: 'expiredAlready'; byMs?: number }
  | { kind: 'clockSkew'; byMs: number };

export interface FaultRule {
  readonly operation: Operation;
  /** Only this page of the list, from 0: by how many rows are before it. */
  readonly page?: number;
  /** Only requests with such parameters. */
  readonly where?: (parameters: URLSearchParams) => boolean;
  /** How many requests it applies to; to all if not given. */
  readonly times?: number;
  /** Until that moment of the cloud's clock. */
  readonly until?: number;
  readonly fault: Fault;
}

export interface FaultContext {
  readonly operation: string;
  readonly page: number | undefined;
  readonly parameters: URLSearchParams;
  readonly connectionReused: boolean;
  readonly nowMs: number;
}

export interface Faults {
  /** Rules are tried in the order in which they were set; the first that applies is used. */
  set(rule: FaultRule): { readonly hits: number; clear(): void };
  clear(): void;
}

export function createFaults(): {
  readonly faults: Faults;
  readonly faultFor: (on: FaultContext) => Fault | undefined;
} {
  let rules: { readonly rule: FaultRule; hits: number }[] = [];

  function faultFor(context: FaultContext): Fault | undefined {
    const found = rules.find(({ rule, hits }) => hits < (rule.times ?? Infinity) && applies(rule, context));
    if (found === undefined) return undefined;
    found.hits += 1;
    return found.rule.fault;
  }

  const faults: Faults = {
    set(rule) {
      const one = { rule, hits: 0 };
      rules.push(one);
      return {
        get hits() {
          return one.hits;
        },
        clear() {
          rules = rules.filter((other) => other !== one);
        },
      };
    },
    clear() {
      rules = [];
    },
  };
  return { faults, faultFor };
}

function applies({ operation, page, where, until, fault }: FaultRule, context: FaultContext): boolean {
  if (until !== undefined && context.nowMs >= until) return false;
  if (operation !== context.operation || where?.(context.parameters) === false) return false;
  if (page !== undefined && page !== context.page) return false;
  return !(fault.kind === 'reset' && fault.onlyReused === true && !context.connectionReused);
}

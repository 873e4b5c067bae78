import type { Answerer } from '../../src/simulator/api.ts';
import type { Arrival, Operation } from './journal.ts';

const place = 'zone zone_id zone_ext_id region region_id cloudregion cloudregion_id brand'.split(' ');

/** What is looked up: the fields that were seen to be missing together when the platform's database dropped a connection. */
export const lookups = {
  host: ['host', 'host_sn', 'host_status', 'host_service_status', 'host_type', 'provider', ...place],
  place,
  project: ['project', 'tenant', 'project_domain'],
  domain: ['project_domain'],
  disks: ['disks', 'disks_info'],
  /** The statement is ordered by the index of a disk, and broke off: the first ones came. */
  laterDisks: [],
  devices: ['isolated_devices'],
  /** Of storages. */
  usage: [],
};

export type Missing = keyof typeof lookups;

/** Ways in which an answer goes wrong. */
export type Fault =
  /** An answer in place of the real one; the operation is not carried out. */
  | { kind: 'status'; code: number; retryAfter?: string | number; body?: unknown }
  /** Quotes the whole request, with the secrets in it: in JSON, or as plain text where the code is 200. */
  | { kind: 'echo'; code: number }
  | { kind: 'redirect'; location: string; code?: number }
  | { kind: 'json'; json: unknown }
  | { kind: 'text'; text: string }
  /** Two megabytes. */
  | { kind: 'garbage'; chunked?: boolean }
  /** The connection fails before an answer: broken, closed in silence, or silent. */
  | { kind: 'reset'; onlyReused?: boolean }
  | { kind: 'hangUp' }
  | { kind: 'hang' }
  /** The real answer, and something happens on the way. */
  | { kind: 'resetInBody'; afterBytes: number }
  | { kind: 'hangInBody'; afterBytes: number }
  | { kind: 'drip'; bytes: number; pause?: () => Promise<unknown> }
  | { kind: 'truncated'; keepBytes: number }
  | { kind: 'contentLength'; byBytes: number }
  | { kind: 'chunked' }
  | { kind: 'closeIdle' }
  /** The list comes with 200, and what was looked up is missing in its records: in all, or in some. */
  | {
      kind: 'halfTold';
      missing: Missing | readonly Missing[];
      which?: (position: number, id: string) => boolean;
    }
  /** Answered from what there was: by a replica that lags, or by a cache, which has another age for each address. */
  | { kind: 'older'; from: (arrival: Arrival) => Replica }
  | { kind: 'reversed' }
  /** The list comes with 200 and its total, and ends after so many records. */
  | { kind: 'short'; rows: number }
  /** Control characters of names come as they are, as the platform writes them, and not as `\u0001`. */
  | { kind: 'rawControls' }
  /** The login succeeds, and its answer lies. */
  | { kind: 'noSubjectToken' }
  | { kind: 'noExpiry' }
  | { kind: 'expiredAlready' }
  | { kind: 'clockSkew'; byMs: number };

export interface Replica {
  readonly answer: Answerer;
  /** What the cloud's `moment` was when it was made. */
  readonly moment: number;
}

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

export function createFaults() {
  let rules: { readonly rule: FaultRule; hits: number }[] = [];

  function faultFor(request: Arrival, page: number, isReused: boolean): Fault | undefined {
    const found = rules.find(({ rule, hits }) => {
      if (hits >= (rule.times ?? Infinity) || request.at >= (rule.until ?? Infinity)) return false;
      if (rule.operation !== request.operation || rule.where?.(request.parameters) === false) return false;
      if (rule.page !== undefined && rule.page !== page) return false;
      return isReused || rule.fault.kind !== 'reset' || rule.fault.onlyReused !== true;
    });
    if (found !== undefined) found.hits += 1;
    return found?.rule.fault;
  }

  const faults = {
    /** Rules are tried in the order in which they were set; the first that applies is used. */
    set(rule: FaultRule) {
      const one = { rule, hits: 0 };
      rules.push(one);
      return {
        get hits(): number {
          return one.hits;
        },
        clear(): void {
          rules = rules.filter((other) => other !== one);
        },
      };
    },
    clear(): void {
      rules = [];
    },
  };
  return { faults, faultFor };
}

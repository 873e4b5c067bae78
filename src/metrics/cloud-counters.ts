import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { loginTriggers } from '../identity/token.ts';
import type { CloudObserver } from '../inventory/trace.ts';
import { failureReasons, type FailureReason } from '../transport/advice.ts';
import { resources, type Operation } from '../transport/resources.ts';
import type { FamilyHead } from './family.ts';

const operations: readonly Operation[] = [
  'login',
  ...resources.map((resource) => `list_${resource}` as const),
];
const retriedReasons: readonly FailureReason[] = ['network', 'timeout', 'throttled', 'upstream', 'malformed'];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

/** Of prom-client's making, by name. */
export type Heads<Name extends string = string> = Readonly<Record<Name, Omit<FamilyHead, 'name'>>>;

export function headsOf(heads: Heads): readonly FamilyHead[] {
  return Object.entries(heads).map(([name, head]) => ({ name, ...head }));
}

/** What makes metrics of these in a registry. */
export function metricsIn<Name extends string>(registry: Registry, heads: Heads<Name>) {
  const optionsOf = (name: Name) => {
    const { help, labels: labelNames } = heads[name];
    return { name, help, labelNames, registers: [registry] };
  };
  return {
    counter: (name: Name) => new Counter(optionsOf(name)),
    gauge: (name: Name) => new Gauge(optionsOf(name)),
    histogram: (name: Name) => new Histogram({ ...optionsOf(name), buckets: durationBuckets }),
  };
}

const perCloud = { type: 'counter', labels: ['cloud'], series: 'one per cloud' } as const;
const perReason = {
  type: 'counter',
  labels: ['cloud', 'reason'],
  series: 'one per cloud and reason',
} as const;

const heads = {
  cloud_exporter_collections_total: {
    ...perCloud,
    help: 'Collections started, one for all scrapes that share it.',
    example: 'rate(cloud_exporter_collections_total[5m])',
  },
  cloud_exporter_collection_failures_total: {
    ...perReason,
    help: 'Collections that failed, by reason.',
    example: 'increase(cloud_exporter_collection_failures_total[1h]) > 0',
  },
  cloud_exporter_api_requests_total: {
    type: 'counter',
    labels: ['cloud', 'operation', 'code'],
    help: 'Attempts of requests to the platform, by status code, or by reason if no answer came.',
    series: 'one per cloud, operation and code that occurred',
    example: 'sum by (cloud, operation, code) (rate(cloud_exporter_api_requests_total[5m]))',
  },
  cloud_exporter_api_request_duration_seconds: {
    type: 'histogram',
    labels: ['cloud', 'operation'],
    help: 'How long attempts of requests to the platform took, the body included.',
    series: 'a histogram of eleven buckets per cloud and operation',
    example:
      'histogram_quantile(0.9, sum by (le, cloud) (rate(cloud_exporter_api_request_duration_seconds_bucket[5m])))',
  },
  cloud_exporter_api_retries_total: {
    type: 'counter',
    labels: ['cloud', 'operation', 'reason'],
    help: 'Retried requests to the platform, by reason.',
    series: 'one per cloud, operation and reason',
    example: 'increase(cloud_exporter_api_retries_total[1h]) > 0',
  },
  cloud_exporter_logins_total: {
    type: 'counter',
    labels: ['cloud', 'trigger'],
    help: 'Logins, by what made them necessary.',
    series: 'three per cloud',
    example: 'increase(cloud_exporter_logins_total[1d])',
  },
  cloud_exporter_login_failures_total: {
    ...perReason,
    help: 'Logins that failed, by reason.',
    example: 'increase(cloud_exporter_login_failures_total[15m]) > 0',
  },
  cloud_exporter_stale_answers_total: {
    ...perCloud,
    help: 'Scrapes answered from an earlier snapshot, because the collection failed or was late.',
    example: 'increase(cloud_exporter_stale_answers_total[15m]) > 0',
  },
} as const satisfies Heads;

export const cloudCounterFamilies = headsOf(heads);

/** The counters of one cloud in a registry of their own, so that a cloud that is removed takes them along. */
export function createCloudCounters(cloud: string): { registry: Registry; observer: CloudObserver } {
  const registry = new Registry();
  const { counter, histogram } = metricsIn(registry, heads);
  const collections = counter('cloud_exporter_collections_total');
  const failures = counter('cloud_exporter_collection_failures_total');
  const requests = counter('cloud_exporter_api_requests_total');
  const retries = counter('cloud_exporter_api_retries_total');
  const logins = counter('cloud_exporter_logins_total');
  const loginFailures = counter('cloud_exporter_login_failures_total');
  const staleAnswers = counter('cloud_exporter_stale_answers_total');
  const durations = histogram('cloud_exporter_api_request_duration_seconds');

  collections.inc({ cloud }, 0);
  staleAnswers.inc({ cloud }, 0);
  for (const reason of failureReasons) {
    failures.inc({ cloud, reason }, 0);
    loginFailures.inc({ cloud, reason }, 0);
  }
  for (const trigger of loginTriggers) logins.inc({ cloud, trigger }, 0);
  for (const operation of operations) {
    requests.inc({ cloud, operation, code: '200' }, 0);
    durations.zero({ cloud, operation });
    for (const reason of retriedReasons) retries.inc({ cloud, operation, reason }, 0);
  }

  const observer: CloudObserver = {
    attempted({ operation, code, seconds }) {
      requests.inc({ cloud, operation, code });
      durations.observe({ cloud, operation }, seconds);
    },
    retrying: ({ operation, reason }) => retries.inc({ cloud, operation, reason }),
    loggingIn: (trigger) => logins.inc({ cloud, trigger }),
    loginFailed: (reason) => loginFailures.inc({ cloud, reason }),
    collecting: () => collections.inc({ cloud }),
    collectionFailed: ({ reason }) => failures.inc({ cloud, reason }),
    answeredStale: () => staleAnswers.inc({ cloud }),
  };
  return { registry, observer };
}

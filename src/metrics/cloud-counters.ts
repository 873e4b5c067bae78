import { Counter, Histogram, Registry } from 'prom-client';
import { loginTriggers } from '../identity/token.ts';
import type { CloudObserver } from '../inventory/observer.ts';
import { failureReasons, type FailureReason, type Operation } from '../transport/failure.ts';

const operations: readonly Operation[] = ['login', 'list_servers', 'list_hosts'];
const retriedReasons: readonly FailureReason[] = ['network', 'timeout', 'throttled', 'upstream', 'malformed'];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

/** The counters of one cloud in a registry of their own, so that a cloud that is removed takes them along. */
export function createCloudCounters(cloud: string): { registry: Registry; observer: CloudObserver } {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: `cloud_exporter_${name}`, help, labelNames: ['cloud', ...labelNames], registers });

  const collections = counter(
    'collections_total',
    'Collections started, one for all scrapes that share it.',
    [],
  );
  const failures = counter('collection_failures_total', 'Collections that failed, by reason.', ['reason']);
  const requests = counter(
    'api_requests_total',
    'Attempts of requests to the platform, by status code, or by reason where no answer came.',
    ['operation', 'code'],
  );
  const durations = new Histogram({
    name: 'cloud_exporter_api_request_duration_seconds',
    help: 'How long attempts of requests to the platform took, the body included.',
    labelNames: ['cloud', 'operation'],
    buckets: durationBuckets,
    registers,
  });
  const retries = counter('api_retries_total', 'Attempts that were made again, by the reason for it.', [
    'operation',
    'reason',
  ]);
  const logins = counter('logins_total', 'Logins, by what made them necessary.', ['trigger']);
  const loginFailures = counter('login_failures_total', 'Logins that failed, by reason.', ['reason']);
  const staleAnswers = counter(
    'stale_answers_total',
    'Scrapes that were answered from an earlier snapshot, because the collection failed or was not done in time.',
    [],
  );

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

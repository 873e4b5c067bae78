import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { loginTriggers } from '../identity/token.ts';
import type { CloudObserver } from '../inventory/trace.ts';
import { failureReasons, type FailureReason } from '../transport/advice.ts';
import { resources, type Operation } from '../transport/resources.ts';
import { escapeLabel, formatNumber, renderHeader, type Format } from './exposition.ts';
import type { FamilyHead } from './family.ts';

const refusals = ['busy', 'rate_limit', 'unauthorized'] as const;
export type Refusal = (typeof refusals)[number];

export type SelfMetrics = ReturnType<typeof createSelfMetrics>;

export interface Build {
  readonly version: string;
  /** The commit it was built from; empty where nobody stamped it. */
  readonly revision: string;
  readonly nodeVersion: string;
}

export interface SelfOptions {
  /** Lines of the log that could not be written. */
  readonly lostLines?: () => number;
  readonly shard?: { readonly ordinal: number; readonly total: number } | undefined;
  readonly externalUrl?: string | undefined;
  /** Without `process_*` and `nodejs_*`. */
  readonly isBare?: boolean;
}

/** Gauges of prom-client whose names end in `_total`, which only counters may. */
const misnamedDefaults = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

const operations: readonly Operation[] = [
  'login',
  ...resources.map((resource) => `list_${resource}` as const),
];
const retriedReasons: readonly FailureReason[] = ['network', 'timeout', 'throttled', 'upstream', 'malformed'];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

const single = { type: 'gauge', labels: [], series: 'one' } as const;

const perCloud = { type: 'counter', labels: ['cloud'], series: 'one per cloud' } as const;
const perReason = { ...perCloud, labels: ['cloud', 'reason'], series: 'one per cloud and reason' } as const;

/** All but `process_*` and `nodejs_*`. */
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
  cloud_exporter_build_info: {
    type: 'gauge',
    labels: ['version', 'revision', 'node_version'],
    help: 'The running exporter: its version, the commit it was built from and the Node.js that runs it.',
    series: 'one',
    example: 'count by (version) (cloud_exporter_build_info)',
  },
  cloud_exporter_config_last_reload_successful: {
    ...single,
    help: 'Whether the latest attempt to load the configuration succeeded.',
    example: 'cloud_exporter_config_last_reload_successful == 0',
  },
  cloud_exporter_config_last_reload_success_timestamp_seconds: {
    ...single,
    help: 'When the configuration was last loaded successfully.',
    example: 'time() - cloud_exporter_config_last_reload_success_timestamp_seconds',
  },
  cloud_exporter_config_files_rejected: {
    ...single,
    help: 'Configuration files that are left out because of a mistake, with --config.lenient.',
    example: 'cloud_exporter_config_files_rejected > 0',
  },
  cloud_exporter_log_lines_lost_total: {
    ...single,
    type: 'counter',
    help: 'Log lines that could not be written, because the reader is gone or the disk is full.',
    example: 'rate(cloud_exporter_log_lines_lost_total[5m]) > 0',
  },
  cloud_exporter_scrapes_refused_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Refused scrapes and discoveries: too many answers or logins at once, the rate limit, a wrong password.',
    series: 'three',
    example: 'increase(cloud_exporter_scrapes_refused_total[15m]) > 0',
  },
  cloud_exporter_external_url_info: {
    type: 'gauge',
    labels: ['url'],
    help: 'The address of this exporter for people, from --web.external-url.',
    series: 'one, with --web.external-url',
    example: 'cloud_exporter_build_info * on (instance) group_left (url) cloud_exporter_external_url_info',
  },
  cloud_exporter_shard_ordinal: {
    ...single,
    help: 'The number of this shard, from 0.',
    series: 'one, with --shard',
    example: 'count_values("shard", cloud_exporter_shard_ordinal)',
  },
  cloud_exporter_total_shards: {
    ...single,
    help: 'The number of shards, from --total-shards.',
    series: 'one, with --total-shards',
    example: 'max(cloud_exporter_total_shards) - count(cloud_exporter_shard_ordinal)',
  },
} as const satisfies Readonly<Record<string, Omit<FamilyHead, 'name'>>>;

type Name = keyof typeof heads;

export const selfFamilies: readonly FamilyHead[] = Object.entries(heads).map(([name, head]) => ({
  name,
  ...head,
}));

/** What makes the metrics of a registry. */
function metricsIn(registry: Registry) {
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

/** The exporter's own metrics. Each cloud is handed an observer, so that the layers below know no registry. */
export function createSelfMetrics(
  build: Build,
  { lostLines = () => 0, shard, externalUrl, isBare = false }: SelfOptions = {},
) {
  const registry = new Registry();
  const clouds = new Map<string, ReturnType<typeof createCloudCounters>>();
  if (!isBare) collectDefaultMetrics({ register: registry });
  for (const name of misnamedDefaults) registry.removeSingleMetric(name);

  const { gauge, counter } = metricsIn(registry);
  const { version, revision, nodeVersion: node_version } = build;
  gauge('cloud_exporter_build_info').set({ version, revision, node_version }, 1);
  const reloadSuccess = gauge('cloud_exporter_config_last_reload_successful');
  const reloadTime = gauge('cloud_exporter_config_last_reload_success_timestamp_seconds');
  const filesRejected = gauge('cloud_exporter_config_files_rejected');
  const linesLost = counter('cloud_exporter_log_lines_lost_total');
  const scrapesRefused = counter('cloud_exporter_scrapes_refused_total');
  for (const reason of refusals) scrapesRefused.inc({ reason }, 0);
  if (externalUrl !== undefined) gauge('cloud_exporter_external_url_info').set({ url: externalUrl }, 1);
  if (shard) {
    gauge('cloud_exporter_shard_ordinal').set(shard.ordinal);
    gauge('cloud_exporter_total_shards').set(shard.total);
  }

  return {
    observe(cloud: string): CloudObserver {
      const counters = clouds.get(cloud) ?? createCloudCounters(cloud);
      clouds.set(cloud, counters);
      return counters.observer;
    },
    forget: (cloud: string) => clouds.delete(cloud),
    reloaded(success: boolean, at: number): void {
      reloadSuccess.set(Number(success));
      if (success) reloadTime.set(at / 1000);
    },
    /** How many files of the configuration are left out. */
    rejected: (files: number) => filesRejected.set(files),
    /** A scrape or discovery was turned away. */
    refused: (reason: Refusal) => scrapesRefused.inc({ reason }),
    async families(): Promise<RegistryFamily[]> {
      linesLost.reset();
      linesLost.inc(lostLines());
      const registries = [...[...clouds.values()].map((cloud) => cloud.registry), registry];
      const all = await Promise.all(registries.map((one) => one.getMetricsAsJSON()));
      return mergeFamilies(all.flat() as unknown as RegistryFamily[]);
    },
  };
}

/** The counters of one cloud in a registry of their own, so that a cloud that is removed takes them along. */
function createCloudCounters(cloud: string): { registry: Registry; observer: CloudObserver } {
  const registry = new Registry();
  const { counter, histogram } = metricsIn(registry);
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

/** A family of prom-client's, as its registries give it. */
export interface RegistryFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

/** All samples of a family must stand together, whichever cloud they are of. */
function mergeFamilies(families: readonly RegistryFamily[]): RegistryFamily[] {
  const merged = new Map<string, RegistryFamily>();
  for (const family of families) {
    const known = merged.get(family.name);
    merged.set(family.name, known ? { ...known, values: [...known.values, ...family.values] } : family);
  }
  return [...merged.values()];
}

/** prom-client's own OpenMetrics output renames its counters for good, so its numbers are written here instead. */
export function renderRegistryFamily(family: RegistryFamily, format: Format): Buffer {
  const lines = family.values.map((sample) => {
    const { metricName = family.name, labels, value } = sample;
    const pairs = Object.entries(labels).map(([name, item]) => `${name}="${escapeLabel(String(item))}"`);
    const block = pairs.length > 0 ? `{${pairs.join(',')}}` : '';
    return `${metricName}${block} ${formatNumber(value)}\n`;
  });
  return Buffer.concat([renderHeader(family, format), Buffer.from(lines.join(''))]);
}

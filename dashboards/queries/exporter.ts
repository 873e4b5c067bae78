import { ofExporters, ofInstance, ofProcess, select, sumBy } from '../selectors.ts';

const rate = (metric: string, ...matchers: string[]) =>
  `rate(${select(metric, ofInstance, ...matchers)}[$__rate_interval])`;
const newest = (metric: string) => `max by (cloud) (${select(metric, ofInstance)})`;
const left = (metric: string) => `min by (cloud) (${select(metric, ofInstance)}) - time()`;
const quantile = (share: number) =>
  `histogram_quantile(${share}, ${sumBy(['le', 'operation'], rate('cloud_exporter_api_request_duration_seconds_bucket'))})`;

/** An increase is remembered for an hour after its exporter is gone: then it says nothing about now. */
const inAnHour = (metric: string) =>
  `round(sum(increase(${select(metric, ofInstance)}[1h]))) and on () count(${select('cloud_up', ofInstance)})`;

/** What is counted for as long as the exporter runs says nothing good of a cloud that is not read any more. */
const ofSnapshot = (vector: string) => `${vector} and on (cloud) ${newest('cloud_list_received')}`;

export const exporter = {
  cloudsUp: `count(${newest('cloud_up')} == 1)`,
  failures: inAnHour('cloud_exporter_collection_failures_total'),
  staleAnswers: inAnHour('cloud_exporter_stale_answers_total'),
  incomplete: `sum(${newest('cloud_list_reported')} - ${newest('cloud_list_received')})`,
  upByCloud: newest('cloud_up'),
  table: {
    up: newest('cloud_up'),
    age: `time() - (${newest('cloud_last_success_timestamp_seconds')} > 0)`,
    duration: newest('cloud_collection_duration_seconds'),
    reported: newest('cloud_list_reported'),
    received: newest('cloud_list_received'),
    rejected: ofSnapshot(
      `sum by (cloud) (max by (cloud, reason) (${select('cloud_list_rejected', ofInstance)}))`,
    ),
    projects: newest('cloud_projects_visible'),
    dropped: ofSnapshot(newest('cloud_exporter_series_dropped')),
    tokenLeft: left('cloud_token_expiry_timestamp_seconds'),
    passwordLeft: left('cloud_password_expiry_timestamp_seconds'),
  },
  duration: newest('cloud_collection_duration_seconds'),
  scrape: `max by (instance) (${ofExporters(select('scrape_duration_seconds', ofProcess))})`,
  scrapeTimeout: `min(${ofExporters(select('scrape_timeout_seconds', ofProcess))})`,
  age: `time() - (${newest('cloud_last_success_timestamp_seconds')} > 0)`,
  shortfall: `${newest('cloud_list_reported')} - ${newest('cloud_list_received')}`,
  rejected: `max by (cloud, reason) (${select('cloud_list_rejected', ofInstance)})`,
  collections: sumBy(['cloud'], rate('cloud_exporter_collections_total')),
  failuresByReason: sumBy(['cloud', 'reason'], rate('cloud_exporter_collection_failures_total')),
  requests: sumBy(['operation', 'code'], rate('cloud_exporter_api_requests_total')),
  latency: { median: quantile(0.5), high: quantile(0.95) },
  retries: sumBy(['operation', 'reason'], rate('cloud_exporter_api_retries_total')),
  logins: sumBy(
    ['cloud', 'trigger'],
    `increase(${select('cloud_exporter_logins_total', ofInstance)}[$__rate_interval])`,
  ),
  loginFailures: sumBy(
    ['cloud', 'reason'],
    `increase(${select('cloud_exporter_login_failures_total', ofInstance)}[$__rate_interval])`,
  ),
  tokenLeft: left('cloud_token_expiry_timestamp_seconds'),
  residentMemory: ofExporters(select('process_resident_memory_bytes', ofProcess)),
  heap: ofExporters(select('nodejs_heap_size_used_bytes', ofProcess)),
  processor: ofExporters(`rate(${select('process_cpu_seconds_total', ofProcess)}[$__rate_interval])`),
  eventLoopLag: ofExporters(select('nodejs_eventloop_lag_p99_seconds', ofProcess)),
  samples: ofExporters(select('scrape_samples_scraped', ofProcess)),
  build: `max by (instance, version, node_version) (${select('cloud_exporter_build_info', ofProcess)})`,
  reload: `max by (instance) (${select('cloud_exporter_config_reload_success', ofProcess)})`,
  reloadAge: `time() - max by (instance) (${select('cloud_exporter_config_reload_timestamp_seconds', ofProcess)})`,
};

import { ofInstance, ofProcess, orZero, select, sumBy } from '../selectors.ts';

const rate = (metric: string, ...matchers: string[]) =>
  `rate(${select(metric, ofInstance, ...matchers)}[$__rate_interval])`;
const newest = (metric: string) => `max by (cloud) (${select(metric, ofInstance)})`;
const left = (metric: string) => `min by (cloud) (${select(metric, ofInstance)}) - time()`;
const quantile = (share: number) =>
  `histogram_quantile(${share}, ${sumBy(['le', 'operation'], rate('cloud_exporter_api_request_duration_seconds_bucket'))})`;

export const exporter = {
  cloudsUp: sumBy([], select('cloud_up', ofInstance)),
  cloudsDown: orZero(`count(${select('cloud_up', ofInstance)} == 0)`),
  exportersDown: orZero(`count(${select('up', ofProcess)} == 0)`),
  failures: sumBy([], `increase(${select('cloud_exporter_collection_failures_total', ofInstance)}[1h])`),
  staleAnswers: sumBy([], `increase(${select('cloud_exporter_stale_answers_total', ofInstance)}[1h])`),
  missing: `sum(${select('cloud_list_reported', ofInstance)}) - sum(${select('cloud_list_received', ofInstance)})`,
  upByCloud: newest('cloud_up'),
  table: {
    up: newest('cloud_up'),
    age: `time() - ${newest('cloud_snapshot_timestamp_seconds')}`,
    duration: newest('cloud_collection_duration_seconds'),
    reported: newest('cloud_list_reported'),
    received: newest('cloud_list_received'),
    rejected: `sum by (cloud) (${select('cloud_list_rejected', ofInstance)})`,
    pages: newest('cloud_list_pages'),
    projects: newest('cloud_projects_visible'),
    dropped: newest('cloud_exporter_series_dropped'),
    tokenLeft: left('cloud_token_expiry_timestamp_seconds'),
    passwordLeft: left('cloud_password_expiry_timestamp_seconds'),
  },
  duration: newest('cloud_collection_duration_seconds'),
  scrape: `max by (instance) (${select('scrape_duration_seconds', ofProcess)})`,
  scrapeTimeout: `min(${select('scrape_timeout_seconds', ofProcess)})`,
  age: `time() - ${newest('cloud_snapshot_timestamp_seconds')}`,
  shortfall: `max by (cloud) (${select('cloud_list_reported', ofInstance)} - ${select('cloud_list_received', ofInstance)})`,
  rejected: `sum by (cloud, reason) (${select('cloud_list_rejected', ofInstance)})`,
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
  residentMemory: select('process_resident_memory_bytes', ofProcess),
  heap: select('nodejs_heap_size_used_bytes', ofProcess),
  processor: `rate(${select('process_cpu_seconds_total', ofProcess)}[$__rate_interval])`,
  eventLoopLag: select('nodejs_eventloop_lag_p99_seconds', ofProcess),
  samples: select('scrape_samples_scraped', ofProcess),
  build: `max by (instance, version, node_version) (${select('cloud_exporter_build_info', ofProcess)})`,
  reload: `max by (instance) (${select('cloud_exporter_config_reload_success', ofProcess)})`,
  reloadAge: `time() - max by (instance) (${select('cloud_exporter_config_reload_timestamp_seconds', ofProcess)})`,
};

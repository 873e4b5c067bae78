interface Note {
  /** How many series to expect. */
  readonly series: string;
  /** A query that somebody would really run. */
  readonly example: string;
}

const perPlace = 'one per place and status that occurs';
const perCloud = 'one per cloud';
const perHost = 'one per host; unless `per_host: false`';
const perHostState = 'one per host and state of its servers; unless `per_host: false`';
const perListed = 'one per host that the platform lists; unless `list_hosts: false` or `per_host: false`';
const perServer = 'one per server; with `per_server: true`';

/** What the code of a family does not say about it: how many series it makes and what it is good for. */
export const metricNotes: Readonly<Record<string, Note>> = {
  cloud_up: { series: perCloud, example: 'cloud_up == 0' },
  cloud_collection_duration_seconds: {
    series: perCloud,
    example: 'max_over_time(cloud_collection_duration_seconds[1h])',
  },
  cloud_snapshot_timestamp_seconds: {
    series: perCloud,
    example: 'time() - cloud_snapshot_timestamp_seconds',
  },
  cloud_last_success_timestamp_seconds: {
    series: perCloud,
    example: 'time() - cloud_last_success_timestamp_seconds',
  },
  cloud_list_reported: { series: perCloud, example: 'cloud_list_reported - cloud_list_received' },
  cloud_list_received: { series: perCloud, example: 'cloud_list_received' },
  cloud_list_rejected: {
    series: 'three per cloud',
    example: 'sum by (cloud, reason) (cloud_list_rejected) > 0',
  },
  cloud_list_suspect_pages_total: {
    series: 'three per cloud',
    example: 'increase(cloud_list_suspect_pages_total[1h]) > 0',
  },
  cloud_details_timestamp_seconds: {
    series: `${perCloud}, with light lists`,
    example: 'time() - cloud_details_timestamp_seconds',
  },
  cloud_list_drift_total: {
    series: `${perCloud}, with lists of changes`,
    example: 'increase(cloud_list_drift_total[1h]) > 0',
  },
  cloud_list_timestamp_seconds: {
    series: `${perCloud}, with lists of changes`,
    example: 'time() - cloud_list_timestamp_seconds',
  },
  cloud_list_pages: { series: perCloud, example: 'cloud_list_pages' },
  cloud_projects_visible: { series: perCloud, example: 'cloud_projects_visible == 1' },
  cloud_token_expiry_timestamp_seconds: {
    series: perCloud,
    example: 'cloud_token_expiry_timestamp_seconds - time()',
  },
  cloud_password_expiry_timestamp_seconds: {
    series: `${perCloud}, where the platform says`,
    example: '(cloud_password_expiry_timestamp_seconds - time()) / 86400',
  },
  cloud_servers: { series: perPlace, example: 'sum by (cloud, state) (cloud_servers)' },
  cloud_servers_gpu: { series: perPlace, example: 'sum by (project) (cloud_servers_gpu)' },
  cloud_servers_vcpus: {
    series: perPlace,
    example: 'topk(10, sum by (project_domain, project) (cloud_servers_vcpus))',
  },
  cloud_servers_memory_bytes: {
    series: perPlace,
    example: 'sum by (project) (cloud_servers_memory_bytes{state="stopped"})',
  },
  cloud_servers_disk_bytes: { series: perPlace, example: 'sum by (zone) (cloud_servers_disk_bytes)' },
  cloud_servers_disks: { series: perPlace, example: 'sum by (zone) (cloud_servers_disks)' },
  cloud_isolated_devices: {
    series: 'one per place, status, device type and model that occurs',
    example: 'sum by (model, project) (cloud_isolated_devices{state="stopped"})',
  },
  cloud_servers_expiring: {
    series: 'up to three per place and billing type that has some',
    example: 'sum by (project) (cloud_servers_expiring{within="7d",billing_type="prepaid"})',
  },
  cloud_server_problem: {
    series: 'one per server and problem, at most `problem_limit`',
    example: 'cloud_server_problem{problem="failed"}',
  },
  cloud_server_problem_timestamp_seconds: {
    series: 'one per server and problem, at most `problem_limit`',
    example: 'time() - cloud_server_problem_timestamp_seconds{problem="failed"}',
  },
  cloud_server_problems: { series: 'eight per cloud', example: 'cloud_server_problems > 0' },
  cloud_host_up: { series: perHost, example: 'cloud_host_up == 0' },
  cloud_host_servers: { series: perHostState, example: 'topk(10, sum by (host) (cloud_host_servers))' },
  cloud_host_vcpus: {
    series: perHostState,
    example: 'sum by (zone, host) (cloud_host_vcpus{state!="pending_deletion"})',
  },
  cloud_host_memory_bytes: {
    series: perHostState,
    example: 'sum by (zone, host) (cloud_host_memory_bytes{state="running"})',
  },
  cloud_host_enabled: {
    series: perListed,
    example: 'cloud_host_enabled == 0 and on (cloud, region, zone, host) cloud_host_servers > 0',
  },
  cloud_host_cpus: {
    series: perListed,
    example:
      'sum by (cloud, zone) (cloud_host_cpus * cloud_host_cpu_overcommit) - sum by (cloud, zone) (cloud_host_vcpus{state!="pending_deletion"})',
  },
  cloud_host_memory_capacity_bytes: {
    series: perListed,
    example: 'sum by (cloud, zone) (cloud_host_memory_capacity_bytes * cloud_host_memory_overcommit)',
  },
  cloud_host_storage_capacity_bytes: {
    series: perListed,
    example: 'sum by (cloud, zone) (cloud_host_storage_capacity_bytes)',
  },
  cloud_host_cpu_overcommit: {
    series: perListed,
    example: 'min by (cloud, zone) (cloud_host_cpu_overcommit)',
  },
  cloud_host_memory_overcommit: {
    series: perListed,
    example: 'cloud_host_memory_overcommit > 1',
  },
  cloud_server_info: {
    series: perServer,
    example: 'cloud_server_vcpus * on (cloud, id) group_left (name, project) cloud_server_info',
  },
  cloud_server_status: { series: perServer, example: 'count by (state) (cloud_server_status)' },
  cloud_server_vcpus: { series: perServer, example: 'topk(10, cloud_server_vcpus)' },
  cloud_server_memory_bytes: {
    series: perServer,
    example: 'sum by (host) (cloud_server_memory_bytes * on (cloud, id) group_left (host) cloud_server_info)',
  },
  cloud_server_disk_bytes: { series: perServer, example: 'topk(10, cloud_server_disk_bytes)' },
  cloud_server_isolated_devices: { series: perServer, example: 'cloud_server_isolated_devices > 0' },
  cloud_server_expiry_timestamp_seconds: {
    series: `${perServer}, where it expires`,
    example: 'cloud_server_expiry_timestamp_seconds - time() < 7 * 86400',
  },
  cloud_server_updated_timestamp_seconds: {
    series: perServer,
    example: 'time() - cloud_server_updated_timestamp_seconds > 3600',
  },
  cloud_server_created_timestamp_seconds: {
    series: perServer,
    example: 'count(time() - cloud_server_created_timestamp_seconds < 86400)',
  },
  cloud_exporter_series_dropped: { series: perCloud, example: 'cloud_exporter_series_dropped > 0' },
  cloud_exporter_collections_total: {
    series: perCloud,
    example: 'rate(cloud_exporter_collections_total[5m])',
  },
  cloud_exporter_collection_failures_total: {
    series: 'one per cloud and reason',
    example: 'increase(cloud_exporter_collection_failures_total[1h]) > 0',
  },
  cloud_exporter_api_requests_total: {
    series: 'one per cloud, operation and code that occurred',
    example: 'sum by (cloud, operation, code) (rate(cloud_exporter_api_requests_total[5m]))',
  },
  cloud_exporter_api_request_duration_seconds: {
    series: 'a histogram of eleven buckets per cloud and operation',
    example:
      'histogram_quantile(0.9, sum by (le, cloud) (rate(cloud_exporter_api_request_duration_seconds_bucket[5m])))',
  },
  cloud_exporter_api_retries_total: {
    series: 'one per cloud, operation and reason',
    example: 'increase(cloud_exporter_api_retries_total[1h]) > 0',
  },
  cloud_exporter_logins_total: {
    series: 'three per cloud',
    example: 'increase(cloud_exporter_logins_total[1d])',
  },
  cloud_exporter_login_failures_total: {
    series: 'one per cloud and reason',
    example: 'increase(cloud_exporter_login_failures_total[15m]) > 0',
  },
  cloud_exporter_stale_answers_total: {
    series: perCloud,
    example: 'increase(cloud_exporter_stale_answers_total[15m]) > 0',
  },
  cloud_exporter_build_info: { series: 'one', example: 'count by (version) (cloud_exporter_build_info)' },
  cloud_exporter_config_reload_success: {
    series: 'one',
    example: 'cloud_exporter_config_reload_success == 0',
  },
  cloud_exporter_config_reload_timestamp_seconds: {
    series: 'one',
    example: 'time() - cloud_exporter_config_reload_timestamp_seconds',
  },
  cloud_exporter_config_files_rejected: {
    series: 'one',
    example: 'cloud_exporter_config_files_rejected > 0',
  },
  cloud_exporter_log_lines_lost_total: {
    series: 'one',
    example: 'rate(cloud_exporter_log_lines_lost_total[5m]) > 0',
  },
  cloud_exporter_scrapes_refused_total: {
    series: 'three',
    example: 'increase(cloud_exporter_scrapes_refused_total[15m]) > 0',
  },
  cloud_exporter_external_url_info: {
    series: 'one, with --web.external-url',
    example: 'cloud_exporter_build_info * on (instance) group_left (url) cloud_exporter_external_url_info',
  },
  cloud_exporter_shard_ordinal: {
    series: 'one, with --shard',
    example: 'count_values("shard", cloud_exporter_shard_ordinal)',
  },
  cloud_exporter_total_shards: {
    series: 'one, with --shard',
    example: 'max(cloud_exporter_total_shards) - count(cloud_exporter_shard_ordinal)',
  },
};

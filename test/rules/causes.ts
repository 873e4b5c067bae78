import { altered, cloud, endingAt, told, turn, valueAt, type Course, type Series } from './series.ts';

/** Every notification that arrives for something that happens, exactly. */
interface Row {
  /** The minute at which it happens; before it all is well. */
  readonly at?: number;
  /** For how long it is watched, from the first scrape on; at least half an hour longer than it is told of. */
  readonly minutes?: number;
  /** What one of many clouds of an exporter tells; else what all exporters do. */
  readonly of?: Series | ((name: string) => Series);
  readonly series?: Series;
  /** Rule files that Prometheus does not load. */
  readonly without?: 'thresholds' | 'recording';
  /** Who is notified of what, after how long. */
  readonly tells: readonly string[];
  /** What still fires at the end. */
  readonly lasts?: readonly string[];
}

const hour = 60;
const day = 24 * hour;

const exporter = (series: Series = {}) => told('a', { ...cloud('north'), ...series });
/** One of two, with a cloud of its own. */
const shard = (name: string, ordinal: number, until = Infinity, total = 2) => {
  const place = { cloud_exporter_shard_ordinal: ordinal, cloud_exporter_total_shards: total };
  return told(name, { ...cloud(name), ...place }, until);
};
const twelve = (downFrom: (index: number) => number) =>
  told('a', Object.assign({}, ...Array.from({ length: 12 }, (_, i) => cloud(`c${i}`, {}, downFrom(i)))));
const login = (reason: string, each: number): Series => ({
  [`cloud_exporter_login_failures_total{reason="${reason}"}`]: (minute) =>
    minute < 30 ? 0 : Math.floor((minute - 30) / each) + 1,
});

const place = 'region="r", zone="z"';
const owner = 'project_domain="d", project="p"';
const hostOf = (name: string) => `${place}, host="${name}", hypervisor="kvm"`;
const bareMetal = hostOf('b1').replace('kvm', 'baremetal');
const gpu = `${hostOf('h1')}, dev_type="GPU-HPC", model="A100"`;
const storage = `${place}, storage="s", storage_type="rbd", medium_type="ssd"`;
const prepaid = `${place}, ${owner}, billing_type="prepaid"`;

type States = Readonly<Record<string, Course>>;
const byState = (family: string, labels: string, states: States): Series =>
  Object.fromEntries(
    Object.entries(states).map(([state, course]) => [`${family}{${labels}, state="${state}"}`, course]),
  );
const servers = (states: States): Series => ({
  cloud_servers: 0,
  ...byState('cloud_servers', place, states),
});
const lost = (count: number, state: string): States => ({
  running: turn(count, undefined),
  [state]: turn(undefined, count),
});
/** Problems of a server that begin with what happens. */
const appearing = (...problems: readonly string[]): Series =>
  Object.fromEntries(
    problems.map((problem) => [
      `cloud_server_problem{${hostOf('h1')}, ${owner}, id="s1", name="s1", problem="${problem}"}`,
      turn(undefined, 1),
    ]),
  );

/** A host with its servers by state, and what its list says. */
function host(
  name: string,
  facts: { up?: Course; enabled?: Course; maintenance?: Course; servers?: States },
): Series {
  const labels = hostOf(name);
  return {
    [`cloud_host_up{${labels}}`]: facts.up ?? 1,
    [`cloud_host_enabled{${labels}}`]: facts.enabled ?? 1,
    [`cloud_host_maintenance{${labels}}`]: facts.maintenance ?? 0,
    ...byState('cloud_host_servers', labels, facts.servers ?? { running: 6 }),
  };
}
const dark = (name: string) => host(name, { up: turn(1, 0), servers: lost(10, 'unknown') });

/** The room of a host: vCPUs, and as many GiB of memory. */
function room(name: string, allocatable: number, allocated: Course, schedulable: Course = 1): Series {
  const labels = hostOf(name);
  return {
    [`cloud_host_schedulable{${labels}}`]: schedulable,
    [`cloud_host_vcpus_allocatable{${labels}}`]: allocatable,
    [`cloud_host_vcpus_allocated{${labels}}`]: allocated,
  };
}

/** A network with 100 addresses. */
const network = (name: string, used: Course, { type = 'guest', up = 1 } = {}): Series => {
  const labels = `${place}, vpc="v", network="${name}", server_type="${type}"`;
  return {
    [`cloud_network_up{${labels}}`]: up,
    [`cloud_network_addresses{${labels}}`]: 100,
    [`cloud_network_addresses_used{${labels}}`]: used,
  };
};
/** Synchronised every quarter of an hour until it ends. */
const sync = (region: string, { until = Infinity, enabled = 1 } = {}): Series => {
  const labels = `account="a", subscription="s", region="${region}"`;
  const at = (minute: number) => Math.floor(Math.min(minute, until) / 15) * 15 * 60;
  return {
    [`cloud_sync_enabled{${labels}}`]: enabled,
    [`cloud_sync_timestamp_seconds{${labels}}`]: at,
  };
};

/** By what happens. */
const rows: Readonly<Record<string, Row>> = {
  Nothing: { of: host('h1', {}), tells: [] },

  // The exporter
  'The only exporter of a cloud stops': {
    series: told('a', cloud('north'), 30),
    tells: ['6m on-call: CloudExporterDown'],
  },
  'One of two exporters that read the same clouds stops': {
    series: { ...told('a', cloud('north'), 30), ...told('b', cloud('north')) },
    tells: ['6m team: CloudExporterDown'],
  },
  'Both of them stop, the second half an hour after the first': {
    at: 60,
    series: { ...told('a', cloud('north'), 30), ...told('b', cloud('north'), 60) },
    tells: ['-24m team: CloudExporterDown', '6m on-call: CloudExporterDown'],
  },
  'One of two shards stops': {
    series: { ...shard('a', 0), ...shard('b', 1, 30) },
    tells: ['6m on-call: CloudExporterDown'],
  },
  'A shard was never started': { at: 0, series: shard('a', 0), tells: ['11m on-call: CloudShardMissing'] },
  'A cloud is taken out of the configuration': {
    series: told('a', { ...cloud('south'), ...altered(cloud('north'), (_, course) => endingAt(30, course)) }),
    tells: ['6m team: CloudNotObserved'],
  },
  'Prometheus has no exporter to scrape': {
    at: 0,
    series: { 'up{job="other"}': 1 },
    tells: ['6m on-call: CloudNotObserved'],
  },
  'A reload is refused': {
    series: exporter({ cloud_exporter_config_last_reload_successful: turn(1, 0) }),
    tells: ['6m team: CloudConfigRejected'],
  },
  'A file of the configuration is left out': {
    series: exporter({ cloud_exporter_config_files_rejected: turn(0, 1) }),
    tells: ['6m team: CloudConfigRejected'],
  },
  'A cloud outgrows its `series_limit`': {
    of: { cloud_exporter_series_dropped: turn(0, 500) },
    tells: ['16m team: CloudSeriesLimitHit'],
  },
  '`thresholds.yml` is not loaded': {
    at: 0,
    series: exporter(),
    without: 'thresholds',
    tells: ['11m team: CloudRulesMissing'],
  },
  '`recording.yml` is not loaded': {
    at: 0,
    series: exporter(),
    without: 'recording',
    tells: ['11m team: CloudRulesMissing'],
  },

  // Reading a cloud
  'A cloud cannot be read': {
    of: (name) => cloud(name, {}, 30),
    tells: ['6m team: CloudDown', '16m on-call: CloudDown'],
  },
  'Ten of twelve clouds go down together, and an hour later an eleventh': {
    series: twelve((index) => (index < 10 ? 30 : index === 10 ? 90 : Infinity)),
    tells: [
      '6m team: CloudsDown',
      '16m on-call: CloudsDown',
      '66m team: CloudDown',
      '76m on-call: CloudDown',
    ],
  },
  'One of two exporters cannot read a cloud': {
    series: { ...told('a', cloud('north', {}, 30)), ...told('b', cloud('north')) },
    tells: [],
  },
  'A cloud can be read for four minutes and not for two, again and again': {
    of: { cloud_up: (minute) => (minute > 30 && minute % 6 < 2 ? 0 : 1) },
    tells: ['20m team: CloudDown'],
  },
  'The password of the exporter is refused': {
    of: login('unauthorized', 10),
    tells: ['12m team: CloudLoginRefused'],
  },
  'The token ended, and none comes after it': {
    of: { cloud_token_expiry_timestamp_seconds: (minute) => (minute < 40 ? 1800 : undefined) },
    minutes: 180,
    tells: ['26m team: CloudLoginRefused'],
    lasts: ['CloudLoginRefused'],
  },
  'The password of the exporter ends in 3 days': {
    of: { cloud_password_expiry_timestamp_seconds: turn(30 * 86_400, 3 * 86_400) },
    tells: ['61m team: CloudPasswordExpiring'],
  },
  'The password of the exporter ends in 20 hours': {
    of: { cloud_password_expiry_timestamp_seconds: turn(30 * 86_400, 20 * 3600) },
    tells: ['16m on-call: CloudPasswordExpiring'],
  },
  'The platform lists fewer servers than it says it has': {
    of: {
      'cloud_list_reported{resource="servers"}': 50,
      'cloud_list_received{resource="servers"}': turn(50, 45),
      'cloud_list_rejected{resource="servers", reason="no_id"}': 0,
    },
    tells: ['31m team: CloudListIncomplete'],
  },
  'A collection hangs': {
    of: { cloud_last_success_timestamp_seconds: (minute) => 60 + 60 * Math.min(minute, 30) },
    tells: ['13m team: CloudSnapshotOld'],
  },
  'A cloud takes longer to read than a scrape waits': {
    of: { cloud_exporter_stale_answers_total: (minute) => Math.max(0, minute - 30) },
    tells: ['19m team: CloudSnapshotOld'],
  },
  'The account may no longer list hosts': {
    minutes: 26 * hour,
    of: { 'cloud_list_up{resource="hosts"}': turn(1, 0) },
    tells: ['11m team: CloudResourceUnreadable'],
    lasts: ['CloudResourceUnreadable'],
  },
  'Two regions of an account are synchronised no longer': {
    minutes: 300,
    of: { ...sync('r1', { until: 30 }), ...sync('r2', { until: 60 }), ...sync('r3') },
    tells: ['141m team: CloudSyncOld'],
  },
  'A region that is disabled is synchronised no longer': {
    minutes: 300,
    of: { ...sync('r1', { until: 30, enabled: 0 }), ...sync('r3') },
    tells: [],
  },
  'Storages are no longer listed, and nothing says why': {
    of: { 'cloud_list_up{resource="storages"}': turn(1, undefined) },
    tells: ['11m team: CloudResourceUnreadable'],
  },

  // Servers
  'A server fails that ends soon as well': {
    of: appearing('failed', 'expired'),
    tells: ['16m team: CloudServerProblem'],
  },
  'A task of a server fails, such as a snapshot': { of: appearing('task_failed'), tells: [] },
  '96 of 2,000 servers fail': {
    of: { ...servers({ running: turn(2000, 1904), failed: turn(undefined, 96) }), ...appearing('failed') },
    tells: ['11m on-call: CloudServersFailed'],
  },
  '100 of 2,000 servers are failed, for longer than is known (it ends after a day)': {
    at: 0,
    minutes: 26 * hour,
    of: servers({ running: 1900, failed: (minute) => (minute < 30 ? 100 : 104) }),
    tells: ['11m on-call: CloudServersFailed'],
    lasts: [],
  },
  'A third of the servers is gone within an hour': {
    at: 120,
    minutes: 120 + 23 * hour,
    of: servers({ running: turn(900, 600, 120) }),
    tells: ['11m on-call: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  'A third of the servers goes to the recycle bin': {
    at: day,
    minutes: day + 12 * hour,
    of: servers({ running: turn(900, 600, day), pending_deletion: turn(undefined, 300, day) }),
    tells: ['11m on-call: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  '19 servers become none': {
    at: 120,
    minutes: day,
    of: servers({ running: turn(19, undefined, 120) }),
    tells: ['11m on-call: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  'Half of the servers are gone when a cloud comes back after three hours': {
    at: 300,
    of: (name) =>
      altered(cloud(name, servers({ running: turn(100, 50, 200) })), (key, course) => (minute) => {
        if (minute < 120 || minute >= 300) return valueAt(course, minute);
        return key.startsWith('cloud_up') ? 0 : key.startsWith('cloud_last') ? 7260 : undefined;
      }),
    tells: ['-169m team: CloudDown', '-159m on-call: CloudDown', '11m on-call: CloudServersLost'],
  },
  'Half of the running servers are stopped': {
    at: 120,
    of: servers({ running: turn(40, 20, 120), stopped: turn(undefined, 20, 120) }),
    tells: ['11m team: CloudServersStopped'],
  },
  'Prepaid servers end within a week': {
    of: {
      [`cloud_servers_expiring{${prepaid}, within="7d"}`]: turn(undefined, 3),
      [`cloud_servers_expiring{${prepaid}, within="30d"}`]: turn(undefined, 3),
    },
    tells: ['61m team: CloudServersExpiring'],
  },

  // Hosts and zones
  'A host goes down with its servers': {
    of: {
      ...host('h1', { up: turn(1, 0), servers: lost(6, 'unknown') }),
      ...appearing('unknown', 'host_down'),
    },
    tells: ['11m on-call: CloudHostDown'],
  },
  'A host that is disabled, or in maintenance, goes down with its servers': {
    of: {
      ...host('h1', { up: turn(1, 0), enabled: turn(1, 0, 20), servers: lost(6, 'unknown') }),
      ...host('h2', { up: turn(1, 0), maintenance: turn(0, 1, 20), servers: lost(6, 'unknown') }),
      ...appearing('unknown', 'host_down'),
    },
    tells: [],
  },
  'A host with stopped servers only goes down': {
    of: host('h1', { up: turn(1, 0), servers: { stopped: 6, pending_deletion: 2 } }),
    tells: ['31m team: CloudHostDown'],
  },
  'Bare metal is offline to the platform, as it always is': {
    at: 0,
    of: {
      [`cloud_host_up{${bareMetal}}`]: 1,
      [`cloud_host_servers{${bareMetal}, state="running"}`]: 1,
      [`cloud_host_schedulable{${bareMetal}}`]: 0,
    },
    tells: [],
  },
  'A host goes down and up every four minutes': {
    of: host('h1', { up: (minute) => (minute >= 30 && minute % 8 < 4 ? 0 : 1) }),
    tells: ['16m team: CloudHostFlapping'],
  },
  'Most servers of a host do not run, though it answers': {
    of: host('h1', { servers: { running: turn(6, 1), unknown: turn(undefined, 5) } }),
    tells: ['11m on-call: CloudHostNotRunning'],
  },
  'A zone loses its power': {
    of: {
      ...servers({ running: turn(40, 20), unknown: turn(undefined, 30) }),
      ...dark('h1'),
      ...dark('h2'),
      ...dark('h3'),
    },
    tells: ['11m on-call: CloudZoneNotRunning'],
  },

  // Room
  'A zone has less than a tenth of its vCPUs left': {
    of: { ...room('h1', 100, turn(50, 95)), ...room('h2', 100, 0, 0) },
    tells: ['31m team: CloudZoneNearlyFull'],
  },
  'The networks of a zone have fewer than a tenth of their addresses left': {
    of: { ...network('n1', turn(60, 99)), ...network('n2', turn(60, 85)), ...network('n3', 0, { up: 0 }) },
    tells: ['31m team: CloudZoneNearlyFull'],
  },
  'Public addresses run out': {
    of: { ...network('n1', 10), ...network('pool', turn(50, 100), { type: 'eip' }) },
    tells: ['31m team: CloudZoneNearlyFull'],
  },
  'One of two networks is full, and one for booting': {
    of: { ...network('n1', 100), ...network('n2', 60), ...network('boot', 100, { type: 'pxe' }) },
    tells: [],
  },
  'The last GPU of a model is taken': {
    of: { [`cloud_host_devices{${gpu}}`]: 4, [`cloud_host_devices_free{${gpu}}`]: turn(1, 0) },
    tells: ['90m digest: CloudZoneNearlyFull'],
  },
  'The servers of the largest host in use would not fit elsewhere': {
    of: { ...room('h1', 100, turn(20, 70)), ...room('h2', 100, 50) },
    tells: ['61m team: CloudZoneFullWithoutHost'],
  },
  'A zone gets full, day after day': {
    at: 0,
    minutes: 16 * day,
    of: room('h1', 1000, (minute) => 100 + (minute / day) * 40),
    tells: ['19140m digest: CloudZoneFullSoon'],
  },
  'One large project takes half of a zone at once': {
    at: 0,
    minutes: 16 * day,
    of: room('h1', 1000, turn(100, 600, 10 * day)),
    tells: [],
  },
  'A storage is nearly full of what is really written': {
    of: {
      [`cloud_storage_used_bytes{${storage}}`]: turn(50, 95),
      [`cloud_storage_capacity_bytes{${storage}}`]: 100,
    },
    tells: ['31m team: CloudStorageFilling'],
  },
};

export type Cause = ReturnType<typeof causeOf>;
export const causes = Object.entries(rows).map(([happens, row]) => causeOf(happens, row));

/** Scrapes, and what comes of them, are the further apart the longer it is watched. */
function causeOf(happens: string, { at = 30, of, tells, ...row }: Row) {
  const last = Math.max(0, ...tells.map((text) => Number.parseInt(text, 10)));
  const minutes = row.minutes ?? Math.max(90, Math.ceil((at + last) / 30 + 1) * 30);
  const longSteps = minutes <= 3 * day ? 10 : 180;
  const step = minutes > 300 ? longSteps : minutes > 90 || row.series ? 5 : 1;
  const cloudOf = typeof of === 'object' ? (name: string) => cloud(name, of) : of;
  return { ...row, happens, at, minutes, step, tells, of: cloudOf };
}

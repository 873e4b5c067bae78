import { cloud, told, turn, valueAt, type Course, type Series } from './series.ts';

/** Something that happens, and every notification that arrives for it, exactly. */
export interface Cause {
  readonly happens: string;
  /** The minute at which it happens; before it all is well. */
  readonly at?: number;
  /** For how long it is watched, from the first scrape on. */
  readonly minutes?: number;
  /** Minutes between two scrapes. */
  readonly step?: number;
  /** What one of many clouds of an exporter tells; else what all exporters do. */
  readonly of?: (name: string) => Series;
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
const north =
  (series: Series = {}, until = Infinity) =>
  (name: string) =>
    cloud(name, series, until);
const alone = told('a', cloud('north'));

const place = 'region="r", zone="z"';
const hostOf = (name: string, zone = 'z') => `region="r", zone="${zone}", host="${name}", hypervisor="kvm"`;

/** A host with its servers by state, and what its list says. */
function host(
  name: string,
  facts: {
    up?: Course;
    enabled?: Course;
    maintenance?: Course;
    servers?: Record<string, Course>;
    zone?: string;
  },
): Series {
  const labels = hostOf(name, facts.zone);
  const servers = Object.entries(facts.servers ?? { running: 6 }).map(([state, course]) => [
    `cloud_host_servers{${labels}, state="${state}"}`,
    course,
  ]);
  return {
    [`cloud_host_up{${labels}}`]: facts.up ?? 1,
    [`cloud_host_enabled{${labels}}`]: facts.enabled ?? 1,
    [`cloud_host_maintenance{${labels}}`]: facts.maintenance ?? 0,
    ...Object.fromEntries(servers),
  };
}

/** The room of a host: vCPUs, and as many GiB of memory. */
function room(name: string, allocatable: number, allocated: Course, schedulable: Course = 1): Series {
  const labels = hostOf(name);
  return {
    [`cloud_host_schedulable{${labels}}`]: schedulable,
    [`cloud_host_vcpus_allocatable{${labels}}`]: allocatable,
    [`cloud_host_vcpus_allocated{${labels}}`]: allocated,
  };
}

const twelve = (downFrom: (index: number) => number): Series =>
  Object.assign({}, ...Array.from({ length: 12 }, (_, index) => cloud(`c${index}`, {}, downFrom(index))));
const servers = (states: Record<string, Course>): Series => ({
  cloud_servers: 0,
  ...Object.fromEntries(
    Object.entries(states).map(([state, course]) => [`cloud_servers{${place}, state="${state}"}`, course]),
  ),
});
const problem = (kind: string, id = 's1', at = 'h1') =>
  `cloud_server_problem{${hostOf(at)}, project_domain="d", project="p", id="${id}", name="${id}", problem="${kind}"}`;
const login = (reason: string, each: number, from = 30): Series => ({
  [`cloud_exporter_login_failures_total{reason="${reason}"}`]: (minute) =>
    minute < from ? 0 : Math.floor((minute - from) / each) + 1,
});

export const causes: readonly Cause[] = [
  { happens: 'Nothing', of: north(host('h1', {})), tells: [] },

  // The exporter
  {
    happens: 'The only exporter of a cloud stops',
    series: told('a', cloud('north'), 30),
    tells: ['6m on-call: CloudExporterDown'],
  },
  {
    happens: 'One of two exporters that read the same clouds stops',
    series: { ...told('a', cloud('north'), 30), ...told('b', cloud('north')) },
    tells: ['6m team: CloudExporterDown'],
  },
  {
    happens: 'Both of them stop, the second half an hour after the first',
    at: 60,
    series: { ...told('a', cloud('north'), 30), ...told('b', cloud('north'), 60) },
    tells: ['-24m team: CloudExporterDown', '6m on-call: CloudExporterDown'],
  },
  {
    happens: 'One of two shards stops',
    series: {
      ...told('a', { ...cloud('north'), cloud_exporter_shard_ordinal: 0, cloud_exporter_total_shards: 2 }),
      ...told(
        'b',
        { ...cloud('south'), cloud_exporter_shard_ordinal: 1, cloud_exporter_total_shards: 2 },
        30,
      ),
    },
    tells: ['6m on-call: CloudExporterDown'],
  },
  {
    happens: 'A shard was never started',
    at: 0,
    series: told('a', { ...cloud('north'), cloud_exporter_shard_ordinal: 0, cloud_exporter_total_shards: 2 }),
    tells: ['11m on-call: CloudShardMissing'],
  },
  {
    happens: 'Two exporters are the same shard',
    at: 0,
    series: Object.assign(
      {},
      ...['a', 'b', 'c'].map((name, index) =>
        told(name, {
          ...cloud(name),
          cloud_exporter_shard_ordinal: index % 2,
          cloud_exporter_total_shards: 2,
        }),
      ),
    ) as Series,
    tells: ['16m team: CloudShardsDisagree'],
  },
  {
    happens: 'A cloud is taken out of the configuration',
    series: told('a', {
      ...cloud('south'),
      ...Object.fromEntries(
        Object.entries(cloud('north')).map(([key, course]) => [
          key,
          (minute: number) => (minute < 30 ? valueAt(course, minute) : undefined),
        ]),
      ),
    }),
    tells: ['6m team: CloudNotObserved'],
  },
  {
    happens: 'Prometheus has no exporter to scrape',
    at: 0,
    series: { 'up{job="other"}': 1 },
    tells: ['6m on-call: CloudNotObserved'],
  },
  {
    happens: 'A reload is refused',
    series: told('a', { ...cloud('north'), cloud_exporter_config_reload_success: turn(1, 30, 0) }),
    tells: ['6m team: CloudConfigRejected'],
  },
  {
    happens: 'A file of the configuration is left out',
    series: told('a', { ...cloud('north'), cloud_exporter_config_files_rejected: turn(0, 30, 1) }),
    tells: ['6m team: CloudConfigRejected'],
  },
  {
    happens: 'A cloud outgrows its `series_limit`',
    of: north({ cloud_exporter_series_dropped: turn(0, 30, 500) }),
    tells: ['16m team: CloudSeriesLimitHit'],
  },
  {
    happens: '`thresholds.yml` is not loaded',
    at: 0,
    series: alone,
    without: 'thresholds',
    tells: ['11m team: CloudRulesMissing'],
  },
  {
    happens: '`recording.yml` is not loaded',
    at: 0,
    series: alone,
    without: 'recording',
    tells: ['11m team: CloudRulesMissing'],
  },

  // Reading a cloud
  {
    happens: 'A cloud cannot be read',
    of: north({}, 30),
    tells: ['6m team: CloudDown', '16m on-call: CloudDown'],
  },
  {
    happens: 'An exporter of twelve clouds is cut off',
    series: told(
      'a',
      twelve(() => 30),
    ),
    tells: ['6m team: CloudsDown', '16m on-call: CloudsDown'],
  },
  {
    happens: 'Ten of twelve clouds go down together, and an hour later an eleventh',
    minutes: 180,
    series: told(
      'a',
      twelve((index) => (index < 10 ? 30 : index === 10 ? 90 : Infinity)),
    ),
    tells: [
      '6m team: CloudsDown',
      '16m on-call: CloudsDown',
      '66m team: CloudDown',
      '76m on-call: CloudDown',
    ],
  },
  {
    happens: 'One of twelve clouds cannot be read',
    series: told(
      'a',
      twelve((index) => (index === 3 ? 30 : Infinity)),
    ),
    tells: ['6m team: CloudDown', '16m on-call: CloudDown'],
  },
  {
    happens: 'One of two exporters cannot read a cloud',
    series: { ...told('a', cloud('north', {}, 30)), ...told('b', cloud('north')) },
    tells: [],
  },
  {
    happens: 'A cloud can be read for four minutes and not for two, again and again',
    of: north({ cloud_up: (minute) => (minute > 30 && minute % 6 < 2 ? 0 : 1) }),
    tells: ['20m team: CloudDown'],
  },
  {
    happens: 'The password of the exporter is refused',
    of: north(login('unauthorized', 10)),
    tells: ['12m team: CloudLoginRefused'],
  },
  {
    happens: 'Logins fail while the token still works',
    of: north(login('upstream', 1)),
    tells: ['12m team: CloudLoginRefused'],
  },
  {
    happens: 'The token ended, and none comes after it',
    of: north({ cloud_token_expiry_timestamp_seconds: (minute) => (minute < 40 ? 1800 : undefined) }),
    minutes: 180,
    step: 5,
    tells: ['26m team: CloudLoginRefused'],
    lasts: ['CloudLoginRefused'],
  },
  {
    happens: "The platform's clock is 5 minutes behind",
    of: north({ cloud_token_expiry_timestamp_seconds: (minute) => (Math.floor(minute / 55) + 1) * 3300 }),
    minutes: 180,
    step: 5,
    tells: [],
  },
  {
    happens: 'The password of the exporter ends in 3 days',
    minutes: 120,
    step: 5,
    of: north({ cloud_password_expiry_timestamp_seconds: turn(30 * 86_400, 30, 3 * 86_400) }),
    tells: ['61m team: CloudPasswordExpiring'],
  },
  {
    happens: 'The password of the exporter ends in 20 hours',
    minutes: 120,
    step: 5,
    of: north({ cloud_password_expiry_timestamp_seconds: turn(30 * 86_400, 30, 20 * 3600) }),
    tells: ['16m on-call: CloudPasswordExpiring'],
  },
  {
    happens: 'The platform lists fewer servers than it says it has',
    minutes: 120,
    step: 5,
    of: north({
      'cloud_list_reported{resource="servers"}': 50,
      'cloud_list_received{resource="servers"}': turn(50, 30, 45),
      'cloud_list_rejected{resource="servers", reason="no_id"}': 0,
    }),
    tells: ['31m team: CloudListIncomplete'],
  },
  {
    happens: 'Records of hosts cannot be understood',
    minutes: 120,
    step: 5,
    of: north({
      'cloud_list_reported{resource="hosts"}': 5,
      'cloud_list_received{resource="hosts"}': 5,
      'cloud_list_rejected{resource="hosts", reason="not_usable"}': turn(0, 30, 1),
    }),
    tells: ['31m team: CloudListIncomplete'],
  },
  {
    happens: 'A collection hangs',
    of: north({ cloud_last_success_timestamp_seconds: (minute) => 60 + 60 * Math.min(minute, 30) }),
    tells: ['13m team: CloudSnapshotOld'],
  },
  {
    happens: "The exporter's clock is 20 minutes behind",
    at: 0,
    of: north({
      cloud_last_success_timestamp_seconds: (minute) => 60 * minute - 1200 + 2400,
      cloud_snapshot_timestamp_seconds: (minute) => 60 * minute - 1200 + 2400,
    }),
    tells: ['7m team: CloudSnapshotOld'],
  },
  {
    happens: 'A cloud takes longer to read than a scrape waits',
    of: north({ cloud_exporter_stale_answers_total: (minute) => Math.max(0, minute - 30) }),
    tells: ['19m team: CloudSnapshotOld'],
  },
  {
    happens: 'The account may no longer list hosts',
    minutes: 26 * hour,
    step: 10,
    of: north({ 'cloud_list_up{resource="hosts"}': turn(1, 30, 0) }),
    tells: ['11m team: CloudResourceUnreadable'],
    lasts: ['CloudResourceUnreadable'],
  },
  {
    happens: 'Storages are no longer listed, and nothing says why',
    of: north({ 'cloud_list_up{resource="storages"}': turn(1, 30, undefined) }),
    tells: ['11m team: CloudResourceUnreadable'],
  },

  // Servers
  {
    happens: 'A server fails that ends soon as well',
    of: north({ [problem('failed')]: turn(undefined, 30, 1), [problem('expired')]: turn(undefined, 30, 1) }),
    tells: ['16m team: CloudServerProblem'],
  },
  {
    happens: 'A task of a server fails, such as a snapshot',
    of: north({ [problem('task_failed')]: turn(undefined, 30, 1) }),
    tells: [],
  },
  {
    happens: '96 of 2,000 servers fail',
    of: north({
      ...servers({ running: turn(2000, 30, 1904), failed: turn(undefined, 30, 96) }),
      [problem('failed')]: turn(undefined, 30, 1),
    }),
    tells: ['11m on-call: CloudServersFailed'],
  },
  {
    happens: '100 of 2,000 servers are failed, for longer than is known (it ends after a day)',
    at: 0,
    minutes: 26 * hour,
    step: 10,
    of: north(servers({ running: 1900, failed: (minute) => (minute < 30 ? 100 : 104) })),
    tells: ['11m on-call: CloudServersFailed'],
    lasts: [],
  },
  {
    happens: 'A third of the servers is gone within an hour',
    at: 120,
    minutes: 120 + 23 * hour,
    step: 10,
    of: north(servers({ running: turn(900, 120, 600) })),
    tells: ['11m on-call: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  {
    happens: 'A third of the servers goes to the recycle bin',
    at: day,
    minutes: day + 12 * hour,
    step: 10,
    of: north(servers({ running: turn(900, day, 600), pending_deletion: turn(undefined, day, 300) })),
    tells: ['11m on-call: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  {
    happens: 'A quarter of the servers is gone within an hour',
    at: 120,
    minutes: day,
    step: 10,
    of: north(servers({ running: turn(900, 120, 675) })),
    tells: ['11m team: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  {
    happens: '15 % of the servers are gone, each hour for five hours',
    at: day,
    minutes: day + 12 * hour,
    step: 10,
    of: north(
      servers({
        running: (minute) => 1000 * 0.85 ** Math.min(5, Math.max(0, Math.ceil((minute - day + 1) / hour))),
      }),
    ),
    tells: ['71m team: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  {
    happens: 'A cloud shrinks slowly by a third each night (told in the first, of which no other is known)',
    at: 0,
    minutes: day + 12 * hour,
    step: 10,
    of: north(servers({ running: (minute) => 1000 - Math.abs(((minute % day) / day) * 2 - 1) * 330 })),
    tells: ['1171m team: CloudServersLost'],
  },
  {
    happens: '19 servers become none',
    at: 120,
    minutes: day,
    step: 10,
    of: north(servers({ running: turn(19, 120, undefined) })),
    tells: ['11m on-call: CloudServersLost'],
    lasts: ['CloudServersLost'],
  },
  {
    happens: 'Half of the servers are gone when a cloud comes back after three hours',
    at: 300,
    minutes: 400,
    step: 10,
    of: (name) =>
      Object.fromEntries(
        Object.entries(cloud(name, servers({ running: turn(100, 200, 50) }))).map(([key, course]) => [
          key,
          (minute: number) => {
            if (minute < 120 || minute >= 300) return valueAt(course, minute);
            return key.startsWith('cloud_up') ? 0 : key.startsWith('cloud_last') ? 7260 : undefined;
          },
        ]),
      ),
    tells: ['-169m team: CloudDown', '-159m on-call: CloudDown', '11m on-call: CloudServersLost'],
  },
  {
    happens: 'Half of the running servers are stopped',
    at: 120,
    minutes: 180,
    step: 5,
    of: north(servers({ running: turn(40, 120, 20), stopped: turn(undefined, 120, 20) })),
    tells: ['11m team: CloudServersStopped'],
  },
  {
    happens: 'Prepaid servers end within a week',
    minutes: 180,
    step: 5,
    of: north(
      Object.fromEntries(
        ['7d', '30d'].map((within) => [
          `cloud_servers_expiring{${place}, project_domain="d", project="p", billing_type="prepaid", within="${within}"}`,
          turn(undefined, 30, 3),
        ]),
      ),
    ),
    tells: ['61m team: CloudServersExpiring'],
  },

  // Hosts and zones
  {
    happens: 'A host goes down with its servers',
    of: north({
      ...host('h1', {
        up: turn(1, 30, 0),
        servers: { running: turn(6, 30, undefined), unknown: turn(undefined, 30, 6) },
      }),
      [problem('unknown')]: turn(undefined, 30, 1),
      [problem('host_down')]: turn(undefined, 30, 1),
    }),
    tells: ['11m on-call: CloudHostDown'],
  },
  {
    happens: 'A host goes down, and the platform calls its servers failed',
    of: north(
      host('h1', {
        up: turn(1, 30, 0),
        servers: { running: turn(6, 30, undefined), failed: turn(undefined, 30, 6) },
      }),
    ),
    tells: ['11m on-call: CloudHostDown'],
  },
  {
    happens: 'A host that is disabled, or in maintenance, goes down with its servers',
    minutes: 120,
    step: 5,
    of: north({
      ...host('h1', {
        up: turn(1, 30, 0),
        enabled: turn(1, 20, 0),
        servers: { running: turn(6, 30, undefined), unknown: turn(undefined, 30, 6) },
      }),
      ...host('h2', {
        up: turn(1, 30, 0),
        maintenance: turn(0, 20, 1),
        servers: { running: turn(6, 30, undefined), unknown: turn(undefined, 30, 6) },
      }),
      [problem('unknown')]: turn(undefined, 30, 1),
      [problem('host_down')]: turn(undefined, 30, 1),
    }),
    tells: [],
  },
  {
    happens: 'A host with stopped servers only goes down',
    minutes: 120,
    step: 5,
    of: north(host('h1', { up: turn(1, 30, 0), servers: { stopped: 6, pending_deletion: 2 } })),
    tells: ['31m team: CloudHostDown'],
  },
  {
    happens: 'Bare metal is offline to the platform, as it always is',
    at: 0,
    of: north({
      [`cloud_host_up{${hostOf('b1').replace('kvm', 'baremetal')}}`]: 1,
      [`cloud_host_servers{${hostOf('b1').replace('kvm', 'baremetal')}, state="running"}`]: 1,
      [`cloud_host_schedulable{${hostOf('b1').replace('kvm', 'baremetal')}}`]: 0,
    }),
    tells: [],
  },
  {
    happens: 'A host goes down and up every four minutes',
    of: north(host('h1', { up: (minute) => (minute >= 30 && minute % 8 < 4 ? 0 : 1) })),
    tells: ['16m team: CloudHostFlapping'],
  },
  {
    happens: 'Most servers of a host do not run, though it answers',
    of: north(host('h1', { servers: { running: turn(6, 30, 1), unknown: turn(undefined, 30, 5) } })),
    tells: ['11m on-call: CloudHostNotRunning'],
  },
  {
    happens: 'A zone loses its power',
    of: north({
      ...servers({ running: turn(40, 30, 20), unknown: turn(undefined, 30, 30) }),
      ...Object.assign(
        {},
        ...['h1', 'h2', 'h3'].map((name) =>
          host(name, {
            up: turn(1, 30, 0),
            servers: { running: turn(10, 30, undefined), unknown: turn(undefined, 30, 10) },
          }),
        ),
      ),
    }),
    tells: ['11m on-call: CloudZoneNotRunning'],
  },

  // Room
  {
    happens: 'A zone has less than a tenth of its vCPUs left',
    minutes: 120,
    step: 5,
    of: north({ ...room('h1', 100, turn(50, 30, 95)), ...room('h2', 100, 0, 0) }),
    tells: ['31m team: CloudZoneNearlyFull'],
  },
  {
    happens: 'The last GPU of a model is taken',
    minutes: 180,
    step: 5,
    of: north({
      [`cloud_host_devices{${hostOf('h1')}, dev_type="GPU-HPC", model="A100"}`]: 4,
      [`cloud_host_devices_free{${hostOf('h1')}, dev_type="GPU-HPC", model="A100"}`]: turn(1, 30, 0),
    }),
    tells: ['90m digest: CloudZoneNearlyFull'],
  },
  {
    happens: 'The servers of the largest host in use would not fit elsewhere',
    minutes: 180,
    step: 5,
    of: north({ ...room('h1', 100, turn(20, 30, 70)), ...room('h2', 100, 50) }),
    tells: ['61m team: CloudZoneFullWithoutHost'],
  },
  {
    happens: 'A zone gets full, day after day',
    at: 0,
    minutes: 16 * day,
    step: 180,
    of: north(room('h1', 1000, (minute) => 100 + (minute / day) * 40)),
    tells: ['19140m digest: CloudZoneFullSoon'],
  },
  {
    happens: 'One large project takes half of a zone at once',
    at: 0,
    minutes: 16 * day,
    step: 180,
    of: north(room('h1', 1000, turn(100, 10 * day, 600))),
    tells: [],
  },
  {
    happens: 'A storage is nearly full of what is really written',
    minutes: 120,
    step: 5,
    of: north({
      [`cloud_storage_used_bytes{${place}, storage="s", storage_type="rbd", medium_type="ssd"}`]: turn(
        50,
        30,
        95,
      ),
      [`cloud_storage_capacity_bytes{${place}, storage="s", storage_type="rbd", medium_type="ssd"}`]: 100,
    }),
    tells: ['31m team: CloudStorageFilling'],
  },
];

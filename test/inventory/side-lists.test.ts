import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { HostRecord } from '../../src/simulator/fleet/host.ts';
import { hostsOf } from '../simulator/room.ts';
import type { Fault } from '../simulator/faults.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { expectHostTruth, expectRoomTruth } from '../support/host-truth.ts';
import { createEagerClock, createShortPauses, type ManualClock } from '../support/manual-clock.ts';
import { minute } from './changing-cloud.ts';

/** Pauses between two attempts end at once; not how long servers wait for the other lists. */
const createPausesOnly = () => createEagerClock((ms) => ms < 2000);

async function setUp<OwnClock extends Clock = ManualClock>(settings: object = {}, given?: OwnClock) {
  const clock = given ?? (createShortPauses() as Clock as OwnClock);
  const exported = await exportCloud({ servers: 150, clock, settings });
  const { fleet, expectTrue } = exported;
  /** Every sum of servers, and every number of hosts, storages and devices. */
  async function expectRoom(): Promise<Parsed> {
    const parsed = await expectTrue();
    expectHostTruth(parsed, fleet);
    expectRoomTruth(parsed, fleet);
    return parsed;
  }
  return { ...exported, expectRoom };
}

const bounds = [{}, { cpu_cmtbound: 1, mem_cmtbound: 1 }, { cpu_cmtbound: 4, mem_cmtbound: 4 }];
const reserved = [
  {},
  { cpu_reserved: 3, mem_reserved: 5000, page_size_kb: 2048 },
  { cpu_reserved: 3, mem_reserved: 5000 },
];
const states: readonly Partial<HostRecord>[] = [
  {},
  { enabled: false },
  { host_status: 'offline', status: 'unknown' },
  { status: 'start_maintain' },
  { status: 'maintain_fail', is_maintenance: true },
  { status: 'ready' },
];
/** Overcommit set, to 0 and not at all: those that are not set keep what their kind has, which is 0 or another number. */
const kindsOfHosts = states.flatMap((state) =>
  [...bounds, { cpu_cmtbound: 0, mem_cmtbound: 0 }].flatMap((bound) =>
    reserved.map((part) => ({ ...state, ...bound, ...part })),
  ),
);
/** Of each state, and those by which the scheduler goes. */
const statuses = [
  'running ready starting stop_fail block_stream unknown schedule network disk deploying suspend sched_fail',
  'disk_fail start_fail snapshot_failed migrating container_exited crash_loop_back_off stopping_container',
  'a_new_word',
].flatMap((words) => words.split(' '));

describe('the room of hosts, storages and devices', () => {
  it('is what the scheduler of the platform says, for each kind of host and whatever servers do on it', async () => {
    const { cloud, fleet, expectRoom, scrape } = await setUp({ room_max_age: 0 });
    const first = await expectRoom();
    const listed = [...Object.keys(families), 'zones', 'cloudregions'];
    for (const resource of listed) expect(first.value('cloud_list_up', { resource }), resource).toBe(1);
    const [asked, ...others] = cloud.journal.of('hosts').map(({ query }) => query);
    expect([asked, others]).toMatchObject([{ details: 'false', scope: 'system' }, []]);
    expect(asked).not.toHaveProperty('pending_delete');
    for (const host_type of ['hypervisor', 'esxi', 'baremetal']) {
      const like = fleet.hosts.find((host) => host.host_type === host_type)!.id;
      for (const kind of kindsOfHosts) fleet.addHost(kind, like);
    }
    const hosts = hostsOf(fleet);
    expect(new Set(hosts.map(({ hypervisor }) => hypervisor)).size).toBeGreaterThan(2);
    for (const turn of [1, 2, 3]) {
      for (const [index, { id }] of fleet.servers.entries()) {
        fleet.moveServer(id, hosts[(index * 7 + turn * 50) % hosts.length]!.id);
        const status = statuses[(index + turn) % statuses.length]!;
        fleet.change(id, { status, pending_deleted: (index + turn) % 9 === 0 });
      }
      // A storage that has nothing any more is believed the second time.
      await scrape();
      await expectRoom();
    }
  });

  it('follows hosts, zones and regions that come, go, move, fall silent and have other names', async () => {
    const { clock, fleet, expectRoom, scrape } = await setUp({});
    await expectRoom();
    const own = fleet.hosts.filter(({ host_type }) => host_type === 'hypervisor');
    const [zone] = fleet.tables.zones.rows;
    const steps: readonly (() => unknown)[] = [
      () => fleet.addHost({ cpu_count: 96, cpu_reserved: 4, mem_reserved: 1024 }, own[0]!.id),
      () => fleet.enableHost(own[1]!.id, false),
      () => fleet.silenceHost(own[2]!.id),
      () => fleet.changeHost(own[3]!.id, { name: 'renamed "host"', cpu_cmtbound: 4.5, mem_size: 524_288 }),
      () => fleet.removeHost(own[4]!.id),
      () => fleet.moveServer(fleet.servers.find(({ host_id }) => host_id !== '')!.id, own[0]!.id),
      () => fleet.silenceHost(own[2]!.id, false),
      () => fleet.rename('zones', zone!.id, 'another-zone'),
      () => fleet.rename('cloudregions', zone!.cloudregion_id, 'another-region'),
      () => fleet.live(clock.now()),
    ];
    for (const step of steps) {
      step();
      await clock.advance(60 * minute);
      await scrape();
      await expectRoom();
    }
  });

  it('is worked out with the ratios that an installation has', async () => {
    const { fleet, scrape } = await setUp({ overcommit: { cpu: 4, memory: 2, storage: 3 } });
    const parsed = await scrape();
    for (const { name: host, host_type, is_emulated, ...bound } of fleet.hosts) {
      if (host_type === 'baremetal' || is_emulated) continue;
      expect(parsed.value('cloud_host_cpu_overcommit', { host }), host).toBe(bound.cpu_cmtbound || 4);
      const memory = bound.page_size_kb > 4 ? 1 : bound.mem_cmtbound || 2;
      expect(parsed.value('cloud_host_memory_overcommit', { host }), host).toBe(memory);
    }
  });
});

const families = {
  hosts: 'cloud_host_cpus',
  storages: 'cloud_storage_capacity_bytes',
  isolated_devices: 'cloud_host_devices',
  networks: 'cloud_network_addresses',
  cloudproviderregions: 'cloud_sync_enabled',
} as const;

const faults: readonly [string, Fault][] = [
  ['is refused', { kind: 'status', code: 403 }],
  ['does not exist', { kind: 'status', code: 404 }],
  ['breaks', { kind: 'status', code: 500 }],
  ['is something else', { kind: 'json', json: { other: [] } }],
];

/** A scrape while a list hangs. */
async function hangs(clock: ManualClock, scrape: () => Promise<Parsed>): Promise<Parsed> {
  const before = clock.waits.length;
  const scraped = scrape();
  while (!clock.waits.slice(before).includes(5000)) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(5000);
  return scraped;
}

describe.each(Object.entries(families))('a list of %s', (resource, family) => {
  const operation = resource as keyof typeof families;

  it.each(faults)('that %s touches nothing else, and is there again after it', async (_words, fault) => {
    const { cloud, exporter, expectTrue, expectRoom } = await setUp({}, createPausesOnly());
    const broken = cloud.faults.set({ operation, fault });
    const parsed = await expectTrue();
    for (const [other, name] of Object.entries(families)) {
      expect(parsed.value('cloud_list_up', { resource: other }), other).toBe(Number(other !== resource));
      expect(parsed.of(name).length > 0, name).toBe(other !== resource);
    }
    broken.clear();
    await exporter.reload();
    await expectRoom();
  });

  it.each<[string, Fault]>([
    ['is cut short is read on behind its last record', { kind: 'short', rows: 3 }],
    [
      'does not tell places has them from the lists of these, or as they were',
      { kind: 'halfTold', missing: 'place' },
    ],
  ])('that %s', async (_words, fault) => {
    const { cloud, expectRoom } = await setUp({ room_max_age: 0 });
    // In the list of zones is no network that is in none, and no subscription.
    if (['networks', 'cloudproviderregions'].includes(resource)) await expectRoom();
    const incomplete = cloud.faults.set({ operation, fault });
    await expectRoom();
    expect(incomplete.hits).toBeGreaterThan(0);
  });

  it('that hangs holds the servers up for five seconds at most; that fails for long is told no more', async () => {
    const { clock, cloud, expectRoom, scrape } = await setUp({ room_max_age: '1m' });
    await expectRoom();
    const hanging = cloud.faults.set({ operation, fault: { kind: 'hang' } });
    await clock.advance(minute);
    expect((await hangs(clock, expectRoom)).value('cloud_list_up', { resource })).toBe(0);
    hanging.clear();
    cloud.faults.set({ operation, fault: { kind: 'status', code: 403 } });
    await clock.advance(3 * minute);
    expect((await scrape()).of(family)).not.toEqual([]);
    await clock.advance(4 * minute);
    const parsed = await scrape();
    expect([parsed.of(family), parsed.value('cloud_up')]).toEqual([[], 1]);
    cloud.faults.clear();
    await clock.advance(60 * minute);
    await expectRoom();
  });
});

/** The lines of that level that have the words. */
function lines(log: string, words: string, level: string): object[] {
  const found = log.split('\n').filter((line) => line.includes(words));
  return found.map((line) => JSON.parse(line) as { level: string }).filter((line) => line.level === level);
}

describe('a list of hosts', () => {
  const cannot = 'hosts cannot be listed';

  it.each([
    [403, 'forbidden'],
    [404, 'rejected'],
  ])(
    'that is refused (%i) costs one request an hour and no login, and is said once',
    async (code, reason) => {
      const { clock, cloud, exporter, scrape } = await setUp();
      cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code } });
      const asked: number[] = [];
      for (const minutes of [0, 0, 59, 2]) {
        await clock.advance(minutes * minute);
        expect((await scrape()).value('cloud_up')).toBe(1);
        asked.push(cloud.journal.count('hosts'));
      }
      expect([asked, cloud.journal.count('login')]).toEqual([[1, 1, 1, 2], 1]);
      expect(lines(exporter.logged(), cannot, 'info')).toMatchObject([
        { cloud: 'one', reason, operation: 'list_hosts', msg: `${cannot}; list_hosts: false ends this` },
      ]);
      await exporter.reload();
      for (let scrapes = 0; scrapes < 2; scrapes += 1) await scrape();
      expect(cloud.journal.count('hosts'), 'once more after a reload').toBe(3);
    },
  );

  it('that is short of what was announced is none, and asked for less and less often', async () => {
    const { clock, cloud, exporter, scrape } = await setUp({});
    cloud.quirks.hostTotal = (real) => real + 1;
    const collected: number[] = [];
    for (const seconds of [0, 0, 0, 61, 61, 61, 61]) {
      await clock.advance(seconds * 1000);
      cloud.journal.clear();
      const parsed = await scrape();
      expect([parsed.value('cloud_up'), parsed.of('cloud_host_cpus')]).toEqual([1, []]);
      collected.push(Math.min(1, cloud.journal.count('hosts')));
    }
    expect(collected).toEqual([1, 1, 0, 1, 0, 1, 0]);
    expect(lines(exporter.logged(), cannot, 'warn')).toMatchObject([{ reason: 'truncated' }]);
  });

  it('that hangs once is one failure: the next scrape asks for it again', async () => {
    const { clock, cloud, scrape } = await setUp();
    cloud.faults.set({ operation: 'hosts', times: 1, fault: { kind: 'hang' } });
    const isListed = (parsed: Parsed) => parsed.value('cloud_list_up', { resource: 'hosts' });
    expect(isListed(await hangs(clock, scrape))).toBe(0);
    expect([isListed(await scrape()), cloud.journal.count('hosts')]).toEqual([1, 2]);
  });

  it('that fails by chance is there again with the next scrape, and both are said', async () => {
    const { cloud, exporter, expectRoom, scrape } = await setUp({}, createPausesOnly());
    const broken = cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 500 } });
    expect((await scrape()).value('cloud_list_up', { resource: 'hosts' })).toBe(0);
    broken.clear();
    await expectRoom();
    expect(lines(exporter.logged(), cannot, 'warn')).toMatchObject([{ reason: 'upstream' }]);
    expect(lines(exporter.logged(), 'hosts can be listed again', 'info')).toHaveLength(1);
  });

  it('refused while the token is replaced is asked for again at once', async () => {
    const { cloud, expectRoom, scrape } = await setUp({ page_size: 20, concurrency: 1 });
    cloud.hooks.beforePage = ({ offset }) => {
      if (offset > 0 && cloud.issuedTokens === 1) cloud.revokeTokens();
    };
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 403 }, times: 1 });
    await scrape();
    expect([cloud.journal.count('hosts'), cloud.issuedTokens]).toEqual([1, 2]);
    await expectRoom();
  });

  it('is read to the end of the servers only: if these fail, nobody waits for hosts', async () => {
    const { cloud, expectRoom, scrape } = await setUp({ page_size: 40 }, createPausesOnly());
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'hang' }, times: 1 });
    const broken = cloud.faults.set({ operation: 'list', page: 2, fault: { kind: 'status', code: 400 } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    broken.clear();
    await expectRoom();
  });
});

it.each([
  ['hosts', { list_hosts: false }],
  ['storages', { list_storages: false }],
  ['isolated_devices', { list_isolated_devices: false }],
  ['networks', { list_networks: false }],
  ['cloudproviderregions', { list_syncs: false }],
  ['hosts', { per_host: false }],
  ['hosts', { query: { scope: 'project', pending_delete: 'all' } }],
] as const)('a list of %s is not asked for with %j', async (resource, settings) => {
  const { cloud, exporter, scrape } = await setUp(settings);
  const parsed = await scrape();
  expect([parsed.value('cloud_up'), cloud.journal.count(resource)]).toEqual([1, 0]);
  expect([parsed.value('cloud_list_up', { resource }), parsed.of(families[resource])]).toEqual([
    undefined,
    [],
  ]);
  expect(exporter.logged()).not.toContain('cannot be listed');
});

it('storages and devices are read again when room_max_age is over, and hosts each time', async () => {
  const { clock, cloud, scrape } = await setUp({ room_max_age: '10m' });
  for (let scrapes = 0; scrapes <= 10; scrapes += 1) {
    await scrape();
    await clock.advance(minute);
  }
  const counts = (['storages', 'isolated_devices', 'hosts'] as const).map((one) => cloud.journal.count(one));
  expect(counts).toEqual([2, 2, 11]);
});

it.each([
  ['storages', 'usage', 2],
  ['networks', 'place', 1],
] as const)('a first list of %s without %s is asked for %i times', async (operation, missing, times) => {
  const { cloud, scrape } = await setUp();
  cloud.faults.set({ operation, fault: { kind: 'halfTold', missing } });
  await scrape();
  expect(cloud.journal.count(operation)).toBe(times);
});

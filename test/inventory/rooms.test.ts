import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import {
  devicesOf,
  hostsOf,
  loadsOf,
  storagesOf,
  type HostLoadRow,
  type HostTruth,
} from '../simulator/room.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { createEagerClock, createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { createShortPauses } from './changing-cloud.ts';

const mebibyte = 1024 ** 2;
type Labels = Readonly<Record<string, string>>;

/** What is exported under these labels, against what it has to be: every series, and nothing besides. */
function expectSeries(
  parsed: Parsed,
  name: string,
  labels: readonly string[],
  expected: readonly (readonly [object, number | undefined])[],
): void {
  const key = (values: object) => JSON.stringify(labels.map((label) => (values as Labels)[label] ?? ''));
  const known = expected.filter((pair): pair is [object, number] => pair[1] !== undefined);
  expect(added(parsed.of(name).map(({ labels: found, value }) => [key(found), value])), name).toEqual(
    added(known.map(([row, value]) => [key(row), value])),
  );
}

function added(pairs: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [name, value] of pairs) sums.set(name, (sums.get(name) ?? 0) + value);
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** A host is one series, with the word for its kind. */
const ofHost = ['region', 'zone', 'host', 'hypervisor'];

const facts: Readonly<Record<string, (row: HostTruth) => number | undefined>> = {
  cloud_host_up: ({ up }) => Number(up),
  cloud_host_enabled: ({ enabled }) => Number(enabled),
  cloud_host_maintenance: ({ maintenance }) => Number(maintenance),
  cloud_host_schedulable: ({ schedulable }) => Number(schedulable),
  cloud_host_cpus: ({ cpus }) => cpus,
  cloud_host_memory_capacity_bytes: ({ memory }) => memory * mebibyte,
  cloud_host_storage_capacity_bytes: ({ storage }) => storage * mebibyte,
  cloud_host_cpu_overcommit: ({ promises }) => promises?.cpuOvercommit,
  cloud_host_memory_overcommit: ({ promises }) => promises?.memoryOvercommit,
  cloud_host_vcpus_allocatable: ({ promises }) => promises?.vcpusAllocatable,
  cloud_host_memory_allocatable_bytes: ({ promises }) => promises && promises.memoryAllocatable * mebibyte,
};

function expectRoom(parsed: Parsed, fleet: Fleet): void {
  const hosts = hostsOf(fleet);
  for (const [name, of] of Object.entries(facts))
    expectSeries(
      parsed,
      name,
      ofHost,
      hosts.map((row) => [row, of(row)]),
    );
  const virtual = (row: Labels) => row['hypervisor'] !== 'baremetal';
  for (const [name, of] of [
    ['cloud_host_vcpus_allocated', (row: HostTruth) => row.promises!.vcpusAllocated],
    ['cloud_host_memory_allocated_bytes', (row: HostTruth) => row.promises!.memoryAllocated * mebibyte],
  ] as const) {
    const found = { of: (family: string) => parsed.of(family).filter(({ labels }) => virtual(labels)) };
    expectSeries(
      found as unknown as Parsed,
      name,
      ofHost,
      hosts.filter(({ promises }) => promises).map((row) => [row, of(row)]),
    );
  }
  const real = new Set(hosts.map(({ host }) => host));
  const loads = loadsOf(fleet).filter(({ host }) => real.has(host));
  for (const [name, of] of [
    ['cloud_host_servers', (row: HostLoadRow) => row.servers],
    ['cloud_host_servers_vcpus', (row: HostLoadRow) => row.vcpus],
    ['cloud_host_servers_memory_bytes', (row: HostLoadRow) => row.memory * mebibyte],
  ] as const)
    expectSeries(
      parsed,
      name,
      ['region', 'zone', 'host'],
      loads.map((row) => [row, of(row)]),
    );
  const storages = storagesOf(fleet);
  const ofStorage = ['region', 'zone', 'storage', 'storage_type', 'medium_type'];
  for (const [name, of] of [
    ['cloud_storage_up', ({ up }) => Number(up)],
    ['cloud_storage_capacity_bytes', ({ capacity }) => capacity * mebibyte],
    ['cloud_storage_allocatable_bytes', ({ allocatable }) => allocatable * mebibyte],
    ['cloud_storage_allocated_bytes', ({ allocated }) => allocated * mebibyte],
    ['cloud_storage_used_bytes', ({ used }) => used && used * mebibyte],
  ] as const satisfies [string, (row: (typeof storages)[number]) => number | undefined][])
    expectSeries(
      parsed,
      name,
      ofStorage,
      storages.map((row) => [row, of(row)]),
    );
}

async function setUp(more: object = {}, servers = 400, clock = createManualClock()) {
  return { clock, ...(await setUpWith(clock, more, servers)) };
}

async function setUpWith(clock: Clock, more: object = {}, servers = 400) {
  const cloud = await simulate({ servers });
  const exporter = await runExporter({ one: settingsFor(cloud, more) }, { clock });
  const scrape = async () => parseExposition(await exporter.text('/metrics'));
  return { cloud, exporter, scrape };
}

describe('the room of hosts, storages and devices', () => {
  it('is what the scheduler of the platform says, for hosts of every kind', async () => {
    const { cloud, scrape } = await setUp();
    const parsed = await scrape();
    expectRoom(parsed, cloud.fleet);
    const kvm = ({ labels }: { labels: Labels }) => labels['hypervisor'] === 'kvm';
    const onKvm = { of: (name: string) => parsed.of(name).filter(kvm) } as unknown as Parsed;
    const devices = devicesOf(cloud.fleet);
    const ofDevice = ['region', 'zone', 'host', 'dev_type', 'model'];
    expectSeries(
      onKvm,
      'cloud_host_devices',
      ofDevice,
      devices.map((row) => [row, row.count]),
    );
    expectSeries(
      onKvm,
      'cloud_host_devices_free',
      ofDevice,
      devices.map((row) => [row, row.free]),
    );
    for (const resource of ['hosts', 'storages', 'isolated_devices', 'zones', 'cloudregions'])
      expect(parsed.value('cloud_list_up', { resource }), resource).toBe(1);
  });

  it('is told under the names that hosts, zones and regions have now', async () => {
    const { clock, cloud, scrape } = await setUp();
    await scrape();
    const [zone] = cloud.fleet.tables.zones.rows;
    cloud.fleet.changeHost(hostsOf(cloud.fleet)[0]!.id, { name: 'another-host' });
    cloud.fleet.rename('zones', zone!.id, 'another-zone');
    cloud.fleet.rename('cloudregions', zone!.cloudregion_id, 'another-region');
    await clock.advance(3_600_000);
    expectRoom(await scrape(), cloud.fleet);
  });

  it('follows hosts that are disabled, silent, in maintenance, gone and new', async () => {
    const { clock, cloud, scrape } = await setUp();
    await scrape();
    const [one, two, three, four] = hostsOf(cloud.fleet).map(({ id }) => id);
    cloud.fleet.enableHost(one!, false);
    cloud.fleet.silenceHost(two!);
    cloud.fleet.changeHost(three!, {
      status: 'maintaining',
      cpu_cmtbound: 0,
      mem_cmtbound: 2.5,
      page_size_kb: 2048,
    });
    cloud.fleet.removeHost(four!);
    cloud.fleet.addHost({ name: 'new-host', cpu_reserved: 7, mem_reserved: 1024, cpu_cmtbound: 1 });
    await clock.advance(300_000);
    expectRoom(await scrape(), cloud.fleet);
  });

  it('is worked out with the ratios that an installation has', async () => {
    const { cloud, scrape } = await setUp({ overcommit: { cpu: 4, memory: 2, storage: 3 } });
    const parsed = await scrape();
    for (const { host, hypervisor } of hostsOf(cloud.fleet)) {
      const record = cloud.fleet.hosts.find(({ name }) => name === host)!;
      if (hypervisor === 'baremetal' || record.is_emulated) continue;
      expect(parsed.value('cloud_host_cpu_overcommit', { host }), host).toBe(record.cpu_cmtbound || 4);
      const memory = record.page_size_kb > 4 ? 1 : record.mem_cmtbound || 2;
      expect(parsed.value('cloud_host_memory_overcommit', { host }), host).toBe(memory);
    }
  });
});

const families = {
  hosts: 'cloud_host_cpus',
  storages: 'cloud_storage_capacity_bytes',
  isolated_devices: 'cloud_host_devices',
} as const;

describe.each(Object.entries(families))('a list of %s', (resource, family) => {
  const operation = resource as keyof typeof families;

  it.each([
    ['is refused', { kind: 'status', code: 403 }],
    ['does not exist', { kind: 'status', code: 404 }],
    ['breaks', { kind: 'status', code: 500 }],
    ['is something else', { kind: 'json', json: { other: [] } }],
  ] as const)('that %s touches nothing else', async (_words, fault) => {
    const isPause = (ms: number) => ms < 2000;
    const { cloud, scrape } = await setUpWith(createEagerClock(isPause));
    cloud.faults.set({ operation, fault });
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(1);
    expect(parsed.sum('cloud_servers')).toBe(cloud.fleet.servers.length);
    for (const [other, name] of Object.entries(families)) {
      expect(parsed.value('cloud_list_up', { resource: other }), other).toBe(Number(other !== resource));
      expect(parsed.of(name).length > 0, name).toBe(other !== resource);
    }
  });

  it('that is cut short is read on behind its last record', async () => {
    const { cloud, scrape } = await setUp();
    cloud.faults.set({ operation, fault: { kind: 'short', rows: 7 } });
    expectRoom(await scrape(), cloud.fleet);
  });

  it('that hangs holds the servers up for five seconds at most, and the last good one serves meanwhile', async () => {
    const { clock, cloud, scrape } = await setUp({ room_max_age: '1m' });
    await scrape();
    cloud.faults.set({ operation, fault: { kind: 'hang' } });
    await clock.advance(60_000);
    const before = clock.waits.length;
    const scraped = scrape();
    while (!clock.waits.slice(before).includes(5000)) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(5000);
    const parsed = await scraped;
    expect(parsed.value('cloud_up')).toBe(1);
    expect(parsed.value('cloud_list_up', { resource })).toBe(0);
    expectRoom(parsed, cloud.fleet);
  });

  it('that fails for long is not told any more, and comes back', async () => {
    const { clock, cloud, scrape } = await setUp();
    await scrape();
    const broken = cloud.faults.set({ operation, fault: { kind: 'status', code: 403 } });
    await clock.advance(300_000);
    expect((await scrape()).of(family)).not.toEqual([]);
    await clock.advance(301_000);
    const parsed = await scrape();
    expect(parsed.of(family)).toEqual([]);
    expect(parsed.value('cloud_up')).toBe(1);
    broken.clear();
    await clock.advance(3_600_000);
    expectRoom(await scrape(), cloud.fleet);
  });

  it('is not asked for where it is switched off', async () => {
    const { cloud, scrape } = await setUp({ [`list_${resource}`]: false });
    const parsed = await scrape();
    expect(cloud.journal.of(operation)).toEqual([]);
    expect(parsed.value('cloud_list_up', { resource })).toBeUndefined();
    expect(parsed.of(family)).toEqual([]);
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
    ['forbidden', 403],
    ['rejected', 404],
  ] as const)(
    'that is refused (%s) costs one request an hour and no login, and is said once',
    async (reason, code) => {
      const { clock, cloud, exporter, scrape } = await setUp();
      cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code } });
      for (let scrapes = 0; scrapes < 3; scrapes += 1) expect((await scrape()).value('cloud_up')).toBe(1);
      expect([cloud.journal.count('hosts'), cloud.journal.count('login')]).toEqual([1, 1]);
      expect(lines(exporter.logged(), cannot, 'info')).toMatchObject([
        { cloud: 'one', reason, operation: 'list_hosts', msg: `${cannot}; list_hosts: false ends this` },
      ]);
      await clock.advance(3_540_000);
      await scrape();
      expect(cloud.journal.count('hosts')).toBe(1);
      await clock.advance(120_000);
      await scrape();
      expect(cloud.journal.count('hosts')).toBe(2);
      expect(cloud.journal.count('login')).toBe(1);
      expect(lines(exporter.logged(), cannot, 'info')).toHaveLength(1);
    },
  );

  it('that the platform does not have is asked for again after a reload', async () => {
    const { cloud, exporter, scrape } = await setUp();
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 404 } });
    for (let scrapes = 0; scrapes < 3; scrapes += 1) await scrape();
    expect(cloud.journal.count('hosts')).toBe(1);
    await exporter.reload();
    for (let scrapes = 0; scrapes < 3; scrapes += 1) await scrape();
    expect(cloud.journal.count('hosts')).toBe(2);
  });

  it('that is cut off each time is asked for with the next scrape, and then less and less often', async () => {
    const { clock, cloud, exporter, scrape } = await setUp({}, 400, createShortPauses());
    cloud.quirks.hostTotal = (real) => real + 1;
    const collected: number[] = [];
    for (const seconds of [0, 0, 0, 61, 61, 61, 61]) {
      await clock.advance(seconds * 1000);
      cloud.journal.clear();
      await scrape();
      collected.push(Math.min(1, cloud.journal.count('hosts')));
    }
    expect(collected).toEqual([1, 1, 0, 1, 0, 1, 0]);
    expect(lines(exporter.logged(), cannot, 'warn')).toHaveLength(1);
  });

  it('that fails by chance is there again with the next scrape, and both are said', async () => {
    const { cloud, exporter, scrape } = await setUpWith(createEagerClock(isPause));
    const broken = cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 500 } });
    expect((await scrape()).value('cloud_list_up', { resource: 'hosts' })).toBe(0);
    broken.clear();
    expectRoom(await scrape(), cloud.fleet);
    expect(lines(exporter.logged(), cannot, 'warn')).toMatchObject([{ reason: 'upstream' }]);
    expect(lines(exporter.logged(), 'hosts can be listed again', 'info')).toHaveLength(1);
  });

  it('that is short of what was announced is no list', async () => {
    const { cloud, exporter, scrape } = await setUpWith(createEagerClock(isPause));
    cloud.quirks.hostTotal = (real) => real + 1;
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(1);
    expect(parsed.value('cloud_list_up', { resource: 'hosts' })).toBe(0);
    expect(parsed.of('cloud_host_cpus')).toEqual([]);
    expect(lines(exporter.logged(), cannot, 'warn')).toMatchObject([{ reason: 'truncated' }]);
  });

  it.each([
    ['for a moment is read once more, and not believed', 1],
    ['for good is believed the second time', Infinity],
  ])('that loses most of the hosts %s', async (_words, times) => {
    const { cloud, scrape } = await setUpWith(createEagerClock(isPause));
    const before = (await scrape()).of('cloud_host_cpus').length;
    expect(before).toBeGreaterThan(14);
    const lost = { kind: 'json', json: { hosts: [], total: 0 } } as const;
    const fault = cloud.faults.set({ operation: 'hosts', times, fault: lost });
    const parsed = await scrape();
    expect(fault.hits).toBe(Math.min(times, 2));
    expect(parsed.of('cloud_host_cpus').length).toBe(times === 1 ? before : 0);
    expect(parsed.value('cloud_list_suspect_pages_total', { reason: 'loss' })).toBe(1);
  });

  it('refused while the token is replaced is asked for again at once', async () => {
    const { cloud, scrape } = await setUp({ page_size: 20, concurrency: 1 });
    cloud.hooks.beforePage = ({ offset }) => {
      if (offset > 0 && cloud.issuedTokens === 1) cloud.revokeTokens();
    };
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 403 }, times: 1 });
    await scrape();
    expect([cloud.journal.count('hosts'), cloud.issuedTokens]).toEqual([1, 2]);
    expectRoom(await scrape(), cloud.fleet);
  });

  it('is read to the end of the servers only: if these fail, nobody waits for hosts', async () => {
    const { cloud, scrape } = await setUpWith(createEagerClock(isPause), { page_size: 40 });
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'hang' }, times: 1 });
    const broken = cloud.faults.set({ operation: 'list', page: 2, fault: { kind: 'status', code: 400 } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    broken.clear();
    expectRoom(await scrape(), cloud.fleet);
  });

  it.each([
    { list_hosts: false },
    { per_host: false },
    { query: { scope: 'project', pending_delete: 'all' } },
  ])('is not asked for with %j', async (settings) => {
    const { cloud, exporter, scrape } = await setUp(settings);
    expect((await scrape()).value('cloud_up')).toBe(1);
    expect(cloud.journal.count('hosts')).toBe(0);
    expect(exporter.logged()).not.toContain(cannot);
  });
});

/** What is waited for between two attempts; not how long servers wait for hosts. */
const isPause = (ms: number) => ms < 2000;

describe('storages and devices', () => {
  it('are read again when room_max_age is over, and hosts each time', async () => {
    const { clock, cloud, scrape } = await setUp({ room_max_age: '10m' });
    for (let minute = 0; minute <= 10; minute += 1) {
      await scrape();
      await clock.advance(60_000);
    }
    expect(cloud.journal.of('storages')).toHaveLength(2);
    expect(cloud.journal.of('isolated_devices')).toHaveLength(2);
    expect(cloud.journal.of('hosts')).toHaveLength(11);
  });
});

import { describe, expect, test } from 'vitest';
import { domainAccount, plainAccount, powerlessAccount } from '../../src/simulator/accounts.ts';
import type { SimulatedCloud } from './cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { exchange, getServers, jsonHeaders, listOf, startCloud, startedAt } from './raw-request.ts';
import { takeToken, takeTokenOf } from './raw-request.ts';

type Row = Record<string, unknown>;
interface HostList {
  readonly hosts: readonly Row[];
  readonly total?: number;
  readonly limit?: number;
  readonly offset?: number;
}

async function getHosts(cloud: SimulatedCloud, query = '', token?: string) {
  const headers = { ...jsonHeaders, 'X-Auth-Token': token ?? (await takeToken(cloud)) };
  return exchange({ url: `${cloud.baseUrl}/hosts?scope=system&${query}`, headers });
}

async function hostsOf(cloud: SimulatedCloud, query = 'details=false'): Promise<HostList> {
  return (await getHosts(cloud, query)).json as HostList;
}

const platform = { servers: 400 } as const;
const now = () => startedAt;
const columns = (
  'id name cpu_count cpu_reserved cpu_cmtbound mem_size mem_reserved mem_cmtbound storage_size status ' +
  'host_status enabled zone_id host_type update_version'
).split(' ');
const detailed = ['zone', 'region', 'cpu_commit', 'mem_commit', 'cpu_commit_rate', 'guests'];

describe('the list of hosts', () => {
  test('has the columns without details, and names of places and sums only with them', async () => {
    const cloud = await startCloud(platform);
    for (const host of (await hostsOf(cloud)).hosts) {
      expect(columns.filter((key) => !(key in host))).toEqual([]);
      expect(detailed.filter((key) => key in host)).toEqual([]);
    }
    const { hosts } = await hostsOf(cloud, 'details=true');
    for (const host of hosts) expect([...columns, ...detailed].filter((key) => !(key in host))).toEqual([]);
    const sums = cloud.fleet.servers.filter(
      ({ host_id, status }) => host_id === hosts[0]?.['id'] && status === 'running',
    );
    expect(hosts[0]).toMatchObject({
      running_guests: sums.length,
      cpu_commit: sum(sums.map((one) => one.vcpu_count)),
    });
  });

  test('is paged as the list of servers is', async () => {
    const cloud = await startCloud(platform);
    const whole = await hostsOf(cloud);
    const first = await hostsOf(cloud, 'details=false&limit=5');
    const second = await hostsOf(cloud, 'details=false&limit=5&offset=5');
    expect([first.total, first.limit, first.offset]).toEqual([whole.hosts.length, 5, undefined]);
    expect([second.total, second.limit, second.offset]).toEqual([whole.hosts.length, 5, 5]);
    expect([...first.hosts, ...second.hosts]).toEqual(whole.hosts.slice(0, 10));
    expect(await hostsOf(cloud, 'details=false&filter=id.in(nobody)')).toEqual({ hosts: [] });
    cloud.quirks.hostTotal = (real) => real + 1;
    expect((await hostsOf(cloud)).total).toBe(whole.hosts.length + 1);
  });

  test('hides the emulated hosts of public clouds, and brings the fields that are named', async () => {
    const cloud = await startCloud(platform);
    const { hosts } = await hostsOf(cloud, 'field=id&field=zone');
    expect(new Set(hosts.flatMap((host) => Object.keys(host)))).toEqual(new Set(['id', 'zone']));
    const all = await hostsOf(cloud, 'details=false&show_emulated=true');
    expect(all.hosts.length).toBe(cloud.fleet.hosts.length);
    expect(all.hosts.length - hosts.length).toBe(6);
    const one = await hostsOf(cloud, `filter=id.in(${String(hosts[3]?.['id'])})`);
    expect(one.hosts).toMatchObject([{ id: hosts[3]?.['id'], region: 'Default' }]);
  });

  test('names hosts and zones as the servers do', async () => {
    const cloud = await startCloud(platform);
    const { hosts } = await hostsOf(cloud, 'show_emulated=true');
    const byId = new Map(hosts.map((host) => [host['id'], host]));
    const placed = cloud.fleet.servers.filter(({ host_id }) => host_id !== '');
    for (const { host_id, host, zone, zone_id, region } of placed) {
      expect(byId.get(host_id)).toMatchObject({ name: host, zone, zone_id, region });
    }
  });

  test('is for the system only', async () => {
    const cloud = await startCloud(platform);
    const reasons = [domainAccount, plainAccount, powerlessAccount].map(async (account) => {
      const { status, text } = await getHosts(cloud, '', await takeTokenOf(cloud, account));
      return [status, /compute:hosts:list (\(require:.*?\))/.exec(text)?.[1]];
    });
    expect(await Promise.all(reasons)).toEqual([
      [403, '(require:system,allow:domain,query:system)'],
      [403, '(require:system,allow:none,query:system)'],
      [403, '(require:system,allow:none,query:system)'],
    ]);
    expect((await getHosts(cloud, '', 'nonsense')).text).toContain(
      'compute:hosts:list (require:system,allow:none',
    );
  });

  test('may be told by half, without the names of places', async () => {
    const cloud = await startCloud(platform);
    cloud.faults.set({ operation: 'hosts', times: 1, fault: { kind: 'halfTold', missing: 'place' } });
    const [half, whole] = [await hostsOf(cloud, 'details=true'), await hostsOf(cloud, 'details=true')];
    expect(half.hosts.some((host) => 'zone' in host || 'region' in host)).toBe(false);
    expect(whole.hosts.every((host) => 'zone' in host && 'region' in host)).toBe(true);
    expect(half.hosts.map(({ zone_id }) => zone_id)).toEqual(whole.hosts.map(({ zone_id }) => zone_id));
  });

  test('is not there in the document, nor on a platform without it', async () => {
    for (const plan of [{}, { hosts: false } as const]) {
      const cloud = await startCloud(plan);
      expect((await getHosts(cloud)).status).toBe(404);
      expect(cloud.journal.count('hosts')).toBe(1);
    }
    expect((await getHosts(await startCloud({ hosts: true }))).status).toBe(200);
  });

  test('can be held back, fail, and be asked for one host', async () => {
    const cloud = await startCloud({
      ...platform,
      platformCost: { workers: 8, millisecondsPerServer: 0, millisecondsPerHost: 2, wait: async () => {} },
    });
    cloud.hooks.beforeHosts = ({ offset }) => {
      if (offset === 5) cloud.fleet.addHost({ name: 'late' });
    };
    const { total = 0 } = await hostsOf(cloud);
    expect(cloud.ledger.of('hosts')).toMatchObject({ rows: total, milliseconds: 2 * total });
    expect((await hostsOf(cloud, 'offset=5')).total).toBe(total + 1);
    const [{ id, name } = { id: '', name: '' }] = cloud.fleet.hosts;
    const headers = { 'X-Auth-Token': await takeToken(cloud) };
    const shown = await exchange({ url: `${cloud.baseUrl}/hosts/${id}`, headers });
    expect(shown.json).toMatchObject({ host: { id, name } });
    expect((await exchange({ url: `${cloud.baseUrl}/hosts/nobody`, headers })).status).toBe(404);
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 502 } });
    expect((await getHosts(cloud)).status).toBe(502);
    expect((await getServers(cloud, await takeToken(cloud))).status).toBe(200);
  });
});

describe('hosts', () => {
  test.each([30, 400, 5000])('have room for their servers, in a fleet of %i', (servers) => {
    const fleet = createFleet({ servers, now });
    expect(overfull(fleet)).toEqual([]);
  });

  test('are up or silent, enabled or not, with and without servers', () => {
    const fleet = createFleet({ servers: 400, now });
    const { hosts, loads } = fleet.hostTruth();
    const used = new Set(loads.map(({ host }) => host));
    const cases = new Set(
      hosts.map(({ up, enabled, host }) => JSON.stringify([up, enabled, used.has(host)])),
    );
    for (const one of [
      [true, true, true],
      [true, true, false],
      [true, false, true],
      [true, false, false],
      [false, true, true],
    ])
      expect(cases).toContain(JSON.stringify(one));
  });

  test('that fall silent or are renamed show it on their servers, whose version stays', () => {
    const fleet = createFleet({ servers: 200, now });
    const host = busyHost(fleet);
    const before = fleet.servers.filter(({ host_id }) => host_id === host.id);
    fleet.silenceHost(host.id);
    fleet.changeHost(host.id, { name: 'renamed' });
    for (const { id, update_version, updated_at, status } of before) {
      const silent = { host_service_status: 'offline', host_status: 'unknown', host: 'renamed' };
      expect(fleet.find(id)).toMatchObject({ ...silent, update_version, updated_at, status });
    }
    expect(fleet.hostTruth().hosts.find(({ id }) => id === host.id)).toMatchObject({
      up: false,
      host: 'renamed',
    });
    fleet.silenceHost(host.id, false);
    expect(fleet.find(before[0]!.id)).toMatchObject({
      host_service_status: 'online',
      host_status: 'running',
    });
    expect(fleet.hosts.find(({ id }) => id === host.id)?.update_version).toBe(host.update_version + 3);
  });

  test('take their servers with them, and deleted_at alone tells', () => {
    const fleet = createFleet({ servers: 200, now });
    const host = busyHost(fleet);
    const before = fleet.servers.filter(({ host_id }) => host_id === host.id);
    fleet.removeHost(host.id);
    expect(fleet.hosts.some(({ id }) => id === host.id)).toBe(false);
    expect(fleet.servers.some(({ host_id }) => host_id === host.id)).toBe(false);
    expect(fleet.tombstones.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted());
    expect(fleet.tombstones.every(({ deleted_at, updated_at }) => deleted_at! > updated_at)).toBe(true);
    expect(fleet.create(100).some(({ host_id }) => host_id === host.id)).toBe(false);
    expect(() => fleet.enableHost(host.id, true)).toThrow('no host');
  });

  test('get new servers only while they are enabled and have room', () => {
    const fleet = createFleet({ servers: 200, now });
    const host = busyHost(fleet);
    expect(fleet.create(40).some(({ host_id }) => host_id === host.id)).toBe(true);
    expect(overfull(fleet)).toEqual([]);
    fleet.enableHost(host.id, false);
    expect(fleet.create(40).some(({ host_id }) => host_id === host.id)).toBe(false);
  });

  test('are left and joined by servers that move, with all that the server says of its place', () => {
    const fleet = createFleet({ servers: 200, now });
    const server = fleet.servers.find(({ zone }) => zone === 'beijing-a')!;
    const host = fleet.addHost({ name: 'new' }, fleet.hosts.find(({ zone }) => zone === 'shanghai-a')!.id);
    const moved = fleet.moveServer(server.id, host.id);
    expect(moved).toMatchObject({ host: 'new', host_id: host.id, zone: 'shanghai-a', zone_id: host.zone_id });
    expect(moved.update_version).toBe(server.update_version + 1);
    const load = fleet.hostTruth().loads.filter((row) => row.host === 'new');
    expect(load).toMatchObject([{ servers: 1, vcpus: server.vcpu_count, memoryMiB: server.vmem_size }]);
  });
});

describe('the truth about hosts', () => {
  test('is what a recount over both lists gives, while hosts come, go, fall silent and are disabled', async () => {
    const cloud = await startCloud(platform);
    const { fleet } = cloud;
    const steps = [
      () => {},
      () => fleet.addHost(),
      () => fleet.silenceHost(busyHost(fleet).id),
      () => fleet.enableHost(busyHost(fleet).id, false),
      () => fleet.removeHost(busyHost(fleet).id),
    ];
    for (const step of steps) {
      step();
      const { hosts } = await hostsOf(cloud);
      const token = await takeToken(cloud);
      const { servers } = listOf(await getServers(cloud, token, 'scope=system&details=false'));
      const usable = hosts.filter(({ enabled, host_status }) => enabled === true && host_status === 'online');
      const ids = new Set(usable.map(({ id }) => id));
      const held = servers.filter(({ host_id }) => ids.has(host_id));
      const truth = fleet.hostTruth();
      const capacity = (host: Row) =>
        (Number(host['mem_size']) - Number(host['mem_reserved'])) * Number(host['mem_cmtbound']);
      expect(sum(truth.rooms.map(({ memoryMiB }) => memoryMiB))).toBe(
        sum(usable.map(capacity)) - sum(held.map(({ vmem_size }) => Number(vmem_size))),
      );
      expect(sum(truth.rooms.map((room) => room.hosts))).toBe(usable.length);
      expect(truth.hosts.length).toBe(hosts.length);
      expect(sum(truth.hosts.map(({ cpus }) => cpus))).toBe(
        sum(hosts.map((host) => Number(host['cpu_count']) - Number(host['cpu_reserved']))),
      );
      const loads = truth.loads.filter(({ pendingDeleted }) => !pendingDeleted);
      const placed = servers.filter(({ host_id }) => host_id !== undefined);
      expect(sum(loads.map((load) => load.servers))).toBe(placed.length);
    }
  });
});

test('one zone gets full as the fleet lives, and no host is ever promised more than it has', () => {
  const fleet = createFleet({ servers: 400, now });
  const roomIn = (zone: string) =>
    fleet.hostTruth().rooms.find((room) => room.zone === zone)!.memoryMiB / 1024;
  const atFirst = roomIn('shanghai-a');
  for (let minutes = 1; minutes <= 30; minutes += 1) {
    fleet.live(startedAt + minutes * 60_000);
    expect(overfull(fleet)).toEqual([]);
  }
  expect(atFirst).toBeGreaterThan(200);
  expect(roomIn('shanghai-a')).toBeLessThan(atFirst / 2);
  expect(roomIn('beijing-a')).toBeGreaterThan(500);
});

type Fleet = ReturnType<typeof createFleet>;

/** An enabled host of our own with servers, and the same one every time. */
function busyHost(fleet: Fleet) {
  const used = new Set(fleet.servers.map(({ host_id }) => host_id));
  return fleet.hosts.find(
    ({ id, enabled, host_status, host_type }) =>
      used.has(id) && enabled && host_status === 'online' && host_type === 'hypervisor',
  )!;
}

/** Hosts whose servers take more than they can promise. */
function overfull(fleet: Fleet): string[] {
  return fleet.hosts
    .filter(({ is_emulated }) => !is_emulated)
    .filter((host) => {
      const servers = fleet.servers.filter(({ host_id }) => host_id === host.id);
      const vcpus = sum(servers.map(({ vcpu_count }) => vcpu_count));
      const memory = sum(servers.map(({ vmem_size }) => vmem_size));
      const cpus = (host.cpu_count - host.cpu_reserved) * host.cpu_cmtbound;
      return vcpus > cpus || memory > (host.mem_size - host.mem_reserved) * host.mem_cmtbound;
    })
    .map(({ name }) => name);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}

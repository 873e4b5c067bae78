import { describe, expect, test } from 'vitest';
import { domainAccount, type Account } from '../../src/simulator/accounts.ts';
import type { SimulatedCloud } from './cloud.ts';
import { capturedAnswer } from './captures.ts';
import { getServers, listOf, startCloud, startedAt, takeTokenOf, takeToken } from './raw-request.ts';

const hour = 3_600_000;
const later = startedAt + 24 * hour;
const since = '2026-11-15T12:00:00Z';

/** Created at the start; everything that a test does happens a day later. */
async function startAged(servers = 200): Promise<SimulatedCloud> {
  let nowMs = startedAt;
  const cloud = await startCloud({ servers, now: () => nowMs });
  nowMs = later;
  return cloud;
}

const changed = (time = `"${since}"`) =>
  new URLSearchParams([
    ['scope', 'system'],
    ['details', 'false'],
    ['pending_delete', 'all'],
    ['delete', 'all'],
    ['filter_any', 'true'],
    ['filter', `updated_at.ge(${time})`],
    ['filter', `deleted_at.ge(${time})`],
  ]).toString();

async function changesOf(cloud: SimulatedCloud, query = changed(), account?: Account) {
  const token = account === undefined ? await takeToken(cloud) : await takeTokenOf(cloud, account);
  return listOf(await getServers(cloud, token, query));
}

const idsOf = ({ servers }: { servers: readonly Record<string, unknown>[] }) => servers.map(({ id }) => id);

describe('the list of changes', () => {
  test('of nothing has neither servers nor a total', async () => {
    expect(await changesOf(await startAged())).toEqual({ servers: [] });
  });

  test('has what changed in a column, with a new version and the time in whole seconds', async () => {
    const cloud = await startAged();
    const { fleet } = cloud;
    const patches = [
      { status: 'snapshot' },
      { name: 'renamed' },
      { tenant_id: fleet.projects[3]!.id },
      { expired_at: '2027-01-01T00:00:00.000000Z' },
      { pending_deleted: true },
    ];
    const before = fleet.servers.filter(({ pending_deleted }) => !pending_deleted).slice(0, patches.length);
    for (const [index, patch] of patches.entries()) fleet.change(before[index]!.id, patch);
    const [created] = fleet.create(1);
    const list = await changesOf(cloud);
    expect(list.total).toBe(patches.length + 1);
    expect(new Set(idsOf(list))).toEqual(new Set([created!.id, ...before.map(({ id }) => id)]));
    for (const { id, update_version } of before) {
      const row = list.servers.find((server) => server['id'] === id)!;
      expect(row['update_version']).toBe(update_version + 1);
      expect(row['updated_at']).toBe('2026-11-16T00:00:00.000000Z');
    }
    fleet.change(before[4]!.id, { pending_deleted: false }, { at: later + hour });
    const restored = (await changesOf(cloud, changed('"2026-11-16T01:00:00Z"'))).servers;
    expect(restored).toMatchObject([{ id: before[4]!.id, pending_deleted: false }]);
  });

  test('has nothing of a status set to what it was, of metadata, of a silent host, of disks found by a sync', async () => {
    const cloud = await startAged();
    const { fleet } = cloud;
    const server = fleet.servers[0]!;
    fleet.setStatus(server.id, server.status);
    fleet.change(server.id, { metadata: { 'user:team': 'other' } });
    fleet.change(server.id, { host_service_status: 'offline', host_status: 'unknown' });
    fleet.change(server.id, { disk: 1, disk_count: 1, ips: '10.9.9.9' });
    expect(await changesOf(cloud)).toEqual({ servers: [] });
    expect(fleet.find(server.id)).toMatchObject({ disk: 1, update_version: server.update_version });
  });

  test('has what was deleted, only with delete=all', async () => {
    const cloud = await startAged();
    const [first, second] = cloud.fleet.servers;
    cloud.fleet.remove([first!.id]);
    cloud.fleet.remove([second!.id], { withHost: true });
    const list = await changesOf(cloud);
    expect(list.total).toBe(2);
    expect(list.servers).toMatchObject([
      {
        id: first!.id,
        deleted: true,
        deleted_at: '2026-11-16T00:00:00.000000Z',
        updated_at: '2026-11-16T00:00:00.000000Z',
      },
      {
        id: second!.id,
        deleted: true,
        deleted_at: '2026-11-16T00:00:00.000000Z',
        updated_at: second!.updated_at,
        update_version: second!.update_version,
      },
    ]);
    expect(await changesOf(cloud, changed().replace('delete=all&f', 'f'))).toEqual({ servers: [] });
    const ordinary = await changesOf(cloud, 'scope=system&pending_delete=all&limit=1');
    expect(ordinary.total).toBe(198);
  });

  test('shows a deletion with its host by deleted_at alone', async () => {
    const cloud = await startAged();
    const { id } = cloud.fleet.servers[0]!;
    cloud.fleet.remove([id], { withHost: true });
    const one = (column: string) =>
      changesOf(cloud, `scope=system&delete=all&details=false&filter=${column}.ge("${since}")`);
    expect(await one('updated_at')).toEqual({ servers: [] });
    expect(idsOf(await one('deleted_at'))).toEqual([id]);
  });

  test('can show a change after its own time, and one from the future', async () => {
    const cloud = await startAged();
    const [late, early] = cloud.fleet.servers;
    cloud.fleet.change(late!.id, { name: 'late' }, { at: later - 7000 });
    cloud.fleet.change(early!.id, { name: 'early' }, { at: later + hour });
    expect(idsOf(await changesOf(cloud, changed('"2026-11-16T00:00:00Z"')))).toEqual([early!.id]);
    expect(new Set(idsOf(await changesOf(cloud, changed('"2026-11-15T23:59:53Z"'))))).toEqual(
      new Set([late!.id, early!.id]),
    );
  });

  test.each([
    ['unquoted', since],
    ['with one fractional digit', '"2026-11-15T12:00:00.1Z"'],
    ['with two', '"2026-11-15T12:00:00.12Z"'],
    ['empty', ''],
    ['empty in quotes', '""'],
  ])('fails open when its time is %s', async (_how, time) => {
    expect((await changesOf(await startAged(), changed(time))).total).toBe(200);
  });

  test('fails open when its column is misspelt', async () => {
    const query = 'scope=system&pending_delete=all&details=false&filter=update_at.ge("2026-11-15T12:00:00Z")';
    expect((await changesOf(await startAged(), query)).total).toBe(200);
  });

  test.each(['"2026-11-16T00:00:00Z"', '"2026-11-16 00:00:00"', '"2026-11-16T00:00:00.000Z"'])(
    'includes the second itself, written as %s',
    async (time) => {
      const cloud = await startAged();
      cloud.fleet.change(cloud.fleet.servers[0]!.id, { name: 'renamed' });
      expect((await changesOf(cloud, changed(time))).total).toBe(1);
    },
  );
});

describe('delete=all', () => {
  test('shows the system also what the ordinary list would not show', async () => {
    const cloud = await startAged();
    const [system, emulated, binned] = cloud.fleet.servers;
    cloud.fleet.change(system!.id, { is_system: true });
    cloud.fleet.change(emulated!.id, { is_emulated: true });
    cloud.fleet.change(binned!.id, { pending_deleted: true });
    const all = new Set(idsOf(await changesOf(cloud, changed().replace('pending_delete=all&', ''))));
    expect(all).toEqual(new Set([system!.id, emulated!.id, binned!.id]));
    const ordinary = idsOf(await changesOf(cloud, changed().replace('delete=all&f', 'f')));
    expect(ordinary).toEqual([binned!.id]);
    const asked = 'scope=system&pending_delete=all&system=true&show_emulated=true';
    expect((await changesOf(cloud, asked)).total).toBe(200);
    expect((await changesOf(cloud, 'scope=system&pending_delete=all')).total).toBe(198);
    expect((await changesOf(cloud, 'delete=all')).total).toBe(200);
  });

  test('is not heard from who administrates a domain only', async () => {
    const cloud = await startAged();
    const own = cloud.fleet.servers.filter(({ domain_id }) => domain_id === domainAccount.domain.id);
    cloud.fleet.remove([own[0]!.id]);
    cloud.fleet.change(own[1]!.id, { name: 'renamed', pending_deleted: false });
    const query = changed().replace('scope=system', 'scope=domain');
    const list = await changesOf(cloud, query, domainAccount);
    expect(idsOf(list)).toEqual([own[1]!.id]);
    const ordinary = await changesOf(cloud, 'scope=domain&pending_delete=all&limit=1', domainAccount);
    expect(ordinary.total).toBe(own.length - 1);
  });
});

describe('filter=', () => {
  test('id.in lists just these, with details and the envelope that was captured', async () => {
    const cloud = await startAged();
    const ids = [5, 3, 8].map((position) => cloud.fleet.servers[position]!.id);
    const query = `scope=system&pending_delete=all&filter=id.in(${ids.join(',')})&field=id&field=host&field=disk`;
    const list = await changesOf(cloud, query);
    expect(new Set(idsOf(list))).toEqual(new Set(ids));
    const captured = capturedAnswer('releases/3.11-servers-by-ids').json;
    expect({ ...list, servers: [] }).toEqual({ ...captured, servers: [] });
    expect(list.servers.some((server) => 'host' in server)).toBe(true);
    expect((await changesOf(cloud, 'scope=system&filter=id.in(nobody)')).total).toBeUndefined();
  });

  test.each([
    ['filter=status.in(running,ready)', (row: Row) => ['running', 'ready'].includes(row.status)],
    ['filter=status.notin(running)', (row: Row) => row.status !== 'running'],
    [
      'filter=status.equals(running)&filter=hypervisor.equals("kvm")',
      (row: Row) => row.status === 'running' && row.hypervisor === 'kvm',
    ],
    [
      'filter=status.equals(ready)&filter=hypervisor.equals(aws)&filter_any=true',
      (row: Row) => row.status === 'ready' || row.hypervisor === 'aws',
    ],
    ['filter=vcpu_count.ge(8)', (row: Row) => row.vcpu_count >= 8],
    ['filter=vcpu_count.lt(8)', (row: Row) => row.vcpu_count < 8],
    ['filter=name.contains(worker)', (row: Row) => row.name.includes('worker')],
    ['filter=expired_at.isnull()', (row: Row) => row.expired_at === null],
    ['status=ready&status=unknown', (row: Row) => ['ready', 'unknown'].includes(row.status)],
    ['hypervisor=esxi', (row: Row) => row.hypervisor === 'esxi'],
    [
      'billing_type=prepaid&os_type=Linux',
      (row: Row) => row.billing_type === 'prepaid' && row.os_type === 'Linux',
    ],
    ['zone=beijing-a', (row: Row) => row.zone === 'beijing-a'],
  ])('and its like choose as asked: %s', async (query, isChosen) => {
    const cloud = await startAged();
    const list = await changesOf(cloud, `scope=system&pending_delete=all&${query}`);
    const expected = cloud.fleet.servers.filter(isChosen).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(200);
    expect(idsOf(list)).toEqual(expected);
    expect(list.total).toBe(expected.length);
  });
});

type Row = SimulatedCloud['fleet']['servers'][number];

import { describe, expect, test } from 'vitest';
import { domainAccount } from './accounts.ts';
import type { SimulatedCloud } from './cloud.ts';
import { idsOf, list, startCloud, startedAt, takeToken } from './raw-request.ts';

const hour = 3_600_000;
const later = startedAt + 24 * hour;
const stamped = '2026-11-16T00:00:00.000000Z';

/** Created at the start; everything that a test does happens a day later. */
async function startAged(servers = 60): Promise<SimulatedCloud> {
  let nowMs = startedAt;
  const cloud = await startCloud({ servers, now: () => nowMs });
  nowMs = later;
  return cloud;
}

const whole = 'servers?details=false&pending_delete=all';
const changed = (time: string, how = '&delete=all') =>
  `${whole}${how}&filter_any=true&filter=updated_at.ge(${time})&filter=deleted_at.ge(${time})`;
const sinceNoon = (cloud: SimulatedCloud) => list(cloud, changed('"2026-11-15T12:00:00Z"'));

describe('the list of changes', () => {
  test('has what changed in a column, with a new version and the time in whole seconds', async () => {
    const cloud = await startAged();
    const { fleet } = cloud;
    expect(await sinceNoon(cloud)).toEqual({ rows: [] });
    const named = { status: 'snapshot' };
    const patches = [named, { name: 'renamed' }, { tenant_id: 'other' }, { pending_deleted: true }];
    const before = fleet.servers.filter(({ pending_deleted }) => !pending_deleted).slice(0, patches.length);
    for (const [index, patch] of patches.entries()) fleet.change(before[index]!.id, patch);
    const [created] = fleet.create(1);
    const changes = await sinceNoon(cloud);
    expect(new Set(idsOf(changes))).toEqual(new Set([created!.id, ...before.map(({ id }) => id)]));
    expect(changes.total).toBe(patches.length + 1);
    for (const { id, update_version } of before) {
      const row = changes.rows.find((one) => one['id'] === id);
      expect(row).toMatchObject({ update_version: update_version + 1, updated_at: stamped });
    }
    const [{ id, host_id, update_version }] = before as [(typeof before)[0]];
    const other = fleet.hosts.find((host) => host.id !== host_id)!;
    expect(fleet.moveServer(id, other.id).update_version).toBe(update_version + 2);
  });

  test('has nothing of a status set to what it was, nor of what is looked up elsewhere', async () => {
    const cloud = await startAged();
    const { fleet } = cloud;
    const server = fleet.servers.find(({ host_id }) => host_id !== '')!;
    fleet.setStatus(server.id, server.status);
    fleet.change(server.id, { metadata: {}, disk: 1, disk_count: 1, ips: '10.9.9.9' });
    fleet.silenceHost(server.host_id);
    fleet.changeHost(server.host_id, { name: 'renamed host' });
    fleet.rename('zones', server.zone_id, 'renamed zone');
    fleet.rename('projects', server.tenant_id, 'renamed project');
    expect(await sinceNoon(cloud)).toEqual({ rows: [] });
    const names = { host: 'renamed host', zone: 'renamed zone', project: 'renamed project' };
    const [row] = (await list(cloud, `servers?pending_delete=all&filter=id.in(${server.id})`)).rows;
    expect(row).toMatchObject({ ...names, disk: 1, host_service_status: 'offline' });
    const [zone] = (await list(cloud, `zones?filter=id.in(${server.zone_id})`)).rows;
    expect(zone).toMatchObject({ name: 'renamed zone' });
  });

  test('has what was deleted, only with delete=all; with its host by deleted_at alone', async () => {
    const cloud = await startAged();
    const [first, second] = cloud.fleet.servers;
    cloud.fleet.remove([first!.id]);
    cloud.fleet.remove([second!.id], { withHost: true });
    const { update_version, updated_at } = second!;
    expect((await sinceNoon(cloud)).rows).toMatchObject([
      { id: first!.id, deleted: true, deleted_at: stamped, updated_at: stamped },
      { id: second!.id, deleted: true, deleted_at: stamped, updated_at, update_version },
    ]);
    const byColumn = { updated_at: [first!.id], deleted_at: [first!.id, second!.id] };
    for (const [column, ids] of Object.entries(byColumn)) {
      const query = `servers?delete=all&order_by=id&order=asc&filter=${column}.ge("2026-11-15T12:00:00Z")`;
      expect(idsOf(await list(cloud, query))).toEqual(ids.toSorted());
    }
    expect(await list(cloud, changed('"2026-11-15T12:00:00Z"', ''))).toEqual({ rows: [] });
    expect((await list(cloud, `${whole}&limit=1`)).total).toBe(58);
  });

  test("with delete=all has every row for the system's accounts, and for others it is not heard", async () => {
    const cloud = await startAged(120);
    cloud.fleet.change(cloud.fleet.servers[0]!.id, { is_system: true });
    cloud.fleet.remove([cloud.fleet.servers[5]!.id]);
    expect((await list(cloud, 'servers?delete=all&scope=project')).total).toBe(120);
    const own = cloud.fleet.servers.filter(
      (one) => one.domain_id === 'default' && !one.pending_deleted && !one.is_system,
    );
    const token = await takeToken(cloud, domainAccount);
    expect((await list(cloud, 'servers?delete=all&scope=domain', token)).total).toBe(own.length);
  });

  const day = '2026-11-15T12:00:00';
  test.each<[string, number]>([
    ...[`${day}Z`, `"${day}.1Z"`, `"${day}.12Z"`, '', '""'].map((time): [string, number] => [time, 60]),
    ['"2026-11-16T00:00:00Z"', 1],
    ['"2026-11-16 00:00:00"', 1],
    ['"2026-11-16T00:00:00.000Z"', 1],
  ])('of a time written as %s has %i: what cannot be read fails open', async (time, total) => {
    const cloud = await startAged();
    cloud.fleet.change(cloud.fleet.servers[0]!.id, { name: 'renamed' });
    expect((await list(cloud, changed(time))).total).toBe(total);
  });
});

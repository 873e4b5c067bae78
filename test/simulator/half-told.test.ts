import { describe, expect, test } from 'vitest';
import type { Missing } from './lookups.ts';
import { getServers, listOf, startCloud, takeToken } from './raw-request.ts';

async function listTwice(missing: Missing | readonly Missing[], which?: (position: number) => boolean) {
  const cloud = await startCloud({ servers: 60 });
  const token = await takeToken(cloud);
  const fault = { kind: 'halfTold', missing, ...(which && { which }) } as const;
  cloud.faults.set({ operation: 'list', times: 1, fault });
  const half = listOf(await getServers(cloud, token, 'scope=system')).servers;
  const whole = listOf(await getServers(cloud, token, 'scope=system')).servers;
  return { half, whole };
}

describe('a record told by half', () => {
  test.each<[Missing, string[], string[]]>([
    ['host', ['host', 'zone', 'region', 'brand'], ['host_id', 'tenant', 'ips']],
    ['place', ['zone', 'region', 'brand'], ['host_id', 'host', 'tenant']],
    ['project', ['project', 'tenant', 'project_domain'], ['tenant_id', 'host']],
    ['domain', ['project_domain'], ['domain_id', 'project', 'tenant']],
    ['addresses', ['ips', 'nics'], ['host', 'tenant', 'disks_info']],
  ])('lacks its %s, and keeps the rest; asked for again it is whole', async (missing, lost, kept) => {
    const { half, whole } = await listTwice(missing);
    expect(half.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    for (const [position, row] of half.entries()) {
      expect(lost.filter((field) => field in row)).toEqual([]);
      for (const field of kept) expect(row[field]).toEqual(whole[position]?.[field]);
    }
    expect(whole.filter((row) => lost.every((field) => field in row)).length).toBeGreaterThan(50);
  });

  test('has no disks, which is not the same as a field that is missing', async () => {
    const { half, whole } = await listTwice('disks');
    expect(half.every(({ disk, disk_count }) => disk === 0 && disk_count === 0)).toBe(true);
    expect(half.some((row) => 'disks_info' in row)).toBe(false);
    expect(whole.some(({ disk }) => Number(disk) > 0)).toBe(true);
  });

  test('may be one of many, and lack several things', async () => {
    const { half, whole } = await listTwice(['host', 'project'], (position) => position === 2);
    expect(half.filter((_, position) => position !== 2)).toEqual(
      whole.filter((_, position) => position !== 2),
    );
    expect(half[2]).not.toHaveProperty('host');
    expect(half[2]).not.toHaveProperty('tenant');
    expect(half[2]).toHaveProperty('disk');
  });
});

test('a fault may be meant for some requests only', async () => {
  const cloud = await startCloud({});
  const token = await takeToken(cloud);
  cloud.faults.set({
    operation: 'list',
    where: (parameters) => parameters.get('details') === 'false',
    fault: { kind: 'status', code: 503 },
  });
  expect((await getServers(cloud, token, 'details=true')).status).toBe(200);
  expect((await getServers(cloud, token, 'details=false')).status).toBe(503);
});

test('servers may come and go between the count and the rows of one page', async () => {
  const cloud = await startCloud({ servers: 20, showPendingDeleted: true });
  const token = await takeToken(cloud);
  cloud.hooks.afterCount = ({ offset }) => {
    if (offset === 10) cloud.fleet.remove(cloud.fleet.servers.slice(0, 3).map(({ id }) => id));
  };
  const { servers, total } = listOf(await getServers(cloud, token, 'scope=system&limit=10&offset=10'));
  expect([servers.length, total]).toEqual([7, 20]);
});

test('a hook is told what was asked for', async () => {
  const cloud = await startCloud({});
  const seen: (string | null)[] = [];
  cloud.hooks.beforePage = (_page, query) => {
    seen.push(query.get('details'));
  };
  await getServers(cloud, await takeToken(cloud), 'details=false');
  expect(seen).toEqual(['false']);
});

import { describe, expect, test } from 'vitest';
import type { Release } from '../../src/simulator/answer.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { domainAccount, plainAccount } from './accounts.ts';
import { ask, idsOf, list, startCloud, takeToken, type Row } from './raw-request.ts';

const range = (after: string, upTo: string, limit: number) =>
  `order_by=id&order=asc&limit=${limit}&filter=id.gt("${after}")&filter=id.le("${upTo}")`;
const all = 'pending_delete=all&';

describe('pages by id', () => {
  test('fold letters, and take a quoted text for what it is', async () => {
    const cloud = await startCloud({ servers: 20 });
    const odd = ['98aa-1', '8', 'X-c', 'x a', 'x,y', 'x:a', 'x(1)', "x'", 'x%', 'x"'];
    for (const [index, id] of odd.entries()) cloud.fleet.change(cloud.fleet.servers[index]!.id, { id });
    for (const [bound, id] of Object.entries({ 8: '98aa-1', 'x-b': 'X-c', X: 'x a' }))
      expect(idsOf(await list(cloud, `servers?${all}${range(bound, id, 100)}`))).toContain(id);
    for (const id of odd) {
      const quoted = encodeURIComponent(`"${id.replace('"', '\\"')}"`);
      expect(idsOf(await list(cloud, `servers?${all}filter=id.in(${quoted.toLowerCase()})`))).toEqual([id]);
    }
  });

  test('prove nothing when they are full: a server created after the count pushes the last one out', async () => {
    const cloud = await startCloud({ servers: 10 });
    const ids = idsOf(await list(cloud, `servers?${all}order_by=id&order=asc`));
    cloud.hooks.afterCount = () => void cloud.fleet.create(1, { id: '00000000' });
    const page = await list(cloud, `servers?${all}${range('', 'zz', 10)}`);
    expect([page.total, page.limit, idsOf(page)]).toEqual([10, 10, ['00000000', ...ids.slice(0, 9)]]);
  });
});

describe('pages by offset', () => {
  test('are newest first, or oldest first, and say where they are but on the first page', async () => {
    const cloud = await startCloud();
    const newest = cloud.fleet.servers.map(({ id }) => id);
    expect(idsOf(await list(cloud, `servers?${all}`))).toEqual(newest);
    expect(idsOf(await list(cloud, `servers?${all}order=asc&order_by=colour`))).toEqual(newest.toReversed());
    const first = await list(cloud, `servers?${all}limit=7`);
    expect({ ...first, rows: [] }).toEqual({ limit: 7, total: 30, rows: [] });
    const past = await list(cloud, `servers?${all}limit=7&offset=70`);
    expect(past).toEqual({ limit: 7, offset: 70, total: 30, rows: [] });
  });

  test('are cut at the maximum only where there is more to send', async () => {
    const cloud = await startCloud({ servers: 60, maximumPageSize: 50 });
    expect(await list(cloud, `servers?${all}limit=5000`)).toMatchObject({ limit: 50, total: 60 });
    expect((await list(cloud, `servers?${all}limit=5000&filter=id.gt("8")`)).limit).toBe(5000);
    expect((await list(cloud, `servers?${all}limit=-1`)).limit).toBe(50);
  });
});

const unread =
  'colour.in(a) status.IN(a) Status.in(a) status%20.in(a) status.in(a status.in() id.gt(a,b) id.gt(a:b)';

test.each<[string, (row: ServerRecord) => boolean]>([
  ['status.in(running,READY)', ({ status }) => ['running', 'ready'].includes(status)],
  [
    'status.equals(ready)&filter=hypervisor.equals(aws)&filter_any=true',
    ({ status, hypervisor }) => status === 'ready' || hypervisor === 'aws',
  ],
  ['vcpu_count.equals(8)', ({ vcpu_count }) => vcpu_count === 8],
  // Of texts: digits too, and letters of either size.
  ['id.gt("8")', ({ id }) => id > '8'],
  // Letters beyond ASCII are in no column.
  [encodeURIComponent('status.in(running,é)'), () => false],
  // What cannot be read is left out, and everything matches.
  ...unread.split(' ').map((text): [string, () => boolean] => [text, () => true]),
])('a filter chooses as asked: %s', async (filter, isChosen) => {
  const cloud = await startCloud({ servers: 200 });
  const { rows, total = 0 } = await list(cloud, `servers?${all}filter=${filter}`);
  const expected = cloud.fleet.servers.filter(isChosen).map(({ id }) => id);
  expect([total, idsOf({ rows })]).toEqual([expected.length, expected]);
});

describe('what is listed', () => {
  test('is as wide as the account may see, and least where the word is misspelt', async () => {
    const cloud = await startCloud({ servers: 300 });
    const { servers } = cloud.fleet;
    const inDomain = servers.filter(({ domain_id }) => domain_id === 'default');
    const inProject = (name: string) => inDomain.filter(({ project }) => project === name).length;
    const [domain, plain] = [await takeToken(cloud, domainAccount), await takeToken(cloud, plainAccount)];
    for (const [scope, whose, expected] of [
      ['domain', domain, inDomain.length],
      ['max', domain, inDomain.length],
      ['', domain, inProject('web')],
      ['project', plain, inProject('web')],
      ['max', undefined, 300],
      ['sytem', undefined, inProject('system')],
    ] as const)
      expect((await list(cloud, `servers?${all}scope=${scope}`, whose)).total, scope).toBe(expected);
    const [first] = (await list(cloud, 'servers?scope=project', plain)).rows;
    for (const field of ['is_system', 'is_emulated', 'deleted']) expect(first).not.toHaveProperty(field);
  });

  test('of zones and regions is open to everyone, and a part of them without scope=system', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud, plainAccount);
    const names = async (query: string) => (await list(cloud, query, token)).rows.map(({ name }) => name);
    expect((await names('zones?')).length).toBe(cloud.fleet.tables.zones.rows.length);
    const own = ['beijing-a', 'beijing-b', 'shanghai-a'];
    expect((await names('zones?scope=')).map(String).toSorted()).toEqual(own);
    expect(await names('cloudregions?scope=project')).toEqual(['Default']);
    expect((await ask(cloud, 'zones', 'nonsense')).status).toBe(403);
  });
});

test.each<[string, string[]]>([
  ['field=name', ['name']],
  ['field=name,id', []],
  ['field=id&field=project', ['id']],
  ['field=id&field=project&field=tenant', ['id', 'project', 'tenant']],
  ['field=id&field=disks_info&field=disk_count', ['id', 'disk_count']],
  ['field=id&field=metadata', ['id', 'metadata']],
  ['details=false&field=id&field=zone', ['id']],
])('fields that are named have their traps: %s', async (query, expected) => {
  const cloud = await startCloud({ servers: 40 });
  const { rows } = await list(cloud, `servers?${query}`);
  expect(new Set(rows.flatMap((row) => Object.keys(row)))).toEqual(new Set(expected));
  const counts = new Set(rows.map(({ disk_count }) => disk_count));
  if (query.includes('disk_count')) expect(counts).toEqual(new Set([0]));
});

test.each<[Release, string, string]>([
  ['3.11', 'online', 'GPU-HPC'],
  ['4.0', 'running', 'GPU'],
])('release %s has its own words', async (release, host, device) => {
  const cloud = await startCloud({ servers: 300, release });
  const planned = { expired_at: '2027-01-01T00:00:00.000000Z', pending_deleted: false };
  cloud.fleet.change(cloud.fleet.servers[0]!.id, { ...planned, billing_type: 'postpaid' });
  const { rows } = await list(cloud, 'servers?pending_delete=all');
  expect([rows[0]!['expired_at'], rows[0]!['release_at']]).toEqual([undefined, planned.expired_at]);
  expect(rows.map(({ host_status }) => host_status)).toContain(host);
  const own = rows.flatMap((row) => (row['isolated_devices'] ?? []) as Row[]);
  for (const devices of [own, (await list(cloud, 'isolated_devices?')).rows])
    expect(devices.map(({ dev_type }) => dev_type)).toContain(device);
});

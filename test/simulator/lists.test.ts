import { describe, expect, test } from 'vitest';
import { domainAccount, listAccount, plainAccount, powerlessAccount } from '../../src/simulator/accounts.ts';
import type { Release } from '../../src/simulator/answer.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { compareText } from '../../src/simulator/fleet/rows.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { createRandom } from '../../src/simulator/fleet/random.ts';
import type { SimulatedCloud } from './cloud.ts';
import { ask, idsOf, list, now, startCloud, takeToken, webScope, type Row } from './raw-request.ts';

const range = (after: string, upTo: string, limit: number) =>
  `order_by=id&order=asc&limit=${limit}&filter=id.gt("${after}")&filter=id.le("${upTo}")`;
const resources = ['servers', 'hosts', 'storages', 'isolated_devices', 'zones', 'cloudregions'];
const all = 'pending_delete=all&';

describe('pages by id', () => {
  test.each(resources)('of %s ascend, and tell in total what is left', async (resource) => {
    const cloud = await startCloud({ servers: 200 });
    const whole = await list(cloud, `${resource}?order_by=id&order=asc`);
    const ids = idsOf(whole);
    expect(ids).toEqual(ids.toSorted(compareText));
    const [after, upTo, inRange] = [ids[0]!, ids.at(-2)!, ids.slice(1, -1)];
    const page = await list(cloud, `${resource}?${range(after, upTo, 2)}`);
    expect([page.total, idsOf(page)]).toEqual([inRange.length || undefined, inRange.slice(0, 2)]);
    const rest = await list(cloud, `${resource}?details=false&${range(inRange[1] ?? upTo, upTo, 2048)}`);
    expect([rest.total ?? 0, idsOf(rest)]).toEqual([Math.max(0, inRange.length - 2), inRange.slice(2)]);
    expect(idsOf(await list(cloud, `${resource}?order_by=id&order=ASC`))).toEqual(ids.toReversed());
    expect(await list(cloud, `${resource}?${range('zz', '', 2)}`)).toEqual({ rows: [] });
  });

  test('fold letters, and take a quoted text for what it is', async () => {
    const cloud = await startCloud({ servers: 20 });
    const [first] = cloud.fleet.servers;
    const odd = ['98aa-1', '8', 'X-c', 'x a', 'x,y', 'x:a', 'x(1)', "x'", 'x%', 'x"'];
    for (const [index, id] of odd.entries()) cloud.fleet.change(cloud.fleet.servers[index]!.id, { id });
    expect(cloud.fleet.find(first!.id)).toBeUndefined();
    for (const [bound, id] of Object.entries({ 8: '98aa-1', 'x-b': 'X-c', X: 'x a' }))
      expect(idsOf(await list(cloud, `servers?${all}${range(bound, id, 100)}`))).toContain(id);
    for (const id of odd) {
      const quoted = encodeURIComponent(`"${id.replace('"', '\\"')}"`);
      expect(idsOf(await list(cloud, `servers?${all}filter=id.in(${quoted.toLowerCase()})`))).toEqual([id]);
    }
  });

  test('lose no server that is there all the time, whatever comes and goes between any two statements', async () => {
    const fleet = createFleet({ servers: 300, now });
    const cloud = await startCloud({ fleet });
    const random = createRandom(7);
    const stays = new Set(fleet.servers.filter((_, index) => index % 3 === 0).map(({ id }) => id));
    const disturb = () => {
      const leaving = fleet.servers.filter(({ id }) => !stays.has(id));
      fleet.remove(leaving.slice(0, random.below(3)).map(({ id }) => id));
      fleet.create(random.below(4));
    };
    cloud.hooks.beforePage = disturb;
    cloud.hooks.afterCount = disturb;
    const token = await takeToken(cloud);
    const found: string[] = [];
    let pushedOut = 0;
    for (let after = '', limit = 20; ; after = found.at(-1)!) {
      const page = await list(cloud, `servers?${all}details=false&${range(after, 'zz', limit)}`, token);
      const { rows, total = 0 } = page;
      if (rows.length !== Math.min(limit, total)) pushedOut += 1;
      found.push(...idsOf(page));
      if (rows.length === 0 || (rows.length < limit && rows.length >= total)) break;
    }
    expect(new Set(found).size).toBe(found.length);
    expect([...stays].filter((id) => !found.includes(id))).toEqual([]);
    expect(found).toEqual(found.toSorted(compareText));
    expect(pushedOut).toBeLessThan(3);
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

  test('lose a server where one was deleted, and have one twice where one was created', async () => {
    const cloud = await startCloud({ servers: 20 });
    const ids = cloud.fleet.servers.map(({ id }) => id);
    const token = await takeToken(cloud);
    const page = async (offset: number) =>
      idsOf(await list(cloud, `servers?${all}limit=10&offset=${offset}`, token));
    cloud.hooks.beforePage = ({ offset }) => offset === 10 && cloud.fleet.remove([ids[0]!]);
    expect([...(await page(0)), ...(await page(10))]).toEqual([...ids.slice(0, 10), ...ids.slice(11)]);
    cloud.hooks.beforePage = ({ offset }) => offset === 10 && cloud.fleet.create(1);
    expect((await page(0)).at(-1)).toBe((await page(10))[0]);
  });
});

describe('filter=', () => {
  test.each<[string, (row: ServerRecord) => boolean]>([
    ['filter=status.in(running,READY)', ({ status }) => ['running', 'ready'].includes(status)],
    ['filter=status.notin(running)', ({ status }) => status !== 'running'],
    [
      'filter=status.equals(running)&filter=hypervisor.equals("KVM")',
      ({ status, hypervisor }) => status === 'running' && hypervisor === 'kvm',
    ],
    [
      'filter=status.equals(ready)&filter=hypervisor.equals(aws)&filter_any=true',
      ({ status, hypervisor }) => status === 'ready' || hypervisor === 'aws',
    ],
    ['filter=vcpu_count.ge(8)', ({ vcpu_count }) => vcpu_count >= 8],
    ['filter=vcpu_count.lt("16")', ({ vcpu_count }) => vcpu_count < 16],
    ['filter=name.contains(WORKER)', ({ name }) => name.includes('worker')],
    ['filter=expired_at.isnull()', ({ expired_at }) => expired_at === null],
    [
      'filter=power_states.equals(off)',
      ({ status }) => 'ready suspend start_fail rebuild_root starting'.includes(status),
    ],
    ['status=ready&status=unknown', ({ status }) => ['ready', 'unknown'].includes(status)],
    ['zone=beijing-a&os_type=Linux', ({ zone, os_type }) => zone === 'beijing-a' && os_type === 'Linux'],
    // Letters beyond ASCII are in no column.
    [`filter=${encodeURIComponent('status.notin(é)')}`, () => false],
    // What cannot be read is left out, and everything matches.
    ...'colour.in(a) status.IN(a) Status.in(a) status%20.in(a) status.in(a status.in() vcpu_count.gt(1,2) id.gt(a:b)'
      .split(' ')
      .map((text): [string, () => boolean] => [`filter=${text}`, () => true]),
  ])('chooses as asked: %s', async (query, isChosen) => {
    const cloud = await startCloud({ servers: 200 });
    const { rows, total = 0 } = await list(cloud, `servers?${all}${query}`);
    const expected = cloud.fleet.servers.filter(isChosen).map(({ id }) => id);
    expect([total, idsOf({ rows })]).toEqual([expected.length, expected]);
  });

  test('unused=true lists the free devices, and those of bare metal only where they are asked for', async () => {
    const cloud = await startCloud({ servers: 400 });
    const { hosts, isolated_devices: devices } = cloud.fleet.tables;
    const virtual = devices.rows.filter(({ host_id }) => hosts.find(host_id)!.host_type === 'hypervisor');
    const free = virtual.filter(({ guest_id }) => guest_id === '');
    const total = async (query: string) => (await list(cloud, `isolated_devices?${query}`)).total;
    expect(await total('')).toBe(virtual.length);
    expect(await total('unused=true')).toBe(free.length);
    expect(await total('show_baremetal_isolated_devices=true')).toBe(devices.rows.length);
    expect(devices.rows.length).toBeGreaterThan(virtual.length);
  });
});

describe('what is listed', () => {
  test('is without the recycle bin, the system and what is emulated, unless these are asked for', async () => {
    const cloud = await startCloud({ servers: 200 });
    const binned = cloud.fleet.servers.filter(({ pending_deleted }) => pending_deleted).length;
    cloud.fleet.change(cloud.fleet.servers.find((one) => !one.pending_deleted)!.id, { is_system: true });
    const total = async (query: string) => (await list(cloud, query)).total;
    expect(binned).toBeGreaterThan(0);
    expect(await total('servers?')).toBe(199 - binned);
    expect(await total('servers?pending_delete=true')).toBe(binned);
    expect(await total('servers?pending_delete=all&system=true')).toBe(200);
    const own = cloud.fleet.hosts.filter(({ is_emulated }) => !is_emulated).length;
    expect([await total('hosts?'), await total('hosts?show_emulated=true')]).toEqual([own, own + 6]);
  });

  test('is as wide as the account may see', async () => {
    const cloud = await startCloud({ servers: 300 });
    const { servers } = cloud.fleet;
    const inDomain = servers.filter(({ domain_id }) => domain_id === 'default');
    const inProject = inDomain.filter(({ project }) => project === 'web').length;
    const total = async (query: string, token: string) =>
      (await list(cloud, `servers?${all}${query}`, token)).total;
    const [domain, plain, none] = await Promise.all(
      [domainAccount, plainAccount, powerlessAccount].map((one) => takeToken(cloud, one)),
    );
    expect(await total('scope=domain', domain!)).toBe(inDomain.length);
    expect(await total('scope=max', domain!)).toBe(inDomain.length);
    expect(await total('scope=', domain!)).toBe(inProject);
    expect(await total('scope=project', plain!)).toBe(inProject);
    expect((await ask(cloud, 'servers?scope=', none)).text).toContain(
      '(require:project,allow:none,query:project)',
    );
    expect((await list(cloud, 'hosts?scope=domain&details=false', domain)).total).toBe(hostsIn(cloud));
    const foreign = servers.find(({ project }) => project !== 'web')!;
    expect((await ask(cloud, `servers/${foreign.id}`, plain)).status).toBe(403);
    const [own] = (await list(cloud, 'servers?scope=project', plain)).rows;
    for (const field of ['is_system', 'is_emulated', 'deleted']) expect(own).not.toHaveProperty(field);
  });

  test.each<[Release, number | undefined]>([
    ['3.10', undefined],
    ['3.11', 300],
  ])('on %s by a misspelt scope, by max, and by none', async (release, widest) => {
    const cloud = await startCloud({ servers: 300, release });
    const own = cloud.fleet.servers.filter(({ project }) => project === 'system').length;
    const totals = ['sytem', '', 'max', 'system'].map(
      async (scope) => (await list(cloud, `servers?${all}scope=${scope}`)).total,
    );
    expect(await Promise.all(totals)).toEqual([own, own, widest ?? own, 300]);
  });

  test('by one who may only list is everything, but nothing by its id, and nothing in another project', async () => {
    const cloud = await startCloud({ servers: 60 });
    const lister = await takeToken(cloud, listAccount);
    for (const resource of resources) {
      const target = `${resource}?scope=system&show_emulated=true&pending_delete=all&delete=all`;
      expect((await ask(cloud, target, lister)).text, resource).toBe((await ask(cloud, target)).text);
      const [first] = (await list(cloud, `${resource}?`)).rows;
      const status = ['zones', 'cloudregions'].includes(resource) ? 200 : 403;
      expect((await ask(cloud, `${resource}/${String(first!['id'])}`, lister)).status).toBe(status);
    }
    const elsewhere = await takeToken(cloud, listAccount, webScope);
    const refused = await ask(cloud, 'servers?scope=system', elsewhere);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('(require:system,allow:none,query:system)');
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

describe('field=', () => {
  const keys = async (cloud: SimulatedCloud, query: string) => {
    const { rows } = await list(cloud, `servers?${query}`);
    return new Set(rows.flatMap((row) => Object.keys(row)));
  };
  test.each<[string, string[], Release?]>([
    ['field=name', ['name']],
    ['field.0=name&field.1=id', ['name', 'id']],
    ['field=name,id', []],
    ['field=id&field=project', ['id']],
    ['field=id&field=project&field=tenant', ['id', 'project', 'tenant']],
    ['field=id&field=disks_info&field=disk_count', ['id', 'disk_count']],
    ['field=id&field=metadata', ['id'], '3.10'],
    ['field=id&field=metadata&field=__meta__', ['id', 'metadata'], '3.10'],
    ['field=id&field=metadata', ['id', 'metadata']],
    ['details=false&field=id&field=zone', ['id']],
  ])('has its traps: %s', async (query, expected, release = '3.11') => {
    const cloud = await startCloud({ servers: 40, release });
    expect(await keys(cloud, query)).toEqual(new Set(expected));
    const { rows } = await list(cloud, `servers?${query}`);
    if (query.includes('disk_count'))
      expect(new Set(rows.map(({ disk_count }) => disk_count))).toEqual(new Set([0]));
  });

  test('brings the same values as without it, of a server that changes too', async () => {
    const cloud = await startCloud({ servers: 40 });
    const { id } = cloud.fleet.servers.find(({ pending_deleted }) => !pending_deleted)!;
    const views = ['', 'details=false', 'field=id&field=name', 'details=false&field=name&field=id'];
    for (const name of ['as it was', 'renamed']) {
      cloud.fleet.change(id, { name });
      for (const view of views) {
        const { rows } = await list(cloud, `servers?${view}`);
        expect(rows.find((row) => row['id'] === id)).toMatchObject({ id, name });
      }
    }
  });
});

test.each<[Release, string, string, boolean]>([
  ['3.10', 'online', 'GPU-HPC', true],
  ['3.11', 'online', 'GPU-HPC', false],
  ['4.0', 'running', 'GPU', false],
])('release %s has its own words and its own sums', async (release, host, device, sums) => {
  const cloud = await startCloud({ servers: 300, release });
  const expired_at = '2027-01-01T00:00:00.000000Z';
  const patch = { billing_type: 'postpaid', expired_at, pending_deleted: false };
  cloud.fleet.change(cloud.fleet.servers[0]!.id, patch);
  const { rows } = await list(cloud, 'servers?pending_delete=all');
  expect(rows.map(({ host_status }) => host_status)).toContain(host);
  const own = rows.flatMap((row) => (row['isolated_devices'] ?? []) as Row[]);
  for (const devices of [own, (await list(cloud, 'isolated_devices?unused=true')).rows])
    expect(devices.map(({ dev_type }) => dev_type)).toContain(device);
  const field = release === '3.10' ? 'expired_at' : 'release_at';
  expect([rows[0]!['expired_at'] ?? rows[0]!['release_at'], rows[0]![field]]).toEqual([
    expired_at,
    expired_at,
  ]);
  expect('totals' in ((await ask(cloud, 'servers?limit=1&scope=system')).json as object)).toBe(sums);
  const asked = (await ask(cloud, 'servers?limit=1&scope=system&summary_stats=true')).json;
  expect(asked).toHaveProperty('totals.cpu_count');
});

function hostsIn({ fleet }: SimulatedCloud): number {
  return fleet.hosts.filter(({ is_emulated }) => !is_emulated).length;
}

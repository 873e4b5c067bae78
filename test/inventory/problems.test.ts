import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { isHostUp } from '../../src/inventory/names.ts';
import { placeOf } from '../../src/inventory/places.ts';
import {
  createProblemList,
  problemKinds,
  problemsOf,
  shareOut,
  type ProblemSettings,
} from '../../src/inventory/problems.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { captured } from '../support/capture.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const now = Date.parse('2026-11-15T00:13:00Z');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const settings: ProblemSettings = { limit: 1000, stuckAfterMs: hourMs, expiringWithinMs: 7 * dayMs };

const read = createServerReader([]);

function serverOf(record: unknown): Server {
  const server = read(record);
  if (typeof server === 'string') throw new Error(`rejected: ${server}`);
  return server;
}

/** A healthy server but for what is given. */
function server(given: object = {}): Server {
  const healthy = { status: 'running', host_status: 'online', host_service_status: 'online' };
  const numbers = { vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
  return serverOf({ id: 'some-id', ...numbers, ...healthy, ...given });
}

const at = (offsetMs: number) => new Date(now + offsetMs).toISOString();
const kindsOf = (one: Server, thresholds = settings) => problemsOf(one, isHostUp(one), thresholds, now);
const problems = (given: object) => kindsOf(server(given));

/** The list of problems of these servers. */
function listOf(servers: readonly Server[], limit: number) {
  const list = createProblemList({ ...settings, limit }, now);
  for (const one of servers) {
    const { host, zone, region } = one;
    const names = { host, zone, region, zoneId: '', isUp: isHostUp(one), isEmulated: undefined };
    list.add(one, names, placeOf(one, one, one));
  }
  return list.finish();
}

it.each([
  ['expired', -dayMs, -dayMs],
  ['expiring', dayMs, dayMs],
  ['stuck', 99 * dayMs, -2 * hourMs],
] as const)('the moment of a server that is %s, with an end in %i ms, is in %i ms', (kind, end, moment) => {
  const one = server({ status: 'migrating', expired_at: at(end), updated_at: at(-2 * hourMs), host: 'h' });
  const problem = listOf([one], 10).named.find((named) => named.kind === kind);
  expect(problem).toMatchObject({ id: 'some-id', status: 'migrating', host: 'h', since: now + moment });
});

describe('a server', () => {
  it('that runs on a host that is online has no problem', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ status: 'ready', updated_at: at(-400 * dayMs) })).toEqual([]);
  });

  it.each([
    ['sched_fail', ['failed']],
    ['crash_loop_back_off', ['failed']],
    ['snapshot_failed', ['task_failed']],
    ['fail_of_a_later_release', ['task_failed']],
  ])('with status %s has %o', (status, expected) => expect(problems({ status })).toEqual(expected));

  it('in the recycle bin has none, whatever it says', () => {
    const troubled = { status: 'sched_fail', host_status: 'offline', backup_host_status: 'offline' };
    expect(problems({ ...troubled, expired_at: at(-1), pending_deleted: true })).toEqual([]);
  });

  it('whose moments have no zone has them in UTC', () => {
    const bare = at(-hourMs - 1)
      .replace('T', ' ')
      .replace('Z', '');
    expect(problems({ status: 'migrating', updated_at: bare })).toEqual(['stuck']);
    expect(problems({ expired_at: at(1).replace('Z', '') })).toEqual(['expiring']);
  });

  it.each(['unknown', 'admin', 'unsync', '', undefined])('with status %s is unknown', (status) =>
    expect(problems({ status })).toEqual(['unknown']),
  );

  it.each([
    ['is not stuck at the limit', at(-hourMs), []],
    ['is stuck a millisecond later', at(-hourMs - 1), ['stuck']],
    ['is not stuck if its change lies ahead, as clocks differ', at(hourMs), []],
    ['is not stuck if nobody knows since when', undefined, []],
    ['is not stuck if the moment is unreadable', 'yesterday', []],
  ])('in transition %s', (_words, updated_at, expected) =>
    expect(problems({ status: 'migrating', updated_at })).toEqual(expected),
  );

  it('that is at rest is never stuck, however long ago it changed', () => {
    for (const status of ['running', 'ready', 'suspend', 'deallocated'])
      expect(problems({ status, updated_at: at(-9999 * dayMs) })).toEqual([]);
  });

  it.each([
    [{ host_service_status: 'offline' }, ['host_down']],
    [{ host_status: 'offline' }, ['host_down']],
    [{ host_status: 'offline', host_service_status: 'offline' }, ['host_down']],
    [{ host_status: 'unknown' }, []],
    [{ host_status: undefined, host_service_status: undefined }, []],
    [{ host_status: 'maintaining' }, []],
  ])('whose host says %o has %o', (given, expected) => expect(problems(given)).toEqual(expected));

  it.each([
    ['offline', ['standby_down']],
    ['online', []],
    ['', []],
    [undefined, []],
  ])('whose standby is %s has %o', (backup_host_status, expected) =>
    expect(problems({ backup_host_status })).toEqual(expected),
  );

  it.each([
    ['a millisecond after its end', at(-1), false, ['expired']],
    ['at its end', at(0), false, ['expired']],
    ['at its end, although it should have been renewed', at(0), true, ['expired']],
    ['a millisecond before its end', at(1), false, ['expiring']],
    ['as long before its end as the setting', at(7 * dayMs), false, ['expiring']],
    ['a millisecond longer before its end', at(7 * dayMs + 1), false, []],
    ['shortly before its end, but with auto_renew', at(1), true, []],
    ['without an end', undefined, false, []],
    ['with an end that is unreadable', 'soon', false, []],
  ])('%s', (_words, expired_at, auto_renew, expected) =>
    expect(problems({ expired_at, auto_renew })).toEqual(expected),
  );

  it('that is postpaid and past its planned release has no problem, but is expiring before it', () => {
    expect(problems({ expired_at: at(-1), billing_type: 'postpaid' })).toEqual([]);
    expect(problems({ expired_at: at(-1), billing_type: 'prepaid' })).toEqual(['expired']);
    expect(problems({ release_at: at(1), billing_type: 'postpaid' })).toEqual(['expiring']);
  });

  it('may have several problems, the more pressing first', () => {
    const given = { status: 'snapshot_failed', host_status: 'offline', expired_at: at(-1) };
    expect(problems({ ...given, backup_host_status: 'offline' })).toEqual([
      'host_down',
      'standby_down',
      'task_failed',
      'expired',
    ]);
  });

  it('is judged by the thresholds that are set', () => {
    const patient = { ...settings, stuckAfterMs: 2 * hourMs, expiringWithinMs: dayMs };
    const slow = server({ status: 'migrating', updated_at: at(-1.5 * hourMs), expired_at: at(2 * dayMs) });
    expect(kindsOf(slow)).toEqual(['stuck', 'expiring']);
    expect(kindsOf(slow, patient)).toEqual([]);
  });
});

describe('servers of the real platform', () => {
  it.each([
    ['server-api-created-sched-fail', [['api-vm-1', ['failed']]]],
    ['server-aliyun', [['ecs-001', ['expired']]]],
    ['server-gpu', [['vm-010', []]]],
    [
      'servers-q__details_true_limit_3_scope_system',
      [
        ['web "front" \\ 01', ['host_down']],
        ['api-vm-1', ['failed']],
        ['生产-数据库-1', []],
      ],
    ],
    [
      'servers-x_pending_delete_true',
      [
        ['vm-050', []],
        ['vm-051', []],
      ],
    ],
  ])('as captured in %s have the problems that they have', (name, expected) => {
    expect(recordsIn(name).map((record) => [serverOf(record).name, kindsOf(serverOf(record))])).toEqual(
      expected,
    );
  });

  it('expire as their bills say', () => {
    const servers = recordsIn('servers-limit_10_offset_70').map(serverOf);
    const expiring = (days: number) =>
      servers
        .filter((one) => kindsOf(one, { ...settings, expiringWithinMs: days * dayMs }).length > 0)
        .map(({ name }) => name);
    expect(expiring(7)).toEqual([]);
    expect(expiring(14)).toEqual(['ecs-015']);
    expect(expiring(30)).toEqual(['ecs-015', 'ecs-019']);
  });

  it('are named on /metrics, with their place', async () => {
    const records = ['servers-q__details_true_limit_3_scope_system', 'server-aliyun'].flatMap(recordsIn);
    const cloud = await simulate({ servers: records.length, now: () => now });
    let turn = 0;
    cloud.quirks.rewriteServer = () => records[turn++ % records.length];
    const clock = { ...systemClock, now: () => now };
    const exporter = await runExporter({ real: settingsFor(cloud) }, { clock });
    const parsed = parseExposition(await exporter.text('/metrics'));
    const found = parsed.of('cloud_server_problem').map(({ labels }) => labels);
    expect(found.map(({ name, problem }) => [name, problem])).toEqual([
      ['api-vm-1', 'failed'],
      ['web "front" \\ 01', 'host_down'],
      ['ecs-001', 'expired'],
    ]);
    expect(found[2]).toEqual({
      cloud: 'real',
      id: (records.at(-1) as { id: string }).id,
      name: 'ecs-001',
      project_domain: 'Default',
      project: expect.stringMatching(/./),
      region: expect.stringContaining('Aliyun'),
      zone: expect.stringMatching(/./),
      hypervisor: 'aliyun',
      host: expect.stringMatching(/./),
      problem: 'expired',
    });
    expect(parsed.value('cloud_server_problems', { problem: 'stuck' })).toBe(0);
    const since = parsed.of('cloud_server_problem_timestamp_seconds');
    const moment = (name: string, field: string) => {
      const record = records.find((one) => (one as { name: string }).name === name) as Record<string, string>;
      return Date.parse(record[field]!) / 1000;
    };
    expect(since.map(({ labels, value }) => [labels['problem'], value])).toEqual([
      ['failed', moment('api-vm-1', 'updated_at')],
      ['host_down', moment('web "front" \\ 01', 'updated_at')],
      ['expired', moment('ecs-001', 'expired_at')],
    ]);
  });
});

function recordsIn(name: string): unknown[] {
  const body = JSON.parse(captured(name).body) as { servers?: unknown[]; server?: unknown };
  return body.servers ?? [body.server];
}

function countAndName(servers: readonly Server[], limit: number) {
  const { counts, named } = listOf(servers, limit);
  return { counts: Object.fromEntries(counts), named: named.map((one) => [one.kind, one.id]) };
}

describe('the list of problems', () => {
  const many = Array.from({ length: 5000 }, (_, index) =>
    server({
      id: `id-${String(index).padStart(5, '0')}`,
      status: index % 2 === 0 ? 'unknown' : 'deploy_fail',
      host_status: index % 5 === 0 ? 'offline' : 'online',
    }),
  );

  it('counts every problem and every kind, however few are named', () => {
    const { counts, named } = countAndName(many, 10);
    expect(Object.keys(counts).toSorted()).toEqual([...problemKinds].toSorted());
    expect(counts).toMatchObject({ failed: 2500, unknown: 2500, host_down: 1000, stuck: 0, expired: 0 });
    expect(named).toHaveLength(10);
  });

  it('names some of each kind, by id', () => {
    expect(countAndName(many, 4).named).toEqual([
      ['failed', 'id-00001'],
      ['failed', 'id-00003'],
      ['host_down', 'id-00000'],
      ['unknown', 'id-00000'],
    ]);
    const { named } = countAndName(many, 4000);
    const count = (kind: string) => named.filter(([one]) => one === kind).length;
    expect([count('failed'), count('host_down'), count('unknown')]).toEqual([1500, 1000, 1500]);
  });

  it('is not filled by the many while the few are left out', () => {
    const few = [server({ id: 'lonely', backup_host_status: 'offline' })];
    expect(countAndName([...many, ...few], 20).named).toContainEqual(['standby_down', 'lonely']);
  });

  it.each([
    [[5, 0, 5], 4, [2, 0, 2]],
    [[5, 5, 5], 4, [2, 1, 1]],
    [[1, 9, 2], 6, [1, 3, 2]],
    [[100, 1, 1], 50, [48, 1, 1]],
    [[12, 1, 1, 100], 40, [12, 1, 1, 26]],
    [[3, 3], 100, [3, 3]],
    [[3, 3, 3], 2, [1, 1, 0]],
    [[3], 0, [0]],
  ])('of %o shares out %i as %o', (needs, limit, expected) =>
    expect(shareOut(needs, limit)).toEqual(expected),
  );

  it.each([1, 10, 999, 2600, 10_000])('names the same %i in whatever order the servers arrive', (limit) => {
    const inOrder = countAndName(many, limit).named;
    expect(countAndName(many.toReversed(), limit).named).toEqual(inOrder);
    const shuffled = many.toSorted((a, b) => (scatter(a.id) < scatter(b.id) ? -1 : 1));
    expect(countAndName(shuffled, limit).named).toEqual(inOrder);
    expect(inOrder).toHaveLength(Math.min(limit, 6000));
  });

  it('may name none, and still counts', () => {
    expect(countAndName(many, 0)).toMatchObject({ named: [], counts: { failed: 2500 } });
  });
});

/** A fixed order that has nothing to do with that of the ids. */
function scatter(id: string): string {
  return id.split('').toReversed().join('');
}

describe('from scrape to scrape', () => {
  it('the same servers are named, within problem_limit and beside the true counts', async () => {
    const cloud = await simulate({ servers: 200 });
    for (const { id } of cloud.fleet.hosts) cloud.fleet.silenceHost(id, false);
    for (const { id } of cloud.fleet.servers)
      cloud.fleet.change(id, {
        ...healthy,
        expired_at: null,
        backup_host_status: '',
        pending_deleted: false,
      });
    const failed = cloud.fleet.servers.slice(0, 50);
    for (const { id } of failed) cloud.fleet.setStatus(id, 'deploy_fail');
    const exporter = await runExporter({
      one: settingsFor(cloud, { problem_limit: 20, page_size: 9, concurrency: 8 }),
    });
    const first = parseExposition(await exporter.text('/metrics'));
    expect(first.of('cloud_server_problem').map(({ labels }) => labels['id'])).toEqual(
      failed
        .map(({ id }) => id)
        .toSorted()
        .slice(0, 20),
    );
    expect(first.value('cloud_server_problems', { problem: 'failed' })).toBe(failed.length);
    const second = parseExposition(await exporter.text('/metrics'));
    expect(second.of('cloud_server_problem')).toEqual(first.of('cloud_server_problem'));
  });

  it('a server that recovers is named no longer', async () => {
    const cloud = await simulate({ servers: 20 });
    for (const { id } of cloud.fleet.hosts) cloud.fleet.silenceHost(id, false);
    for (const { id } of cloud.fleet.servers)
      cloud.fleet.change(id, { ...healthy, expired_at: null, backup_host_status: '' });
    const [sick] = cloud.fleet.servers;
    cloud.fleet.setStatus(sick!.id, 'start_fail');
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const before = parseExposition(await exporter.text('/metrics'));
    expect(before.of('cloud_server_problem').map(({ labels }) => labels['id'])).toEqual([sick!.id]);
    cloud.fleet.setStatus(sick!.id, 'running');
    const after = parseExposition(await exporter.text('/metrics'));
    expect(after.of('cloud_server_problem')).toEqual([]);
    expect(after.sum('cloud_server_problems')).toBe(0);
  });
});

const healthy = { status: 'running', host_status: 'running', host_service_status: 'online' };

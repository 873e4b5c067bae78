import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { isHostUp } from '../../src/inventory/names.ts';
import { locationOf } from '../../src/inventory/location.ts';
import {
  findProblems,
  problemKinds,
  type Problem,
  type ProblemKind,
  shareOut,
  summarize,
  type ProblemSettings,
} from '../../src/inventory/problems.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { captured } from '../support/capture.ts';
import { exportCloud } from '../support/exported-cloud.ts';

const now = Date.parse('2026-11-15T00:13:00Z');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const settings: ProblemSettings = { limit: 1000, stuckAfterMs: hourMs, expiringWithinMs: 7 * dayMs };

const read = createServerReader([]);

/** A healthy server but for what is given. */
function server(given: object = {}): Server {
  const healthy = { status: 'running', host_status: 'online', host_service_status: 'online' };
  const numbers = { vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
  return read({ id: 'some-id', ...numbers, ...healthy, ...given }) as Server;
}

const at = (offsetMs: number) => new Date(now + offsetMs).toISOString();
const troubled = { host_status: 'offline', backup_host_status: 'offline', expired_at: at(-1) };
const kindsOf = (one: Server, thresholds = settings) => findProblems(one, isHostUp(one), thresholds, now);
const problems = (given: object) => kindsOf(server(given));

function problemOf(one: Server, kind: ProblemKind): Problem {
  const { id, name, status, host } = one;
  const location = locationOf(one, one, one);
  return { kind, id, name, status, host, location, info: [], since: undefined };
}

/** The list of problems of these servers. */
function listOf(servers: readonly Server[], limit: number) {
  return summarize(
    servers.flatMap((one) => kindsOf(one).map((kind) => problemOf(one, kind))),
    limit,
  );
}

/** Long ago, which is no matter to a server at rest. */
const longAgo = at(-9999 * dayMs);

describe('a server', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ status: 'ready', updated_at: longAgo }, []],
    [{ status: 'suspend', updated_at: longAgo }, []],
    [{ status: 'deallocated', updated_at: longAgo }, []],
    [{ status: 'sched_fail' }, ['failed']],
    [{ status: 'crash_loop_back_off' }, ['failed']],
    [{ status: 'snapshot_failed' }, ['task_failed']],
    [{ status: 'fail_of_a_later_release' }, ['task_failed']],
    [{ status: 'unknown' }, ['unknown']],
    [{ status: 'unsync' }, ['unknown']],
    [{ status: undefined }, ['unknown']],
    // Stuck only after the limit, and not if its change lies ahead, as clocks differ.
    [{ status: 'migrating', updated_at: at(-hourMs) }, []],
    [{ status: 'migrating', updated_at: at(-hourMs - 1) }, ['stuck']],
    [{ status: 'migrating', updated_at: at(hourMs) }, []],
    [{ status: 'migrating', updated_at: undefined }, []],
    [{ status: 'migrating', updated_at: 'yesterday' }, []],
    [{ host_service_status: 'offline' }, ['host_down']],
    [{ host_status: 'offline' }, ['host_down']],
    [{ host_status: 'unknown' }, []],
    [{ host_status: undefined, host_service_status: undefined }, []],
    [{ host_status: 'maintaining' }, []],
    [{ backup_host_status: 'offline' }, ['standby_down']],
    [{ backup_host_status: 'online' }, []],
    [{ backup_host_status: '' }, []],
    [{ expired_at: at(-1) }, ['expired']],
    [{ expired_at: at(0) }, ['expired']],
    [{ expired_at: at(0), auto_renew: true }, ['expired']],
    [{ expired_at: at(1) }, ['expiring']],
    [{ expired_at: at(7 * dayMs) }, ['expiring']],
    [{ expired_at: at(7 * dayMs + 1) }, []],
    [{ expired_at: at(1), auto_renew: true }, []],
    [{ expired_at: 'soon' }, []],
    [{ expired_at: at(-1), billing_type: 'prepaid' }, ['expired']],
    // The planned release of a postpaid one.
    [{ expired_at: at(-1), billing_type: 'postpaid' }, []],
    [{ release_at: at(1), billing_type: 'postpaid' }, ['expiring']],
    // In UTC where they do not say so.
    [{ expired_at: at(1).replace('Z', '') }, ['expiring']],
    [{ status: 'migrating', updated_at: '2026-11-14 23:12:59' }, ['stuck']],
    // The more pressing first; in the recycle bin none.
    [{ ...troubled, status: 'snapshot_failed' }, ['host_down', 'standby_down', 'task_failed', 'expired']],
    [{ ...troubled, status: 'sched_fail', pending_deleted: true }, []],
  ])('with %o has %o', (given, expected) => expect(problems(given)).toEqual(expected));

  it('is judged by the thresholds that are set', () => {
    const patient = { ...settings, stuckAfterMs: 2 * hourMs, expiringWithinMs: dayMs };
    const slow = server({ status: 'migrating', updated_at: at(-1.5 * hourMs), expired_at: at(2 * dayMs) });
    expect(kindsOf(slow)).toEqual(['stuck', 'expiring']);
    expect(kindsOf(slow, patient)).toEqual([]);
  });
});

it('problems of servers of the real platform are named on /metrics, with their place, and since when', async () => {
  const { rows } = captured('servers-q__details_true_limit_3_scope_system');
  const records = [...rows, captured('server-aliyun').json['server']] as Record<string, string>[];
  const clock = { ...systemClock, now: () => now };
  const { cloud, scrape } = await exportCloud({ servers: records.length, clock });
  let turn = 0;
  cloud.quirks.rewriteServer = () => records[turn++ % records.length];
  const parsed = await scrape();
  const found = parsed.of('cloud_server_problem').map(({ labels }) => labels);
  expect(found.map(({ name, problem }) => [name, problem])).toEqual([
    ['api-vm-1', 'failed'],
    ['web "front" \\ 01', 'host_down'],
    ['ecs-001', 'expired'],
  ]);
  const { id, region, zone, host, project, project_domain, hypervisor } = records.at(-1)!;
  const place = { region, zone, host, project, project_domain, hypervisor };
  expect(found[2]).toEqual({ cloud: 'one', id, name: 'ecs-001', ...place, problem: 'expired' });
  expect(parsed.value('cloud_server_problems', { problem: 'stuck' })).toBe(0);
  const moment = ({ name, problem }: (typeof found)[number]) =>
    records.find((one) => one['name'] === name)![problem === 'expired' ? 'expired_at' : 'updated_at']!;
  const since = parsed.of('cloud_server_problem_timestamp_seconds');
  expect(since.map(({ value }) => value)).toEqual(found.map((one) => Date.parse(moment(one)) / 1000));
});

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
    expect(countAndName(many, 0)).toEqual({ named: [], counts });
  });

  it('names some of each kind, by id, and is not filled by the many while the few are left out', () => {
    expect(countAndName(many, 4).named).toEqual([
      ['failed', 'id-00001'],
      ['failed', 'id-00003'],
      ['host_down', 'id-00000'],
      ['unknown', 'id-00000'],
    ]);
    const few = [server({ id: 'lonely', backup_host_status: 'offline' })];
    const kinds = countAndName([...many, ...few], 4000).named.map(([kind]) => kind);
    const count = (kind: string) => kinds.filter((one) => one === kind).length;
    const counts = ['failed', 'host_down', 'unknown', 'standby_down'].map(count);
    expect(counts).toEqual([1500, 1000, 1499, 1]);
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
});

/** A fixed order that has nothing to do with that of the ids. */
function scatter(id: string): string {
  return id.split('').toReversed().join('');
}

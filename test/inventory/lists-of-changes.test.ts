import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isById, minute, setUpChanges, wholePages } from './changing-cloud.ts';

const systemWide = { scope: 'system', pending_delete: 'all' };

describe('a list of changes', () => {
  it('is three small requests between two whole lists, and tells the same as these', async () => {
    const { asked, how, begin, expectTrue } = await setUpChanges();
    await begin();
    expect(asked()).toMatchObject({ plain: wholePages, totals: 0, changes: [] });
    const parsed = await expectTrue();
    expect(how()).toBe('changes');
    expect(asked()).toMatchObject({ totals: 1, plain: 0, detailed: 0 });
    const { changes, deletions } = asked();
    expect([changes.length, deletions.length]).toEqual([1, 1]);
    for (const [column, one] of Object.entries({ updated_at: changes[0]!, deleted_at: deletions[0]! })) {
      expect(Object.fromEntries(one)).toMatchObject({ ...systemWide, details: 'false', delete: 'all' });
      expect(one.getAll('filter')).toEqual([
        expect.stringMatching(
          new RegExp(`^${column}\\.ge\\("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"\\)$`),
        ),
      ]);
    }
    expect(parsed.value('cloud_list_reported', { resource: 'servers' })).toBe(100);
  });

  it('starts more than a minute before the latest change that is known', async () => {
    const { asked, begin, clock, expectTrue, fleet } = await setUpChanges();
    await begin();
    const changedAt = clock.now();
    fleet.setStatus(fleet.servers[3]!.id, 'start_fail');
    await expectTrue();
    await expectTrue();
    const [time] = /"(.*)"/.exec(asked().changes[0]!.get('filter')!)!.slice(1);
    expect(Date.parse(time!)).toBeLessThanOrEqual(changedAt - minute);
    expect(Date.parse(time!)).toBeGreaterThan(changedAt - 5 * minute);
  });

  it('tells of whatever is created, changed, moved, given away, frozen, deleted or in the recycle bin', async () => {
    const { asked, how, begin, expectTrue, fleet, quiet } = await setUpChanges();
    await begin();
    const [status, owner, named, moved, ends, endless] = quiet(6);
    const { id: tenant_id, name: project, domain } = fleet.projects[3]!;
    const owned = { project, tenant: project, project_domain: domain.name, domain_id: domain.id };
    const binned = fleet.servers.find(({ id, pending_deleted }) => !pending_deleted && id !== status)!.id;
    const steps: readonly (() => unknown)[] = [
      () => fleet.create(1),
      () => fleet.setStatus(status!, 'start_fail'),
      () => fleet.change(owner!, { tenant_id, ...owned }),
      () => fleet.change(named!, { name: 'renamed', disk: 77, disk_count: 3 }),
      () => fleet.moveServer(moved!, fleet.hosts.find(({ id }) => id !== fleet.find(moved!)!.host_id)!.id),
      () => fleet.change(ends!, { expired_at: '2027-01-01T00:00:00.000000Z' }),
      () => fleet.change(endless!, { expired_at: null, status: 'frozen' }),
    ];
    for (const step of steps) step();
    await expectTrue();
    expect(how()).toBe('changes');
    const changed = [fleet.servers.at(-1)!.id, status, owner, named, moved, ends, endless];
    expect(asked().ids).toEqual(expect.arrayContaining(changed));
    fleet.change(binned, { pending_deleted: true });
    fleet.remove([status!]);
    fleet.remove([owner!], { withHost: true });
    await expectTrue();
    expect(how()).toBe('changes');
    fleet.change(binned, { pending_deleted: false });
    fleet.remove([named!]);
    fleet.create(1);
    await expectTrue();
    expect(how()).toBe('changes');
  });

  it('has as many pages as the platform wants', async () => {
    const { asked, how, begin, expectTrue, fleet } = await setUpChanges({}, { maximumPageSize: 12 });
    await begin();
    fleet.changeAll(
      fleet.servers.slice(0, 32).map(({ id }) => id),
      ({ vcpu_count }) => ({ vcpu_count: vcpu_count + 1 }),
    );
    await expectTrue();
    expect(how()).toBe('changes');
    expect(asked().changes.length).toBeGreaterThan(2);
  });

  it('goes on when every server is deleted, and when there are some again', async () => {
    const { begin, expectTrue, fleet } = await setUpChanges();
    await begin();
    fleet.remove(fleet.servers.slice(30).map(({ id }) => id));
    await expectTrue();
    fleet.remove(fleet.servers.map(({ id }) => id));
    await expectTrue();
    await expectTrue();
    fleet.create(3);
    await expectTrue();
    await expectTrue();
    await expectTrue();
  });

  it('that fails leaves what is known as it was', async () => {
    const { asked, begin, cloud, expectTrue, fleet, how, quiet, scrape } = await setUpChanges();
    await begin();
    const [changed, gone] = quiet(2);
    fleet.setStatus(changed!, 'start_fail');
    fleet.remove([gone!]);
    // The changes are told, and then the details fail.
    cloud.faults.set({ operation: 'list', where: isById, fault: { kind: 'status', code: 400 } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    cloud.faults.clear();
    await expectTrue();
    expect(how()).toBe('changes');
    expect(asked().ids).toContain(changed);
  });

  it('tells of a host that falls silent, which no server tells', async () => {
    const { begin, expectTrue, fleet, how } = await setUpChanges({ list_hosts: false });
    await begin();
    const on = (host: string) => fleet.servers.filter(({ host_id }) => host_id === host).length;
    const host = fleet.hosts.find(({ id, host_status }) => host_status === 'online' && on(id) > 3)!;
    fleet.silenceHost(host.id);
    expect((await expectTrue()).value('cloud_host_up', { host: host.name })).toBe(0);
    expect(how()).toBe('changes');
  });
});

describe('the whole list', () => {
  it('is read every list_max_age, and its time is told', async () => {
    const { begin, clock, expectTrue, how } = await setUpChanges();
    await begin();
    const readAt = clock.now() / 1000;
    for (let round = 0; round < 4; round += 1) {
      expect((await expectTrue()).value('cloud_list_timestamp_seconds', { resource: 'servers' })).toBe(
        readAt,
      );
      expect(how()).toBe('changes');
    }
    const parsed = await expectTrue();
    expect(how()).toBe('whole');
    expect(parsed.value('cloud_list_timestamp_seconds', { resource: 'servers' })).toBe(clock.now() / 1000);
    expect(parsed.value('cloud_list_drift_total')).toBe(0);
    await expectTrue();
    expect(how()).toBe('changes');
  });

  it('counts what it shows otherwise, says what, and makes every list whole for an hour', async () => {
    const { begin, exporter, expectTrue, fleet, how, scrape, quiet } = await setUpChanges();
    await begin();
    const [altered, replaced] = quiet(2).map((id) => fleet.find(id)!);
    const unstamped = ({ updated_at, update_version }: typeof altered & object) => ({
      updated_at,
      update_version,
    });
    fleet.change(altered!.id, { status: 'start_fail', ...unstamped(altered!) });
    // Another server in its place, which has not changed for a year.
    fleet.change(replaced!.id, { id: `${replaced!.id.slice(0, -4)}ffff`, ...unstamped(replaced!) });
    await scrape();
    expect(how()).toBe('changes');
    for (let round = 0; round < 3; round += 1) await scrape();
    const parsed = await expectTrue();
    expect(how()).toBe('whole');
    expect(parsed.value('cloud_list_drift_total')).toBe(3);
    expect(exporter.logged()).toContain('full list differs from change lists for 3 servers');
    expect(exporter.logged()).toContain(altered!.id);
    for (let round = 0; round < 59; round += 1) {
      await scrape();
      expect(how()).toBe('whole');
    }
    const after = await expectTrue();
    expect(how()).toBe('changes');
    expect(after.value('cloud_list_drift_total')).toBe(3);
  });

  it('does not count what changes while it is read', async () => {
    const { begin, cloud, expectTrue, fleet, how, scrape } = await setUpChanges();
    await begin();
    for (let round = 0; round < 4; round += 1) await expectTrue();
    let pages = 0;
    cloud.hooks.beforePage = (_page, parameters) => {
      if (/^(?!id\.(gt|le))/.test(parameters.get('filter') ?? 'id.gt') || parameters.get('limit') === '1')
        return;
      pages += 1;
      fleet.remove([fleet.servers[80]!.id], { withHost: true });
      fleet.setStatus(fleet.servers[20]!.id, pages % 2 === 0 ? 'start_fail' : 'ready');
      fleet.create(1);
    };
    const parsed = await scrape();
    cloud.hooks.beforePage = undefined;
    expect(how()).toBe('whole');
    expect(pages).toBeGreaterThanOrEqual(wholePages);
    expect(parsed.value('cloud_list_drift_total')).toBe(0);
    expect((await expectTrue()).value('cloud_list_drift_total')).toBe(0);
    expect(how()).toBe('changes');
  });
});

describe('lists of changes', () => {
  it('say in a trace what was read how', async () => {
    const { begin, exporter, clock, fleet } = await setUpChanges();
    await begin();
    await clock.advance(minute);
    const trace = () => exporter.text('/probe?cloud=one&debug=true');
    expect(await trace()).toMatch(/reading: changes since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
    fleet.remove([fleet.servers[5]!.id], { withHost: true, at: 0 });
    await clock.advance(minute);
    expect(await trace()).toContain('reading: without details: 100 servers are known, the platform has 99');
    await clock.advance(10 * minute);
    expect(await trace()).toContain('reading: without details: it is due');
  });

  it('begin anew when the cloud is changed by a reload, and only then', async () => {
    const { begin, exporter, expectTrue, how } = await setUpChanges();
    await begin();
    await exporter.reload();
    await expectTrue();
    expect(how()).toBe('changes');
    const file = await readFile(exporter.configFile, 'utf8');
    await writeFile(exporter.configFile, file.replace('list_max_age: 5m', 'list_max_age: 6m'));
    expect(await exporter.reload()).toEqual([]);
    await expectTrue();
    expect(how()).toBe('detailed');
  });
});

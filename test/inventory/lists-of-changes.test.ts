import { describe, expect, it } from 'vitest';
import { beginChanges, isById, minute, wholePages } from './changing-cloud.ts';

const systemWide = { scope: 'system', pending_delete: 'all' };

describe('a list of changes', () => {
  it('is three small requests between two whole lists, and tells the same as these', async () => {
    const { asked, expectTrue } = await beginChanges();
    expect(asked()).toMatchObject({ plain: wholePages, totals: 0, changes: [] });
    const parsed = await expectTrue('changes');
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

  it('has as many pages as the platform wants', async () => {
    const { asked, expectTrue, changeFirst } = await beginChanges({}, { maximumPageSize: 12 });
    changeFirst(32, ({ vcpu_count }) => ({ vcpu_count: vcpu_count + 1 }));
    await expectTrue('changes');
    expect(asked().changes.length).toBeGreaterThan(2);
  });

  it('goes on when every server is deleted, and when there are some again', async () => {
    const { expectTrue, fleet } = await beginChanges();
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
    const { asked, cloud, expectTrue, fleet, quiet, scrape } = await beginChanges();
    const [changed, gone] = quiet(2);
    fleet.setStatus(changed!, 'start_fail');
    fleet.remove([gone!]);
    // The changes are told, and then the details fail.
    cloud.faults.set({ operation: 'list', where: isById, fault: { kind: 'status', code: 400 } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    cloud.faults.clear();
    await expectTrue('changes');
    expect(asked().ids).toContain(changed);
  });
});

describe('the whole list', () => {
  it('is read every list_max_age, and its time is told', async () => {
    const { clock, expectTrue } = await beginChanges();
    const readAt = async (way: 'changes' | 'whole') =>
      (await expectTrue(way)).value('cloud_list_timestamp_seconds', { resource: 'servers' })! * 1000;
    const begunAt = clock.now();
    for (let round = 0; round < 4; round += 1) expect(await readAt('changes')).toBe(begunAt);
    expect(await readAt('whole')).toBe(clock.now());
    await expectTrue('changes');
  });

  it('counts what it shows otherwise, says what, and makes every list whole for an hour', async () => {
    const { exporter, expectTrue, fleet, scrape, quiet } = await beginChanges();
    const [altered, replaced] = quiet(2);
    function changeUnsaid(id: string, change: object): void {
      const { updated_at, update_version } = fleet.find(id)!;
      fleet.change(id, { ...change, updated_at, update_version });
    }
    changeUnsaid(altered!, { status: 'start_fail' });
    // Another server in its place, which has not changed for a year.
    changeUnsaid(replaced!, { id: `${replaced!.slice(0, -4)}ffff` });
    await scrape('changes');
    for (let round = 0; round < 3; round += 1) await scrape();
    const parsed = await expectTrue('whole');
    expect(parsed.value('cloud_list_drift_total')).toBe(3);
    expect(exporter.logged()).toContain('full list differs from change lists for 3 servers');
    expect(exporter.logged()).toContain(altered);
    for (let round = 0; round < 59; round += 1) await scrape('whole');
    expect((await expectTrue('changes')).value('cloud_list_drift_total')).toBe(3);
  });

  it('does not count what changes while it is read', async () => {
    const { cloud, expectTrue, fleet, scrape } = await beginChanges();
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
    expect((await scrape('whole')).value('cloud_list_drift_total')).toBe(0);
    cloud.hooks.beforePage = undefined;
    expect(pages).toBeGreaterThanOrEqual(wholePages);
    expect((await expectTrue('changes')).value('cloud_list_drift_total')).toBe(0);
  });
});

it('a trace says what was read how', async () => {
  const { exporter, clock, fleet } = await beginChanges();
  async function traceAfter(minutes: number): Promise<string> {
    await clock.advance(minutes * minute);
    return exporter.text('/probe?cloud=one&debug=true');
  }
  expect(await traceAfter(1)).toMatch(/reading: changes since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  fleet.remove([fleet.servers[5]!.id], { withHost: true, at: 0 });
  const trace = await traceAfter(1);
  expect(trace).toContain('reading: without details: 100 servers are known, the platform has 99');
  expect(trace).toMatch(/reading: details of some servers: 0 new or changed, \d+ due/);
  expect(await traceAfter(10)).toContain('reading: without details: it is due');
});

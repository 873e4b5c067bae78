import { describe, expect, it } from 'vitest';
import { beginChanges, setUpChanges } from './changing-cloud.ts';

const isChanges = (parameters: URLSearchParams) =>
  parameters.get('filter')?.startsWith('updated_at') === true;
const isTotal = (parameters: URLSearchParams) => parameters.get('limit') === '1' && !parameters.has('filter');

/** The same parameters without some. */
function without(parameters: URLSearchParams, isLeftOut: (name: string, value: string) => boolean) {
  return new URLSearchParams([...parameters].filter(([name, value]) => !isLeftOut(name, value)));
}

describe('a list of changes that does not add up', () => {
  it('is followed by the whole list when a server is gone without a trace', async () => {
    const { asked, expectTrue, fleet } = await beginChanges();
    const untraced = { withHost: true, at: 0 };
    fleet.remove([fleet.servers[5]!.id], untraced);
    await expectTrue('whole');
    expect(asked()).toMatchObject({ totals: 2 });
    await expectTrue('changes');
    // One more and one less: the total is what it was.
    fleet.remove([fleet.servers[7]!.id], untraced);
    fleet.create(1);
    expect((await expectTrue('whole')).value('cloud_list_drift_total')).toBe(0);
  });

  it.each([
    ['a server is created', 1, 0, 2],
    ['a server is deleted', 0, 1, 3],
    ['one is created and one is deleted', 1, 1, 2],
  ])('is looked at again when %s between its two requests', async (_what, created, deleted, totals) => {
    const { asked, cloud, expectTrue, fleet } = await beginChanges();
    cloud.hooks.beforePage = (_page, parameters) => {
      if (!isChanges(parameters)) return;
      cloud.hooks.beforePage = undefined;
      fleet.remove(fleet.servers.slice(9, 9 + deleted).map(({ id }) => id));
      fleet.create(created);
    };
    await expectTrue('changes');
    expect(asked().totals).toBe(totals);
  });

  it.each([
    ['a server that is deleted in between makes up for one that has gone unseen', 1],
    ['the fleet moves at each look', Infinity],
  ])('is followed by the whole list when %s', async (_what, times) => {
    const { cloud, expectTrue, fleet } = await beginChanges();
    if (times === 1) fleet.remove([fleet.servers[5]!.id], { withHost: true, at: 0 });
    let looks = 0;
    cloud.hooks.beforePage = (_page, parameters) => {
      if (!isChanges(parameters) || (looks += 1) > times) return;
      if (times === 1) fleet.remove([fleet.servers[9]!.id]);
      else fleet.create(1);
    };
    await expectTrue('whole');
  });

  it('is not believed when what is known to have changed is missing', async () => {
    const { cloud, expectTrue, fleet } = await beginChanges();
    fleet.setStatus(fleet.servers[8]!.id, 'start_fail');
    const empty = { kind: 'json', json: { servers: [] } } as const;
    const fault = cloud.faults.set({ operation: 'list', where: isChanges, times: 1, fault: empty });
    await expectTrue('changes');
    expect(fault.hits).toBe(1);
    cloud.faults.set({ operation: 'list', where: isChanges, times: 2, fault: empty });
    fleet.setStatus(fleet.servers[9]!.id, 'start_fail');
    await expectTrue('whole');
  });

  it('is given up for ten minutes after three in a row, and it is said once', async () => {
    const { asked, cloud, exporter, expectTrue } = await beginChanges();
    cloud.quirks.takeParameters = (query) => {
      // The platform counts one that it does not list.
      cloud.quirks.total = (real) => (isTotal(query) ? real + 1 : real);
      return query;
    };
    for (let round = 0; round < 12; round += 1) {
      await expectTrue('whole');
      expect(asked().totals).toBe(round < 3 ? 2 : 0);
      if (round === 2) cloud.quirks.takeParameters = cloud.quirks.total = undefined;
    }
    await expectTrue('changes');
    const words = "3 change lists in a row did not match the platform's total";
    expect(exporter.logged().split(words)).toHaveLength(2);
  });

  it('is followed by the whole list when a record in it cannot be counted', async () => {
    const { cloud, expectTrue, fleet, scrape } = await beginChanges();
    const { id } = fleet.setStatus(fleet.servers[8]!.id, 'start_fail');
    cloud.quirks.rewriteServer = (server) => (server['id'] === id ? { ...server, vcpu_count: 'x' } : server);
    expect((await scrape('whole')).sum('cloud_list_rejected', { resource: 'servers' })).toBe(1);
    cloud.quirks.rewriteServer = undefined;
    await expectTrue('whole');
    await expectTrue('changes');
  });
});

it.each([
  ['is followed by another one, in which it may be well', false],
  ['is good enough when the record stays as it is', true],
])('a whole list with a record that cannot be counted %s', async (_words, stays) => {
  const { cloud, expectTrue, quiet, scrape } = await setUpChanges();
  const rejected = async (way: 'whole' | 'changes') =>
    (await scrape(way)).sum('cloud_list_rejected', { resource: 'servers' });
  await expectTrue();
  const [id] = quiet(1);
  cloud.quirks.rewriteServer = (server) => (server['id'] === id ? { ...server, vcpu_count: 'x' } : server);
  expect(await rejected('whole')).toBe(1);
  if (!stays) cloud.quirks.rewriteServer = undefined;
  expect(await rejected('whole')).toBe(Number(stays));
  expect(await rejected('changes')).toBe(Number(stays));
});

describe('a platform that does not play along', () => {
  type IsLeftOut = (name: string, value: string) => boolean;
  const dates: IsLeftOut = (name, value) => name === 'filter' && /ed_at\./.test(value);

  it.each<[string, IsLeftOut]>([
    ['drops the filter', dates],
    ['drops filter and delete=all', (name, value) => dates(name, value) || name === 'delete'],
  ])('%s: nothing of it is believed, lists are whole, and it is said once', async (_words, isLeftOut) => {
    const { asked, cloud, exporter, expectTrue, fleet } = await beginChanges();
    cloud.quirks.takeParameters = (query) => without(query, isLeftOut);
    fleet.remove([fleet.servers[4]!.id]);
    await expectTrue('whole');
    expect(asked().changes).toHaveLength(1);
    await expectTrue('whole');
    expect(asked()).toMatchObject({ totals: 0, changes: [] });
    expect(exporter.logged().split('platform ignores filter=updated_at')).toHaveLength(2);
    cloud.quirks.takeParameters = undefined;
    await expectTrue('whole');
  });

  it.each<[string, IsLeftOut]>([
    ['deleted_at', (name, value) => name === 'filter' && value.startsWith('deleted_at')],
    ['delete=all', (name) => name === 'delete'],
  ])('knows no %s: no number is wrong', async (_words, isLeftOut) => {
    const { begin, cloud, expectTrue, fleet, quiet } = await setUpChanges();
    cloud.quirks.takeParameters = (query) => without(query, isLeftOut);
    await begin();
    const ids = quiet(8);
    for (const id of ids.slice(0, 4)) {
      fleet.setStatus(id, 'start_fail');
      await expectTrue();
    }
    for (const id of ids.slice(4)) {
      fleet.remove([id], { withHost: true });
      if (id !== ids[5]) fleet.create(1);
      await expectTrue();
    }
  });

  it('has no total: lists are whole, and it is said once', async () => {
    const { cloud, exporter, expectTrue } = await beginChanges();
    cloud.quirks.total = () => undefined;
    await expectTrue('whole');
    await expectTrue('whole');
    expect(exporter.logged().split("the platform's answers have no total")).toHaveLength(2);
  });

  it('refuses such a request: the whole list is read in the same collection', async () => {
    const { cloud, expectTrue } = await beginChanges();
    const fault = { kind: 'status', code: 400 } as const;
    const refusal = cloud.faults.set({ operation: 'list', where: isChanges, fault });
    for (let round = 0; round < 4; round += 1) await expectTrue('whole');
    expect(refusal.hits).toBe(3);
  });
});

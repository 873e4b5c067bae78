import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/transport/failure.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { layoutOf, setUp } from './listing.ts';

describe('a list of servers', () => {
  it('brings each of them once, and tells how far it is', async () => {
    const { cloud, list, asked } = await setUp(250);
    const progress: unknown[] = [];
    const onPage = (step: object) => void progress.push(step);
    const { sink, ...facts } = await list({}, { onPage });
    expect(sink.ids.toSorted()).toEqual(cloud.fleet.servers.map(({ id }) => id).toSorted());
    expect(facts).toMatchObject({ received: 250, reported: 250, pages: 3, layout: layoutOf(250) });
    expect(asked()).toEqual(['0+100', '90+100', '180+100']);
    expect(progress).toEqual([100, 190, 250].map((received) => ({ received, reported: 250 })));
  });

  it('counts a record that is none, and goes on', async () => {
    const { cloud, list } = await setUp(20);
    const broken = cloud.fleet.servers[3]!.id;
    cloud.quirks.rewriteServer = (server) =>
      server['id'] === broken ? { ...server, vcpu_count: 'many' } : server;
    const { sink, received, rejected } = await list();
    expect([sink.ids.length, received, rejected.get('bad_number')]).toEqual([19, 19, 1]);
  });

  it.each([
    [0, 0],
    [1, undefined],
    [5, undefined],
  ])('of %i servers without a total has %s as the total, and no layout', async (servers, reported) => {
    const { cloud, list } = await setUp(servers);
    cloud.quirks.total = () => undefined;
    expect(await list()).toMatchObject({ reported, received: servers, layout: undefined });
  });

  it('tells when its first page was answered, by the clock of the platform', async () => {
    const { clock, cloud, list } = await setUp(250);
    const begunAt = clock.now();
    cloud.hooks.beforePage = ({ offset }) => (offset > 0 ? clock.advance(2000) : undefined);
    const { answeredAt, pages } = await list();
    expect([answeredAt, pages, clock.now()]).toEqual([begunAt, 3, begunAt + 4000]);
  });

  it('is given up at the page limit, and is whole if it just keeps to it', async () => {
    const { list } = await setUp(250);
    await expect(list({ pageLimit: 2 })).rejects.toMatchObject({
      reason: 'truncated',
      operation: 'list_servers',
      message: 'GET /servers: the list did not end within 2 pages (page_limit)',
    });
    expect((await list({ pageLimit: 3 })).received).toBe(250);
  });

  it('is told by half for a moment: the page is asked for again, and who listens is told why', async () => {
    const { cloud, list, asked } = await setUp(50);
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'halfTold', missing: 'host' } });
    const doubts: unknown[] = [];
    await list({}, { onDoubt: (lacks) => void doubts.push(lacks) });
    expect([doubts, asked()]).toEqual([[['host']], ['0+100', '0+100']]);
  });
});

describe('a list that is doubted', () => {
  it('is read once more, and only the second reading counts', async () => {
    const { cloud, list, asked } = await setUp(150);
    cloud.quirks.total = (real) => real + 1;
    const { sink, pages } = await list();
    expect([sink.ids.length, pages]).toEqual([150, 4]);
    expect(asked()).toEqual(['0+100', '90+100', '0+100', '90+100']);
  });

  it('because of its layout is read as if there had been none', async () => {
    const { cloud, list, asked } = await setUp(150);
    cloud.quirks.longestPage = 80;
    const { sink, layout } = await list({}, { layout: layoutOf(150) });
    expect(new Set(sink.ids).size).toBe(150);
    expect(layout).toEqual({ fullPage: 80, total: 150 });
    expect(asked()).toEqual(['0+100', '0+100', '72+100']);
  });

  it.each([
    [250, 260, 'is believed: ten may be missing'],
    [250, 261, 'fails'],
    [1188, 1200, 'is believed: one in a hundred may be missing'],
    [1187, 1200, 'fails'],
  ])('with %i servers, of which the platform announces %i, %s', async (arrived, announced, outcome) => {
    const { cloud, list } = await setUp(arrived);
    cloud.quirks.total = () => announced;
    const told = await list({ pageSize: 2048 }).catch((error: unknown) => error);
    const words = `${arrived} servers arrived, ${announced} were announced, and a second reading did not help`;
    if (outcome === 'fails')
      expect(told).toMatchObject({
        reason: 'truncated',
        operation: 'list_servers',
        message: `GET /servers: ${words}`,
      });
    else expect(told).toMatchObject({ received: arrived, reported: announced });
  });

  it('in one place, because servers were deleted meanwhile, is read again only there', async () => {
    const { cloud, list, asked } = await setUp(250);
    const gone = cloud.fleet.servers.slice(0, 15).map(({ id }) => id);
    cloud.hooks.beforePage = ({ offset }) => {
      if (offset === 90) cloud.fleet.remove(gone);
    };
    const { sink } = await list();
    expect(asked()).toEqual(['0+100', '90+100', '180+100', '45+100']);
    expect(sink.ids).toEqual(expect.arrayContaining(cloud.fleet.servers.map(({ id }) => id)));
  });

  it('in every place, because servers were deleted between all pages, is read again there', async () => {
    const { cloud, list, asked } = await setUp(250);
    cloud.hooks.beforePage = ({ offset }) => {
      if (offset % 90 === 0 && offset > 0) removeFirst(cloud.fleet, 15);
    };
    const { sink } = await list();
    expect(asked()).toEqual(['0+100', '90+100', '180+100', '45+100', '135+100']);
    expect(sink.ids).toEqual(expect.arrayContaining(cloud.fleet.servers.map(({ id }) => id)));
  });

  it('because servers are deleted faster than it can be repaired, twice, is not published', async () => {
    const { cloud, list } = await setUp(300);
    cloud.hooks.beforePage = () => {
      removeFirst(cloud.fleet, 60);
      // At the end of the list, so that it never ends and all its rows move up.
      cloud.fleet.create(59, { created_at: '2001-01-01T00:00:00.000000Z' });
    };
    await expect(list()).rejects.toMatchObject({
      reason: 'truncated',
      operation: 'list_servers',
      message: expect.stringContaining('others may have slipped between its pages') as unknown,
    });
    expect(cloud.journal.of('list').filter(({ query }) => query['offset'] === undefined)).toHaveLength(2);
  });
});

function removeFirst(fleet: Fleet, count: number): void {
  fleet.remove(fleet.servers.slice(0, count).map(({ id }) => id));
}

describe('a list that fails', () => {
  it('has the reason of the page that failed', async () => {
    const { cloud, list, asked } = await setUp(250);
    const where = (parameters: URLSearchParams) => parameters.get('offset') === '90';
    cloud.faults.set({ operation: 'list', where, fault: { kind: 'status', code: 400 } });
    await expect(list()).rejects.toMatchObject({ reason: 'rejected', operation: 'list_servers' });
    expect(asked(), 'and no smaller page is tried').toEqual(['0+100', '90+100']);
  });

  it('because of a mistake of ours says so as it is', async () => {
    const { list, asked } = await setUp(50);
    const mistake = new TypeError('planted');
    const read = () => {
      throw mistake;
    };
    await expect(list({}, { read })).rejects.toBe(mistake);
    expect(asked()).toEqual(['0+100']);
  });

  it('ends the pages that are still under way', async () => {
    const { cloud, list, attempts } = await setUp(250);
    cloud.faults.set({ operation: 'list', page: 0, fault: { kind: 'hang' } });
    const where = (parameters: URLSearchParams) => parameters.get('offset') === '90';
    cloud.faults.set({ operation: 'list', where, fault: { kind: 'status', code: 400 } });
    const listed = list({ concurrency: 2 }, { layout: layoutOf(250) });
    await expect(listed).rejects.toMatchObject({ reason: 'rejected' });
    await expect.poll(() => attempts.toSorted()).toEqual(['200', '400', 'network']);
  });

  it('because the collection is over asks for nothing more', async () => {
    const { cloud, list, asked, attempts } = await setUp(250);
    const over = new AbortController();
    const reason = new Failure('timeout', 'over', { operation: 'list_servers' });
    cloud.hooks.beforePage = ({ offset }) => {
      if (offset === 90) over.abort(reason);
    };
    await expect(list({}, { context: { deadline: Infinity, signal: over.signal } })).rejects.toBe(reason);
    expect(asked()).toEqual(['0+100', '90+100']);
    expect(attempts, 'nor tries to').toEqual(['200', '200', 'network']);
  });
});

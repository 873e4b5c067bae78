import { describe, expect, it } from 'vitest';
import { truthOf } from '../simulator/truth.ts';
import { parseExposition } from '../support/exposition.ts';
import { createGate } from '../support/gate.ts';
import { expectTruth } from '../support/truth.ts';
import { openWorld, type Scrape, type World } from './world.ts';

const servers = 60;
/** A good answer serves for a moment, so that one can be seen without another collection. */
const settings = { page_size: 10, concurrency: 3, collection_timeout: '20s', max_age: '5s', max_stale: '1h' };

async function withWorld(
  test: (world: World) => Promise<void>,
  more: object = {},
  size = servers,
): Promise<void> {
  const world = await openWorld({ servers: size, settings: { ...settings, ...more } });
  try {
    for (let left = 4; left > 0; left -= 1) expectTrue(world, (await world.scrape()).text);
    await test(world);
  } finally {
    await world.close();
  }
}

function expectTrue({ fleet }: World, text: string): void {
  const parsed = parseExposition(text);
  expect(parsed.value('cloud_up')).toBe(1);
  expectTruth(parsed, truthOf(fleet), 'one');
}

/** All that is told of servers. */
const sumsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('cloud_servers'));

function change({ fleet }: World): void {
  fleet.create(3);
  fleet.remove(fleet.servers.slice(5, 8).map(({ id }) => id));
  fleet.setStatus(fleet.servers[20]!.id, 'start_fail');
  const { id, name, disk } = fleet.servers.find(({ disk_count }) => disk_count > 0)!;
  fleet.change(id, { name: `${name}'`, disk: disk + 1024 });
}

/** Those of the exporter. */
const requestsOf = ({ cloud }: World) => cloud.journal.count() - cloud.journal.count('other');

/** Goes there and back several times: a request that was still to be sent has arrived by then. */
async function letPass({ cloud }: World): Promise<void> {
  for (let left = 20; left > 0; left -= 1) await fetch(`${cloud.baseUrl}/nothing`);
}

/** Who waits for the request that is held waits until the end of the collection's time. */
async function inTime(world: World, scrape: Promise<Scrape>): Promise<Scrape> {
  const ended = scrape.then(() => true);
  const isEnded = await Promise.race([
    ended,
    letPass(world)
      .then(() => letPass(world))
      .then(() => false),
  ]);
  if (!isEnded) await world.clock.advance(20_000);
  return scrape;
}

/** From then on the request of that number waits at the platform, until the gate is opened. */
function holdAt({ cloud }: World, number: number) {
  const [reached, gate] = [createGate(), createGate()];
  let count = 0;
  cloud.hooks.beforePage = () => {
    if (count++ !== number) return undefined;
    reached.open();
    return gate.passed;
  };
  const release = () => {
    cloud.hooks.beforePage = undefined;
    gate.open();
  };
  return { reached: reached.passed, release };
}

const numbers = [0, 2, 5];
const refused = { kind: 'status', code: 400 } as const;

describe.each([
  ['light lists', '30m'],
  ['detailed lists', '0s'],
])('with %s', (_words, details_max_age) => {
  it.each(numbers)(
    'a collection whose request %i is refused leaves what was there, and sends nothing more',
    (number) =>
      withWorld(
        async (world) => {
          const { cloud } = world;
          const good = sumsOf(await world.text());
          change(world);
          const held = holdAt(world, number === 0 ? 1 : 0);
          let count = 0;
          cloud.faults.set({ operation: 'list', where: () => count++ === number, fault: refused });
          const failed = await inTime(world, world.scrape());
          if (failed.isUp) return;
          expect(sumsOf(failed.text)).toEqual(good);
          const sent = requestsOf(world);
          held.release();
          await letPass(world);
          expect(requestsOf(world) - sent, 'requests of a collection that is over').toBe(0);
          cloud.faults.clear();
          const { text, detailed } = await world.scrape();
          expectTrue(world, text);
          if (details_max_age !== '0s') expect(detailed).toBeLessThan(servers / 2);
        },
        { details_max_age },
      ),
  );

  it.each(numbers)('one that is given up at request %i, and overtaken, changes nothing', (number) =>
    withWorld(
      async (world) => {
        const { clock, cloud } = world;
        change(world);
        const held = holdAt(world, number);
        const late = world.scrape();
        const isHeld = await Promise.race([held.reached.then(() => true), late.then(() => false)]);
        if (isHeld) {
          await clock.advance(20_000);
          expect((await late).isUp).toBe(false);
        }
        cloud.hooks.beforePage = undefined;
        change(world);
        const next = await world.scrape();
        expectTrue(world, next.text);
        const sent = requestsOf(world);
        held.release();
        await letPass(world);
        expect(requestsOf(world) - sent).toBe(0);
        // Served again as it is, without a collection.
        expect(sumsOf(await world.text())).toEqual(sumsOf(next.text));
        expect(requestsOf(world) - sent).toBe(0);
        for (let left = 2; left > 0; left -= 1) {
          const { text, detailed } = await world.scrape();
          expectTrue(world, text);
          if (details_max_age !== '0s') expect(detailed).toBeLessThan(servers / 2);
        }
      },
      { details_max_age },
    ),
  );
});

const isDetailsById = (parameters: URLSearchParams) =>
  parameters.getAll('filter').some((text) => text.startsWith('id.in'));

it('details by id are not read on for a collection that failed', () =>
  withWorld(
    async (world) => {
      const { cloud, fleet } = world;
      fleet.changeAll(
        fleet.servers.slice(0, 640).map(({ id }) => id),
        ({ name }) => ({ name: `${name}'` }),
      );
      const gate = createGate();
      let count = 0;
      cloud.hooks.beforePage = (_page, parameters) =>
        isDetailsById(parameters) && count++ === 1 ? gate.passed : undefined;
      cloud.faults.set({ operation: 'list', where: isDetailsById, times: 1, fault: refused });
      const failed = await inTime(world, world.scrape());
      expect(failed.isUp).toBe(false);
      const sent = requestsOf(world);
      gate.open();
      await letPass(world);
      expect(requestsOf(world) - sent).toBe(0);
    },
    { page_size: 500, concurrency: 2 },
    1400,
  ));

it.each([
  ['of the order of its answers', 'list', { kind: 'reversed' }],
  ['of what it refuses', 'hosts', { kind: 'status', code: 403 }],
] as const)('a collection that failed leaves nothing behind %s', (_words, operation, fault) =>
  withWorld(async (world) => {
    const { cloud } = world;
    const where = (parameters: URLSearchParams) => !isDetailsById(parameters);
    cloud.faults.set({ operation, where, times: operation === 'list' ? 1 : 3, fault });
    const isRefused = (parameters: URLSearchParams) =>
      operation !== 'list' || parameters.get('order_by') !== 'id' || isDetailsById(parameters);
    cloud.faults.set({ operation: 'list', where: isRefused, fault: refused });
    expect((await inTime(world, world.scrape())).isUp).toBe(false);
    cloud.faults.clear();
    const { text, detailed } = await world.scrape();
    expectTrue(world, text);
    expect(cloud.journal.count('hosts'), 'requests for hosts').toBeGreaterThan(0);
    const byId = cloud.journal
      .of('list')
      .filter(({ parameters }) => parameters.get('order_by') === 'id' && !isDetailsById(parameters));
    expect(byId.length, 'pages by id').toBeGreaterThan(0);
    expect(detailed).toBeLessThan(servers / 2);
  }),
);

it.each([
  ['that hosts are refused', 'hosts', { kind: 'status', code: 403 }],
  ['that ids are not heeded', 'list', { kind: 'reversed' }],
] as const)('a reload while a collection runs forgets %s', (_words, operation, fault) =>
  withWorld(async (world) => {
    const { cloud } = world;
    cloud.faults.set({ operation, where: (parameters) => !isDetailsById(parameters), fault });
    await world.scrape();
    await world.scrape();
    const held = holdAt(world, 0);
    const running = world.scrape();
    await held.reached;
    await world.reload();
    held.release();
    await running;
    cloud.faults.clear();
    const { text } = await world.scrape();
    expectTrue(world, text);
    const of = (one: typeof operation) => cloud.journal.of(one);
    expect(of('hosts').length, 'requests for hosts').toBeGreaterThan(0);
    expect(of('list').some(({ query }) => query['order_by'] === 'id')).toBe(true);
  }),
);

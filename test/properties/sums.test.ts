import { describe, expect, it } from 'vitest';
import type { Fault, FaultRule } from '../simulator/faults.ts';
import { storagesOf } from '../simulator/room.ts';
import { truthOf } from '../simulator/truth.ts';
import { parseExposition } from '../support/exposition.ts';
import { expectTruth, mebibyte } from '../support/truth.ts';
import { liveThrough } from './sums-history.ts';
import { openWorld, type World } from './world.ts';

describe('no sum is wrong that could be known', () => {
  it.each(Array.from({ length: 14 }, (_, seed) => seed))('whatever happened, seed %i', async (seed) => {
    expect(await liveThrough(seed, 10)).toEqual([]);
  });

  it.each([
    ['a platform that is asked by offset answers for all', 5004, 6],
    ['devices are detached while disks are told by half', 5006, 14],
    ['disks are told by half in the first list', 5009, 3],
    ['devices are detached while one answer is half', 5014, 28],
  ])('and where %s', async (_words, seed, scrapes) => {
    expect(await liveThrough(seed, scrapes)).toEqual([]);
  });
});

const inDetail = (parameters: URLSearchParams) => parameters.get('details') !== 'false';
const isById = (parameters: URLSearchParams) =>
  parameters.getAll('filter').some((text) => text.startsWith('id.in'));

type Half = Omit<Extract<Fault, { kind: 'halfTold' }>, 'kind'>;

function set({ cloud }: World, fault: Fault, rule: Partial<FaultRule> = {}) {
  return cloud.faults.set({ operation: 'list', where: inDetail, ...rule, fault });
}

async function expectTrue(world: World, seconds = 60): Promise<void> {
  const parsed = parseExposition((await world.scrape(seconds)).text);
  expect(parsed.value('cloud_up')).toBe(1);
  expectTruth(parsed, truthOf(world.fleet), 'one');
}

async function settle(world: World): Promise<void> {
  for (let left = 3; left > 0; left -= 1) await expectTrue(world);
}

/** Some of whom all have disks, renamed: so their details are read. */
function rename({ fleet }: World, count = 5): void {
  const some = fleet.servers.filter(({ disk_count }) => disk_count > 1).slice(0, count);
  fleet.changeAll(
    some.map(({ id }) => id),
    ({ name }) => ({ name: `${name}'` }),
  );
}

async function onlyDuring(world: World, half: Half, rule: Partial<FaultRule> = {}): Promise<void> {
  set(world, { kind: 'halfTold', ...half }, rule);
  await world.scrape();
  world.cloud.faults.clear();
  await world.scrape();
  await settle(world);
}

/** What comes of each; the sums are exact wherever they are looked at. */
const cases: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async 'details that are older than the list that asked for them'(world) {
    await settle(world);
    const replica = world.cloud.replicate();
    const { id, disk } = world.fleet.servers.find(({ disk_count }) => disk_count > 0)!;
    world.cloud.pass();
    world.fleet.change(id, { name: 'larger', disk: disk + 1024 });
    const fault = set(world, { kind: 'older', from: () => replica });
    await world.scrape();
    fault.clear();
    await world.scrape();
    await expectTrue(world);
  },
  'disks missing for two seconds during the first list': (world) =>
    onlyDuring(world, { missing: 'disks' }, { until: world.clock.now() + 62_000 }),
  'all disks but the first missing during the first list': (world) =>
    onlyDuring(world, { missing: 'laterDisks' }),
  'disks of some servers missing during the first list': (world) =>
    onlyDuring(world, { missing: ['disks', 'laterDisks'], which: (position) => position % 3 > 0 }),
  async 'devices missing for the first two lists, of servers that the list of devices names'(world) {
    set(world, { kind: 'halfTold', missing: 'devices' });
    await world.scrape();
    await world.scrape();
    world.cloud.faults.clear();
    await world.scrape();
    await settle(world);
  },
  async 'servers that come while disks are missing'(world) {
    await settle(world);
    world.fleet.create(6);
    await onlyDuring(world, { missing: 'disks' });
  },
  async 'all disks but the first missing for ten minutes, of servers that are known'(world) {
    await settle(world);
    set(world, { kind: 'halfTold', missing: 'laterDisks' });
    for (let left = 10; left > 0; left -= 1) {
      rename(world);
      await expectTrue(world);
    }
    world.cloud.faults.clear();
    await settle(world);
  },
  async 'a device that is detached, and then another'(world) {
    await settle(world);
    const withDevices = () => world.fleet.servers.filter(({ is_gpu }) => is_gpu);
    // The last one has nobody to be asked for with it.
    while (withDevices().length > 1) {
      const { id, name } = withDevices()[0]!;
      world.fleet.change(id, { isolated_devices: [], is_gpu: false, name: `${name}'` });
      await world.scrape();
      await expectTrue(world);
    }
  },
  async 'disks that are detached while disks are missing'(world) {
    await settle(world);
    const { id, disks_info } = world.fleet.servers.find(({ disk_count }) => disk_count > 1)!;
    const [first] = disks_info;
    world.fleet.change(id, { name: 'smaller', disks_info: [first!], disk: first!.size, disk_count: 1 });
    set(world, { kind: 'halfTold', missing: 'disks' });
    await world.scrape();
    await world.scrape();
    world.cloud.faults.clear();
    await world.scrape();
    await settle(world);
  },
  async 'storages that are sent as empty, the first time and later'(world) {
    const truth = storagesOf(world.fleet).reduce((sum, { allocated }) => sum + allocated * mebibyte, 0);
    const used = async () =>
      parseExposition((await world.scrape(301)).text).sum('cloud_storage_allocated_bytes');
    const which = (position: number) => position % 6 > 0;
    for (const [how, times] of [[{}, 1], [{}], [{ which }]] as const) {
      const fault = { kind: 'halfTold', missing: 'usage', ...how } as const;
      const where = () => true;
      const rule = set(world, fault, { operation: 'storages', where, ...(times && { times }) });
      for (let left = 4; left > 0; left -= 1) expect(await used()).toBe(truth);
      rule.clear();
      expect(await used()).toBe(truth);
    }
  },
  async 'an empty answer to one range'(world) {
    await settle(world);
    set(world, { kind: 'json', json: { servers: [] } }, { times: 1, where: (one) => !isById(one) });
    await expectTrue(world);
  },
};

describe.each([
  ['light lists', '30m'],
  ['detailed lists', '0s'],
])('with %s, the sums are exact after', (_words, details_max_age) => {
  it.each(Object.entries(cases))('%s', async (_name, live) => {
    const settings = { details_max_age, page_size: 15 };
    const world = await openWorld({ seed: 3, servers: 60, settings });
    try {
      await live(world);
    } finally {
      await world.close();
    }
  });
});

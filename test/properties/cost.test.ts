import { describe, expect, it } from 'vitest';
import type { Fault, FaultRule } from '../simulator/faults.ts';
import { openWorld, type World } from './world.ts';

const servers = 150;
/** A page, or a few, of those that are asked for once more, and their witnesses. */
const aFew = 12;
const detailsMaxAgeMinutes = 30;

async function minutes(world: World, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await world.scrape();
}

/** So many minutes of scrapes, one a minute, with such faults. */
const during =
  (count: number, fault: Fault, rule: Partial<FaultRule> = {}) =>
  async (world: World): Promise<void> => {
    const set = world.cloud.faults.set({ operation: 'list', ...rule, fault });
    await minutes(world, count);
    set.clear();
  };

const inDetail = (parameters: URLSearchParams) => parameters.get('details') !== 'false';
const down = { kind: 'status', code: 503 } as const;
const refused = { kind: 'status', code: 403 } as const;

/** What may have come before a quiet hour. */
const histories: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'a gap of 35 minutes': (world) => world.scrape(35 * 60),
  'a gap of a day': (world) => world.scrape(24 * 3600),
  'gaps of eleven minutes': async (world) => {
    for (let left = 4; left > 0; left -= 1) await world.scrape(11 * 60);
  },
  'two scrapes at one moment': async (world) => {
    await world.scrape(0);
    await world.scrape(0);
  },
  'one request for discovery': (world) => world.discover(),
  'discovery for a quarter of an hour': async (world) => {
    for (let left = 15; left > 0; left -= 1) {
      await world.discover();
      await world.scrape();
    }
  },
  '40 minutes of failures': during(40, down),
  'failures of every second scrape': async (world) => {
    for (let left = 10; left > 0; left -= 1) {
      await during(1, down)(world);
      await world.scrape();
    }
  },
  'three empty answers': during(3, { kind: 'json', json: { servers: [] } }, { times: 3 }),
  'three empty answers with a total': during(
    3,
    { kind: 'json', json: { servers: [], total: servers } },
    { times: 3 },
  ),
  'answers that are cut short': during(3, { kind: 'short', rows: 3 }, { times: 3 }),
  'answers that break off': during(3, { kind: 'truncated', keepBytes: 2000 }, { times: 3 }),
  'answers without a total': async (world) => {
    world.cloud.quirks.total = () => undefined;
    await minutes(world, 3);
    world.cloud.quirks.total = undefined;
  },
  'hosts that were refused for a while': during(10, refused, { operation: 'hosts' }),
  'names of zones that failed': during(10, down, { operation: 'zones' }),
  'a reload': (world) => world.reload(),
  'disks missing for ten minutes': during(10, { kind: 'halfTold', missing: 'disks' }, { where: inDetail }),
  'names missing for ten minutes': during(
    10,
    { kind: 'halfTold', missing: ['host', 'project'] },
    { where: inDetail },
  ),
  'one answer in another order': during(1, { kind: 'reversed' }, { times: 1 }),
  'a minute of tiny pages': async (world) => {
    world.cloud.quirks.longestPage = 3;
    await world.scrape();
    world.cloud.quirks.longestPage = undefined;
  },
  'a replica for ten minutes': async (world) => {
    const replica = world.cloud.replicate();
    await changeMany(world);
    await during(10, { kind: 'older', from: () => replica })(world);
  },
  'a third of the servers renamed': async (world) => {
    await changeMany(world);
    await world.scrape();
  },
};

function changeMany({ fleet }: World): Promise<void> {
  fleet.changeAll(
    fleet.servers.slice(0, servers / 3).map(({ id }) => id),
    ({ name }) => ({ name: `${name}'`.slice(-40) }),
  );
  return Promise.resolve();
}

/** After a first list, and these histories one after the other, what an hour costs with a scrape a minute. */
async function quietHourAfter(names: readonly string[], seed = 1): Promise<void> {
  const world = await openWorld({ seed, servers, settings: { page_size: 50 } });
  try {
    await world.scrape();
    if (names.length !== 1) await minutes(world, 4);
    for (const name of names) await histories[name]!(world);
    const share = Math.ceil(servers / (detailsMaxAgeMinutes - 1));
    const before = [];
    // What was new or half told is read again; what is kept of more than a page meanwhile takes its turn.
    for (let left = 5; left > 0; left -= 1) before.push((await world.scrape()).detailed);
    expect(
      before.reduce((sum, one) => sum + one, 0),
      `settled: ${before.join(' ')}`,
    ).toBeLessThanOrEqual(2 * servers + 5 * (2 * share + aFew));
    const hour = [];
    for (let left = 55; left > 0; left -= 1) hour.push(await world.scrape());
    const most = Math.max(...hour.map(({ detailed }) => detailed));
    expect(most, `in detail: ${hour.map(({ detailed }) => detailed).join(' ')}`).toBeLessThanOrEqual(
      2 * share + aFew,
    );
    // Plain pages and details by id, with the settings as they are.
    const requests = Math.max(...hour.map((one) => one.requests));
    expect(requests, `requests: ${hour.map((one) => one.requests).join(' ')}`).toBeLessThanOrEqual(8);
    expect(hour.every(({ isUp }) => isUp)).toBe(true);
  } finally {
    await world.close();
  }
}

describe('a quiet hour costs the same after', () => {
  it.each(Object.keys(histories))('%s', (name) => quietHourAfter([name]));
});

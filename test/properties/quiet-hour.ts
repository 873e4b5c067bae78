import type { Fault, FaultRule } from '../simulator/faults.ts';
import { openWorld, type World } from './world.ts';

const servers = 60;
/** A page, or a few, of those that are asked for once more, and their witnesses. */
const aFew = 12;
const detailsMaxAgeMinutes = 30;
/** What was new or half told is read again, what is more than a page of it in turns: so many scrapes may cost more. */
const settling = 5;
/** Plain pages, and details by id. */
const mostRequests = 8;

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
const isList = (parameters: URLSearchParams) =>
  !parameters.getAll('filter').some((text) => text.startsWith('id.in'));
const down = { kind: 'status', code: 503 } as const;
const refused = { kind: 'status', code: 403 } as const;

/** What may have come before a quiet hour. */
export const histories: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
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
  'three empty answers to one request': during(
    1,
    { kind: 'json', json: { servers: [], total: servers } },
    { page: 0, times: 3, where: isList },
  ),
  'three empty answers about details': during(
    3,
    { kind: 'json', json: { servers: [] } },
    { times: 3, where: inDetail },
  ),
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
  'one answer in another order': during(1, { kind: 'reversed' }, { times: 1, where: isList }),
  'one answer about details in another order': during(3, { kind: 'reversed' }, { times: 1, where: inDetail }),
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

export interface Quiet {
  readonly seed?: number;
  /** Scrapes before all that. */
  readonly before?: number;
  readonly minutes?: number;
}

/** What is too much in quiet minutes after these histories, one after the other, in words. */
export async function quietAfter(
  names: readonly string[],
  { seed = 1, before = 4, minutes: quiet = 12 }: Quiet = {},
) {
  const settings = { page_size: 20, list_storages: false, list_isolated_devices: false };
  const world = await openWorld({ seed, servers, settings });
  await minutes(world, before);
  for (const name of names) await histories[name]!(world);
  const share = Math.ceil(servers / (detailsMaxAgeMinutes - 1));
  const wrong: string[] = [];
  const expect = (what: string, figures: readonly number[], value: number, most: number) => {
    if (value > most) wrong.push(`${what}: ${value}, at most ${most} (${figures.join(' ')})`);
  };
  const scrapes = [];
  for (let left = settling + quiet; left > 0; left -= 1) scrapes.push(await world.scrape());
  await world.close();
  const [detailed, requests] = [scrapes.map((one) => one.detailed), scrapes.map((one) => one.requests)];
  const first = detailed.slice(0, settling).reduce((sum, one) => sum + one, 0);
  expect('details to settle', detailed, first, 2 * servers + settling * (2 * share + aFew));
  expect('details in a scrape', detailed, Math.max(...detailed.slice(settling)), 2 * share + aFew);
  expect('requests in a scrape', requests, Math.max(...requests.slice(settling)), mostRequests);
  if (scrapes.some(({ isUp }) => !isUp)) wrong.push('down, and the platform is well');
  return wrong;
}

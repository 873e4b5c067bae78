import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { createRandom, type Random } from '../../src/simulator/fleet/random.ts';
import { places } from '../../test/faults/outcome.ts';
import { faultRows } from '../../test/faults/table.ts';
import { startSimulatedCloud, type SimulatedCloud } from '../../test/simulator/cloud.ts';
import type { FaultRule } from '../../test/simulator/faults.ts';
import type { Parsed } from '../../test/support/exposition.ts';
import { collectGarbage } from '../../test/support/garbage.ts';
import { settingsFor } from '../../test/support/settings.ts';
import { exporterHere } from '../exporter-here.ts';
import { createChronicle, momentOf, readShort, untruths } from './truth.ts';
import { createEvents, inDetail, type Mode, type Tally } from './world.ts';

/** As the modes, with everything short. */
const ages: Readonly<Record<Mode, object>> = {
  detailed: { details_max_age: 0 },
  light: { details_max_age: '10s' },
  changes: { details_max_age: '10s', list_max_age: '3s' },
};
const short = { request_timeout: 0.25, collection_timeout: 3, response_limit_bytes: 1e6, page_size: 15 };
const scrapeTimeoutsMs = [600, 1000, 3000] as const;
/** The first scrapes in clear weather may join a collection that met the weather of before. */
const scrapesToHeal = 8;

/** Scrapes in real time while faults of every kind come and go, and watches that nothing is wrong, late or left behind. */
export async function soakWeather(plan: {
  mode: Mode;
  seed: number;
  collections: number;
  minutes: number;
  /** How much later than its own timeout a scrape may be answered. */
  lateMs: number;
}): Promise<Tally> {
  const random = createRandom(plan.seed, 0x50a4);
  const fleet = createFleet({ servers: 60, seed: plan.seed });
  // The fleet remembers so many that were deleted. Full from the start, that memory does not look like a leak.
  fleet.remove(fleet.create(1200).map(({ id }) => id));
  const cloud = await startSimulatedCloud({ fleet, tokenLifetimeSeconds: 5 });
  let perServer = false;
  const settings = () => ({ ...short, ...ages[plan.mode], max_stale: '1h', per_server: perServer });
  const exporter = await exporterHere(() => settingsFor(cloud, settings()), systemClock);
  const chronicle = createChronicle(fleet);
  const events = Object.values(createEvents(fleet, random));
  const faults: string[] = [];
  const figures = {
    scrapes: 0,
    collections: 0,
    failed: 0,
    'answered with ms left': Infinity,
    'scrapes to heal': 0,
  };
  const strikes: Record<string, number> = {};

  async function scrape(timeoutMs: number): Promise<Parsed> {
    const startedAt = performance.now();
    const text = await exporter.scrape({ 'X-Prometheus-Scrape-Timeout-Seconds': String(timeoutMs / 1000) });
    const leftMs = Math.round(timeoutMs - (performance.now() - startedAt));
    if (leftMs < -plan.lateMs)
      faults.push(`a scrape with a timeout of ${timeoutMs} ms was ${-leftMs} ms late`);
    const parsed = readShort(text);
    figures.scrapes += 1;
    figures['answered with ms left'] = Math.min(figures['answered with ms left'], leftMs);
    figures.collections = parsed.sum('cloud_exporter_collections_total');
    figures.failed = parsed.sum('cloud_exporter_collection_failures_total');
    return parsed;
  }

  /** In clear weather the cloud is up again, and every sum is the newest truth. */
  async function expectHealed(): Promise<void> {
    cloud.faults.clear();
    cloud.hooks.beforePage = cloud.hooks.afterCount = undefined;
    await exporter.reload();
    let wrong: string[] = [];
    for (let tries = 1; tries <= scrapesToHeal; tries += 1) {
      const parsed = await scrape(10_000);
      figures['scrapes to heal'] = Math.max(figures['scrapes to heal'], tries);
      wrong = untruths(parsed, momentOf(fleet));
      if (parsed.value('cloud_up') === 1 && wrong.length === 0) return;
    }
    faults.push(`the cloud did not come back: ${wrong.slice(0, 3).join('; ')}`);
  }

  async function sitOut(): Promise<void> {
    // Old numbers are right as long as nothing newer is known.
    chronicle.begin();
    const move = () => {
      random.pick(events)();
      chronicle.note();
    };
    move();
    const rules = chooseRules(cloud, random);
    const standing = rules.map((rule) => ({ kind: rule.fault.kind, rule: cloud.faults.set(rule) }));
    if (random.chance(0.1)) cloud.revokeTokens();
    if (random.chance(0.3)) cloud.hooks.beforePage = cloud.hooks.afterCount = move;
    const isChanged = random.chance(0.05);
    const scrapeSome = async () => {
      const told: Parsed[] = [];
      for (let left = 1 + random.below(4); left > 0; left -= 1)
        told.push(await scrape(random.pick(scrapeTimeoutsMs)));
      return told;
    };
    const scraping = Promise.all([scrapeSome(), scrapeSome()]);
    if (isChanged) perServer = !perServer;
    if (isChanged) await exporter.reload();
    for (const parsed of (await scraping).flat()) {
      const isUp = parsed.value('cloud_up') === 1;
      const isUnknown = isChanged && !isUp && parsed.of('cloud_servers').length === 0;
      // A page that stayed empty at the end of a list: a gap of a few servers is published, and told.
      const reported = parsed.value('cloud_list_reported', { resource: 'servers' }) ?? 0;
      const isShort =
        rules.some(({ fault }) => fault.kind === 'json') && reported > parsed.sum('cloud_servers');
      const wrong = isUnknown || isShort ? [] : untruths(parsed, chronicle.range());
      const weather = standing.map(({ kind, rule }) => `${kind} ${rule.hits}`).join(', ');
      if (wrong.length > 0) faults.push(`up ${isUp}: ${wrong.slice(0, 3).join('; ')} (${weather})`);
    }
    for (const { kind, rule } of standing) strikes[kind] = (strikes[kind] ?? 0) + rule.hits;
  }

  const startedAt = performance.now();
  const done = () =>
    Math.max(
      (performance.now() - startedAt) / (60_000 * plan.minutes),
      figures.collections / plan.collections,
    );
  let early: Vitals | undefined;
  try {
    await expectHealed();
    while (done() < 1 && faults.length < 10) {
      await sitOut();
      await expectHealed();
      cloud.journal.clear();
      if (done() > 0.3) early ??= await takeVitals();
    }
    faults.push(...grown(early, await takeVitals(), figures.collections));
  } finally {
    await exporter.stop();
    await cloud.close();
  }
  return { faults, figures: { ...figures, ...strikes } };
}

/** Faults of any kind, anywhere, for a while or for good. */
function chooseRules({ baseUrl, fleet }: SimulatedCloud, random: Random): FaultRule[] {
  const world = {
    origin: new URL(baseUrl).origin,
    stranger: 'http://127.0.0.1:9/',
    servers: () => fleet.servers.length,
    // A second of the table's time; the request_timeout here is as much shorter.
    clock: { advance: async (ms: number) => delay(ms / 20) },
  };
  const rules: FaultRule[] = [];
  for (let left = random.below(3); left > 0; left -= 1) {
    const [place, row] = [random.pick(places), random.pick(faultRows)];
    if (row[place] === undefined) continue;
    const fault = row.fault(place, world);
    const page = place === 'first' ? 0 : 1 + random.below(3);
    const where =
      place === 'login' ? ({ operation: 'login' } as const) : ({ operation: 'list', page } as const);
    const times = random.chance(0.6) ? { times: 1 + random.below(4) } : {};
    rules.push({ ...where, ...times, fault: fault.kind === 'garbage' ? { ...fault, megabytes: 2 } : fault });
  }
  // Once: what a record lacks for as long as everything is old here is the platform's truth.
  const missing = random.pick(['host', 'place', 'project', 'domain', 'disks'] as const);
  if (random.chance(0.3))
    rules.push({ operation: 'list', times: 1, where: inDetail, fault: { kind: 'halfTold', missing } });
  return rules;
}

/** What a process holds on to when nothing is under way. */
type Vitals = Readonly<Record<'megabytes' | 'handles' | 'descriptors', number>>;

async function takeVitals(): Promise<Vitals> {
  // Finalizers and closing sockets need turns of the event loop of their own.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await delay(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  return {
    megabytes: (heapUsed + external) / 1e6,
    handles,
    descriptors: readdirSync('/proc/self/fd').length,
  };
}

/** Caches, the optimizer and the simulated cloud's memory of its tokens may take some. */
function grown(early: Vitals | undefined, late: Vitals, collections: number): string[] {
  const tolerated: Vitals = { megabytes: 3 + collections / 5000, handles: 8, descriptors: 8 };
  const kinds = Object.keys(tolerated) as (keyof Vitals)[];
  const more = kinds.filter((kind) => early && late[kind] - early[kind] > tolerated[kind]);
  return more.map((kind) => `${kind} grew from ${early![kind].toFixed(1)} to ${late[kind].toFixed(1)}`);
}

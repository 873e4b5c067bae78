import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../src/clock.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { createRandom } from '../../src/simulator/fleet/random.ts';
import { faultRows, places } from '../../test/faults/table.ts';
import type { FaultRule } from '../../test/simulator/faults.ts';
import { truthOf } from '../../test/simulator/truth.ts';
import { parseExposition, type Parsed } from '../../test/support/exposition.ts';
import { addUp, addUpSamples, sums } from '../../test/support/truth.ts';
import { exporterHere } from '../exporter-here.ts';

/** Everything is short. */
const limits = { request_timeout: 0.25, collection_timeout: 3, response_limit_bytes: 1e6, max_stale: '1h' };
/** How the servers are listed. */
export const modes = {
  detailed: { details_max_age: 0 },
  light: { details_max_age: '10s' },
} as const;
const scrapeTimeoutsMs = [600, 1000, 3000] as const;
/** The first scrapes in clear weather may join a collection that met the weather of before. */
const scrapesToHeal = 8;

export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** What must not be; empty if all is well. */
  readonly faults: readonly string[];
}

export interface WeatherPlan {
  readonly mode: keyof typeof modes;
  readonly seed: number;
  readonly collections: number;
  readonly minutes: number;
  /** How much later than its own timeout a scrape may be answered. */
  readonly lateMs: number;
}

/**
 * Scrapes in real time while faults of every kind come and go, and watches that nothing is late or left behind, and
 * nothing wrong once they are over: what may be wrong before is for the histories.
 */
export async function soakWeather(plan: WeatherPlan): Promise<Outcome> {
  let per_server = false;
  const world = await openWorld(plan.seed, () => ({ ...modes[plan.mode], per_server }));
  const { cloud, exporter, random } = world;
  const faults: string[] = [];
  const figures = {
    scrapes: 0,
    collections: 0,
    failed: 0,
    'ms left, at least': Infinity,
    'scrapes to heal': 0,
  };
  const strikes: Record<string, number> = {};

  async function scrape(timeoutMs: number): Promise<Parsed> {
    const startedAt = performance.now();
    const text = await exporter.scrape('/metrics', {
      'X-Prometheus-Scrape-Timeout-Seconds': String(timeoutMs / 1000),
    });
    const leftMs = Math.round(timeoutMs - (performance.now() - startedAt));
    if (leftMs < -plan.lateMs)
      faults.push(`a scrape with a timeout of ${timeoutMs} ms was ${-leftMs} ms late`);
    const parsed = parseExposition(text);
    figures.scrapes += 1;
    figures['ms left, at least'] = Math.min(figures['ms left, at least'], leftMs);
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
      wrong = wrongSums(parsed, world);
      if (parsed.value('cloud_up') === 1 && wrong.length === 0) return;
    }
    faults.push(`the cloud did not come back: ${wrong.join(', ')}`);
  }

  async function scrapeSome(): Promise<void> {
    for (let left = random.below(4); left >= 0; left -= 1) await scrape(random.pick(scrapeTimeoutsMs));
  }

  async function sitOut(): Promise<void> {
    const move = () => random.pick(Object.values(world.events))();
    move();
    const rules = chooseRules(world);
    const standing = rules.map((rule) => ({ kind: rule.fault.kind, rule: cloud.faults.set(rule) }));
    if (random.chance(0.1)) cloud.revokeTokens();
    if (random.chance(0.3)) cloud.hooks.beforePage = cloud.hooks.afterCount = move;
    const scraping = Promise.all([scrapeSome(), scrapeSome()]);
    if (random.chance(0.05)) {
      per_server = !per_server;
      await exporter.reload();
    }
    await scraping;
    for (const { kind, rule } of standing) strikes[kind] = (strikes[kind] ?? 0) + rule.hits;
  }

  const startedAt = performance.now();
  const minutes = () => (performance.now() - startedAt) / 60_000;
  const done = () => Math.max(minutes() / plan.minutes, figures.collections / plan.collections);
  let early: Vitals | undefined;
  await expectHealed();
  while (done() < 1 && faults.length < 10) {
    await sitOut();
    await expectHealed();
    cloud.journal.clear();
    if (done() > 0.3) early ??= await takeVitals();
  }
  if (early) faults.push(...grown(early, await takeVitals(), figures.collections));
  await exporter.stop();
  return { faults, figures: { ...figures, ...strikes } };
}

function wrongSums(parsed: Parsed, { fleet }: World): string[] {
  const { rows } = truthOf(fleet);
  const isWrong = ([name, [labels, of]]: (typeof all)[number]) =>
    !isDeepStrictEqual(addUpSamples(labels, parsed.of(name)), addUp(labels, rows, of));
  const all = Object.entries(sums);
  return all.filter(isWrong).map(([name]) => name);
}

/** Faults of any kind, anywhere, for a while or for good. */
function chooseRules({ cloud, fleet, random }: World): FaultRule[] {
  const origin = new URL(cloud.baseUrl).origin;
  // A second of the table's time; the request_timeout here is as much shorter.
  const clock = { advance: async (ms: number) => delay(ms / 20) };
  const about = { origin, clock, stranger: 'http://127.0.0.1:9/', servers: () => fleet.servers.length };
  const rules: FaultRule[] = [];
  for (let left = random.below(3); left > 0; left -= 1) {
    const [place, row] = [random.pick(places), random.pick(faultRows)];
    const fault = row.fault(place, about);
    const page = place === 'first' ? 0 : 1 + random.below(3);
    const where =
      place === 'login' ? ({ operation: 'login' } as const) : ({ operation: 'list', page } as const);
    const times = random.chance(0.6) ? { times: 1 + random.below(4) } : {};
    if (row[place] !== undefined) rules.push({ ...where, ...times, fault });
  }
  // Once: what a record lacks for as long as everything is old here is the platform's truth.
  const missing = random.pick(['host', 'place', 'project', 'domain', 'disks'] as const);
  const inDetail = (parameters: URLSearchParams) => parameters.get('details') === 'true';
  if (random.chance(0.3))
    rules.push({ operation: 'list', times: 1, where: inDetail, fault: { kind: 'halfTold', missing } });
  return rules;
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** A simulated cloud and an exporter of it, with the clock of this machine. */
async function openWorld(seed: number, more: () => object) {
  const random = createRandom(seed, 0xc4a2);
  const fleet = createFleet({ servers: 60, seed });
  const settings = () => ({ page_size: 15, ...limits, ...more() });
  const exporter = await exporterHere({ fleet, clock: systemClock, tokenLifetimeSeconds: 5, settings });
  const one = () => random.pick(fleet.servers);

  return {
    random,
    cloud: exporter.cloud,
    fleet,
    exporter,
    /** What happens to servers every day. */
    events: {
      create: () => void (fleet.servers.length < 90 && fleet.create(1 + random.below(2))),
      remove: () => void (fleet.servers.length > 45 && fleet.remove([one().id, one().id])),
      status: () => void fleet.setStatus(one().id, random.pick(['running', 'ready', 'start_fail'])),
      move() {
        const taken = new Set(fleet.servers.map(({ host_id }) => host_id));
        const { id, hypervisor, host_id } = one();
        const hosts = fleet.hosts.filter((host) => taken.has(host.id) && host.host_type === 'hypervisor');
        if (hypervisor === 'kvm' && host_id !== '') fleet.moveServer(id, random.pick(hosts).id);
      },
    },
  };
}

/** What a process holds on to when nothing is under way. */
type Vitals = readonly [megabytes: number, handles: number, descriptors: number];

async function takeVitals(): Promise<Vitals> {
  // Node lets a program do this only with a flag.
  setFlagsFromString('--expose_gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // Finalizers and closing sockets need turns of the event loop of their own.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await delay(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  return [Math.round((heapUsed + external) / 1e6), handles, readdirSync('/proc/self/fd').length];
}

/** Caches, the optimizer and the simulated cloud's memory of its tokens may take some. */
function grown(early: Vitals, late: Vitals, collections: number): string[] {
  const tolerated: Vitals = [4 + collections / 5000, 8, 8];
  const isMore = late.some((value, index) => value - early[index]! > tolerated[index]!);
  return isMore ? [`MB, handles, descriptors grew from ${early.join(', ')} to ${late.join(', ')}`] : [];
}

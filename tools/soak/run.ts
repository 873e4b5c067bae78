import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { createRandom, type Random } from '../../src/simulator/fleet/random.ts';
import { parseExposition, type Parsed } from '../../test/support/exposition.ts';
import { createChronicle, type Range } from './chronicle.ts';
import { readShort, tellsTruth, untruths } from './compare.ts';
import { createScraper, type Scrape } from './scraper.ts';
import { openStation, type Mode } from './station.ts';
import { letGuess } from './strangers.ts';
import { growth, remains, takeVitals, type Vitals } from './vitals.ts';
import { createWeather } from './weather.ts';

export interface SoakPlan {
  readonly collections: number;
  readonly timeLimitMs: number;
  readonly seed: number;
  readonly mode: Mode;
  /** How much later than its own timeout a scrape may be answered. */
  readonly toleratedLateMs: number;
  readonly onProgress?: (vitals: Vitals) => void;
}

export interface SoakReport {
  readonly collections: number;
  readonly failures: number;
  readonly scrapes: number;
  readonly staleAnswers: number;
  readonly logins: number;
  readonly retries: number;
  readonly reloads: number;
  /** Passwords that strangers tried. */
  readonly guesses: number;
  readonly seconds: number;
  /** After the faults had ended, until the cloud was up and its numbers were the newest. */
  readonly mostScrapesToHeal: number;
  readonly strikes: ReadonlyMap<string, number>;
  /** The scrape that came nearest to its timeout, or passed it: milliseconds that were left. */
  readonly leastLeftMs: number;
  /** At rest, from the end of the warming up to the end. */
  readonly vitals: readonly Vitals[];
  /** What must not be; empty if all is well. */
  readonly faults: readonly string[];
}

const scrapeTimeoutsMs = [600, 1000, 3000] as const;
const patientMs = 10_000;

/** Scrapes through changing weather until it has seen enough, and watches that nothing is wrong, late or left behind. */
export async function soak(plan: SoakPlan): Promise<SoakReport> {
  const random = createRandom(plan.seed, 0x50a4);
  const atStart = await takeVitals(0);
  const station = await openStation(plan.seed, plan.mode);
  const { cloud, clock, url, login } = station;
  const chronicle = createChronicle(cloud.fleet);
  const weather = createWeather(station, random, chronicle);
  const scrapers = [createScraper(url, login), createScraper(url, login)] as const;
  const startedAt = performance.now();
  const faults: string[] = [];
  const vitals: Vitals[] = [];
  const seen = {
    scrapes: 0,
    reloads: 0,
    guesses: 0,
    leastLeftMs: Infinity,
    mostScrapesToHeal: 0,
    collections: 0,
    failures: 0,
    staleAnswers: 0,
    logins: 0,
    retries: 0,
  };

  function read({ text, timeoutMs, tookMs, stolenMs }: Scrape): Parsed {
    if (seen.scrapes % 20 === 0) parseExposition(text);
    const parsed = readShort(text);
    seen.scrapes += 1;
    const leftMs = timeoutMs + stolenMs - tookMs;
    seen.leastLeftMs = Math.min(seen.leastLeftMs, leftMs);
    if (leftMs < -plan.toleratedLateMs)
      faults.push(
        `a scrape with a timeout of ${timeoutMs} ms took ${Math.round(tookMs)} ms, of which ${stolenMs} ms were stolen`,
      );
    seen.collections = parsed.sum('cloud_exporter_collections_total');
    seen.failures = parsed.sum('cloud_exporter_collection_failures_total');
    seen.staleAnswers = parsed.sum('cloud_exporter_stale_answers_total');
    seen.logins = parsed.sum('cloud_exporter_logins_total');
    seen.retries = parsed.sum('cloud_exporter_api_retries_total');
    return parsed;
  }

  /** In clear weather the cloud is up again at once, and every sum is the newest truth. */
  async function expectHealed(): Promise<void> {
    weather.clear();
    await station.reload(false);
    seen.reloads += 1;
    let words = '';
    // The first one may join a collection that met the weather of before; on a busy machine more may time out.
    for (let scrapes = 1; scrapes <= 8; scrapes += 1) {
      const parsed = read(await scrapers[0].scrape(patientMs));
      seen.mostScrapesToHeal = Math.max(seen.mostScrapesToHeal, scrapes);
      chronicle.begin();
      if (parsed.value('cloud_up') === 1 && tellsTruth(parsed, chronicle.range())) return;
      words = wrongSum(parsed, chronicle.range());
    }
    faults.push(`the cloud did not come back after the faults had ended: ${words}`);
  }

  /** Old numbers are right as long as they say that they are old. */
  function judge(parsed: Parsed, before: Range, changedAt: number, mayBeUnknown: boolean): void {
    const isKnown = parsed.of('cloud_servers').length > 0;
    if (!isKnown && mayBeUnknown && parsed.value('cloud_up') === 0) return;
    if (tellsTruth(parsed, chronicle.range())) return;
    const takenAt = (parsed.value('cloud_snapshot_timestamp_seconds') ?? Infinity) * 1000;
    if (clock.realTimeOf(takenAt) <= changedAt && tellsTruth(parsed, before)) return;
    if (weather.mayBeShort() && isVisiblyShort(parsed, chronicle.range())) return;
    const words = isKnown ? wrongSum(parsed, chronicle.range()) : 'the last good snapshot was lost';
    const age = `it took ${parsed.value('cloud_collection_duration_seconds')} s and ended ${(clock.realTimeOf(takenAt) - changedAt) / 1000} s after the change`;
    faults.push(`${words}, ${age}, after ${weather.words()}`);
  }

  async function sitOut(): Promise<void> {
    chronicle.begin();
    const before = chronicle.range();
    const changedAt = Date.now();
    changeFleet(cloud.fleet, random);
    chronicle.begin();
    weather.change();
    // A configuration whose secrets do not answer is not taken.
    const isRestarted = random.chance(0.05) && !station.mount.isDead();
    const strangers = random.chance(0.3) ? letGuess(url, guess) : undefined;
    const rounds = Promise.all(scrapers.map((scraper) => scrapeAFewTimes(scraper)));
    if (isRestarted) {
      await station.reload(true);
      seen.reloads += 1;
    }
    // Read only now: reading keeps the one thread busy in which everything here happens.
    const scrapes = (await rounds).flat();
    const { guesses = 0, letIn = 0 } = (await strangers?.end()) ?? {};
    seen.guesses += guesses;
    if (letIn > 0) faults.push('a stranger was let in');
    for (const scrape of scrapes) judge(read(scrape), before, changedAt, isRestarted);
  }

  const guess = (number: number) => ({ ...login, password: `${seen.guesses + number}` });

  async function scrapeAFewTimes(scraper: (typeof scrapers)[number]): Promise<Scrape[]> {
    const scrapes: Scrape[] = [];
    for (let count = 1 + random.below(4); count > 0; count -= 1)
      scrapes.push(await scraper.scrape(random.pick(scrapeTimeoutsMs)));
    return scrapes;
  }

  /** In tenths of the whole, of the count or of the time, whichever is further. */
  function progress(): number {
    const ofTime = (performance.now() - startedAt) / plan.timeLimitMs;
    return Math.floor(10 * Math.max(ofTime, seen.collections / plan.collections));
  }

  try {
    await expectHealed();
    while (vitals.length < 10 && faults.length < 10) {
      await sitOut();
      await expectHealed();
      cloud.journal.clear();
      if (progress() <= vitals.length) continue;
      vitals.push(await takeVitals(seen.collections));
      plan.onProgress?.(vitals.at(-1)!);
    }
  } finally {
    weather.clear();
    for (const scraper of scrapers) scraper.end();
    await station.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const grown = [...growth(vitals), ...remains(atStart, await takeVitals(seen.collections))];
  return { ...seen, seconds, strikes: weather.strikes, vitals, faults: [...faults, ...grown] };
}

function changeFleet(fleet: Fleet, random: Random): void {
  if (fleet.servers.length < 75) fleet.create(random.below(4));
  else fleet.remove(fleet.servers.slice(0, 30).map(({ id }) => id));
  for (let count = random.below(4); count > 0; count -= 1)
    fleet.setStatus(random.pick(fleet.servers).id, random.pick(['running', 'ready', 'start_fail']));
}

/**
 * A page that stayed empty at the very end of a list: a gap of a few servers is published, and told. Who was deleted
 * while the list was read is missing besides.
 */
function isVisiblyShort({ sum, value }: Parsed, { stayed, ever }: Range): boolean {
  const missing = (value('cloud_list_reported') ?? 0) - (value('cloud_list_received') ?? 0);
  const tolerated = 10 + ever.size - stayed.size;
  return missing > 0 && missing <= tolerated && sum('cloud_servers') === value('cloud_list_received');
}

function wrongSum(parsed: Parsed, range: Range): string {
  const { value, sum } = parsed;
  const { stayed, ever } = range;
  const list = `${value('cloud_list_received')} of ${value('cloud_list_reported')} received`;
  return `a sum is wrong: ${sum('cloud_servers')} servers told, ${stayed.size} to ${ever.size} there are (${list}, ${sum('cloud_list_rejected')} rejected, up ${value('cloud_up')}): ${untruths(parsed, range).slice(0, 3).join('; ')}`;
}

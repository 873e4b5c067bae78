import { describe, expect, it } from 'vitest';
import { failuresOf } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { expectTruth } from '../support/truth.ts';
import { dayMs, ruleAt, setStage, type Stage } from './stage.ts';
import { faultRows, places, type FaultRow, type Outcome, type Place } from './table.ts';
import { truthOf } from '../simulator/truth.ts';

const pauseMs = 30_000;
/** After which nothing is known of before, and every pause is over. */
const longMs = 91 * dayMs;

interface Case {
  readonly row: FaultRow;
  readonly place: Place;
  readonly outcome: Outcome;
}

const cases = faultRows.flatMap((row) =>
  places.flatMap((place): Case[] => (row[place] ? [{ row, place, outcome: row[place] }] : [])),
);

/** Each long after the one before; a case that fails says which it was. */
async function tryAll(
  stage: Stage,
  all: readonly Case[],
  expectCase: (one: Case) => Promise<void>,
): Promise<void> {
  for (const one of all) {
    await stage.clock.advance(longMs);
    await expectCase(one).catch((cause: unknown) => {
      throw new Error(`a platform that ${one.row.what}`, { cause });
    });
    expect(stage.cloud.journal.usedDeadTokens).toEqual([]);
    expect(stage.strayed, 'requests to another host').toEqual([]);
  }
}

/** Asks while the fault strikes, each time or so often; tells how many requests met it. */
async function strike({ row, place }: Case, stage: Stage, times?: number) {
  const { cloud, world, scrape } = stage;
  const fault = row.fault(place, world);
  const rule = cloud.faults.set({ ...ruleAt(place), fault, ...(times !== undefined && { times }) });
  const parsed = await stage.during({ row, rule }, scrape);
  cloud.faults.clear();
  return { parsed, hits: rule.hits };
}

/** Of some servers, which never come or go: a range without any would be too short for some faults. */
function resize({ cloud: { fleet } }: Stage): void {
  const some = fleet.servers.filter((_, index) => index % 5 === 0).map(({ id }) => id);
  fleet.changeAll(some, ({ vcpu_count }) => ({ vcpu_count: vcpu_count + 1 }));
}

/** The token of before is dead by then where a login is to be due. */
async function change({ place }: Case, stage: Stage): Promise<void> {
  resize(stage);
  if (place === 'login') await stage.clock.advance(dayMs);
}

/** What the failures of one page are beside those of the page before. */
function countFailures(): (parsed: Parsed) => Record<string, number> {
  let before: Record<string, number> = {};
  return (parsed) => {
    const all = failuresOf(parsed);
    const more = Object.entries(all).map(([reason, count]) => [reason, count - (before[reason] ?? 0)]);
    before = all;
    return Object.fromEntries(more.filter(([, count]) => Number(count) > 0)) as Record<string, number>;
  };
}

async function expectFailures(
  one: Case & { readonly outcome: Exclude<Outcome, 'fine'> },
  stage: Stage,
  { isCounted, failures }: { isCounted: boolean; failures: ReturnType<typeof countFailures> },
): Promise<void> {
  const { cloud, clock, scrape, expectFine, expectHealed } = stage;
  const { reason, tries, pause } = one.outcome;
  const expectDown = (parsed: Parsed) => {
    expect(parsed.value('cloud_up')).toBe(0);
    expect(failures(parsed)).toEqual({ [reason]: 1 });
  };
  const expectOver = async () => {
    if (pause) await clock.advance(pauseMs);
    await expectHealed();
  };
  const { parsed, hits } = await strike(one, stage);
  expectDown(parsed);
  expect(parsed.of('cloud_servers'), 'nothing is known yet').toEqual([]);
  if (isCounted) expect(hits, 'requests that met the fault').toBe(tries);
  if (pause) {
    cloud.journal.clear();
    expectDown(await scrape());
    expect(cloud.journal.count('login'), 'a refused login is not repeated at once').toBe(0);
  }
  await expectOver();

  const before = truthOf(cloud.fleet);
  await change(one, stage);
  const { parsed: stale } = await strike(one, stage);
  expectDown(stale);
  expectTruth(stale, before, 'one');
  await expectOver();

  await change(one, stage);
  const { parsed: once } = await strike(one, stage, 1);
  if (tries > 1) return expectFine(once);
  expectDown(once);
  await expectOver();
}

/**
 * As it is by default, and with each list detailed, after a login that is the same; the dialect of the document is read in
 * detail anyway.
 */
const platforms = [
  // A plain list of so few has one page.
  { dialect: 'platform', lists: 'light', ages: {}, at: ['login', 'first'] },
  { dialect: 'platform', lists: 'detailed', ages: { details_max_age: 0 }, at: ['first', 'middle'] },
  { dialect: 'document', lists: 'detailed', ages: { details_max_age: 0 }, at: places },
] as const;

describe.each(platforms)('a $dialect with $lists lists', ({ dialect, ages, at }) => {
  it.each(at)('does anything at the place "%s": it is told, and over when it is over', async (place) => {
    const stage = await setStage(() => ages, dialect);
    // The dialect of the document is asked by id first, which is a page more.
    const how = { isCounted: dialect === 'platform', failures: countFailures() };
    const here = cases.filter((one) => one.place === place);
    await tryAll(stage, here, async (one) => {
      const { outcome } = one;
      if (outcome !== 'fine') return expectFailures({ ...one, outcome }, stage, how);
      stage.expectFine((await strike(one, stage)).parsed);
      await change(one, stage);
      stage.expectFine((await strike(one, stage)).parsed);
    });
  });
});

it('whatever the identity service does while the token is still valid, all is well', async () => {
  const stage = await setStage();
  const failed = (parsed: Parsed) => parsed.sum('cloud_exporter_login_failures_total');
  const failing = cases.filter(({ place, outcome }) => place === 'login' && outcome !== 'fine');
  await tryAll(stage, failing, async (one) => {
    const before = failed(await stage.scrape());
    await stage.clock.advance(dayMs - 4 * 60_000);
    resize(stage);
    const { parsed } = await strike(one, stage);
    stage.expectFine(parsed);
    expect(failed(parsed)).toBeGreaterThan(before);
  });
});

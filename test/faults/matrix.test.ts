import { describe, expect, it } from 'vitest';
import { failuresOf } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { expectTruth } from '../support/truth.ts';
import { dayMs, ruleAt, setStage, type Stage } from './stage.ts';
import { places, type Outcome, type Place } from './outcome.ts';
import { faultRows, type FaultRow } from './table.ts';
import { truthOf } from '../simulator/truth.ts';

const pauseMs = 30_000;

interface Case {
  readonly row: FaultRow;
  readonly place: Place;
  readonly outcome: Outcome;
}

const cases = faultRows.flatMap((row) =>
  places.flatMap((place): Case[] => {
    const outcome = row[place];
    return outcome === undefined ? [] : [{ row, place, outcome }];
  }),
);

/** Asks while the fault strikes, each time or so often; tells how many requests met it. */
async function strike({ row, place }: Case, stage: Stage, ask: () => Promise<Parsed>, times?: number) {
  const { cloud, world } = stage;
  cloud.journal.clear();
  const fault = row.fault(place, world);
  const rule = cloud.faults.set({ ...ruleAt(place), fault, ...(times !== undefined && { times }) });
  const parsed = await stage.during({ row, rule }, ask);
  cloud.faults.clear();
  return { parsed, hits: rule.hits };
}

function expectFine(parsed: Parsed, { cloud }: Stage): void {
  expect(parsed.value('cloud_up')).toBe(1);
  expectTruth(parsed, truthOf(cloud.fleet), 'one');
}

/** More servers, and the token of before is dead by then where a login is to be due. */
async function change({ place }: Case, { cloud, clock }: Stage): Promise<void> {
  cloud.fleet.create(2);
  if (place === 'login') await clock.advance(dayMs);
}

async function expectFailures(one: Case, stage: Stage, isCounted: boolean): Promise<void> {
  const { cloud, clock, scrape, probe, expectFine: expectHealed } = stage;
  if (one.outcome === 'fine') throw new Error('a failure was expected');
  const { reason, tries, pause } = one.outcome;
  const { parsed, hits } = await strike(one, stage, scrape);
  expect(parsed.value('cloud_up')).toBe(0);
  expect(parsed.of('cloud_servers'), 'nothing is known yet').toEqual([]);
  expect(failuresOf(parsed)).toEqual({ [reason]: 1 });
  if (isCounted) expect(hits, 'requests that met the fault').toBe(tries);
  if (pause) {
    cloud.journal.clear();
    expect((await probe()).value('cloud_up')).toBe(0);
    expect(cloud.journal.count('login'), 'a refused login is not repeated at once').toBe(0);
    await clock.advance(pauseMs);
  }
  await expectHealed();

  const before = truthOf(cloud.fleet);
  await change(one, stage);
  const { parsed: stale } = await strike(one, stage, probe);
  expect(stale.value('cloud_up')).toBe(0);
  expectTruth(stale, before, 'one');
  if (pause) await clock.advance(pauseMs);
  await expectHealed();

  await change(one, stage);
  const { parsed: after } = await strike(one, stage, probe, 1);
  if (tries > 1) return expectFine(after, stage);
  expect(after.value('cloud_up'), 'when it strikes once').toBe(0);
  if (pause) await clock.advance(pauseMs);
  await expectHealed();
}

/** As it is by default, and with each list detailed; the dialect of the document is read in detail anyway. */
const platforms = [
  { dialect: 'platform', lists: 'light', ages: {} },
  { dialect: 'platform', lists: 'detailed', ages: { details_max_age: 0 } },
  { dialect: 'document', lists: 'detailed', ages: { details_max_age: 0 } },
] as const;
const stages = platforms.flatMap((platform) => places.map((place) => ({ ...platform, place })));

describe.each(stages)('a $dialect with $lists lists that, at the place $place,', (platform) => {
  it.each(cases.filter(({ place }) => place === platform.place))('$row.what', async (one) => {
    const stage = await setStage(() => platform.ages, platform.dialect);
    if (one.outcome === 'fine') {
      for (const ask of [stage.scrape, stage.probe]) {
        expectFine((await strike(one, stage, ask)).parsed, stage);
        await change(one, stage);
      }
    } else {
      // The dialect of the document is asked by id first, which is a page more.
      await expectFailures(one, stage, platform.dialect === 'platform');
    }
    expect(stage.cloud.journal.usedDeadTokens).toEqual([]);
    expect(stage.strayed, 'requests to another host').toEqual([]);
  });
});

describe('a platform whose identity service, while the token is still valid,', () => {
  const failing = cases.filter(({ place, outcome }) => place === 'login' && outcome !== 'fine');

  it.each(failing)('$row.what', async (one) => {
    const stage = await setStage();
    await stage.probe();
    await stage.clock.advance(dayMs - 4 * 60_000);
    stage.cloud.fleet.create(3);
    const { parsed } = await strike(one, stage, stage.scrape);
    expectFine(parsed, stage);
    expect(parsed.sum('cloud_exporter_login_failures_total')).toBeGreaterThanOrEqual(1);
    expect(stage.cloud.journal.usedDeadTokens).toEqual([]);
  });
});

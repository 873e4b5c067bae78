import { describe, expect, it } from 'vitest';
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

/** The token of before is dead by then, so that a login is due. */
async function letTokenDie({ place }: Case, { clock }: Stage): Promise<void> {
  if (place === 'login') await clock.advance(dayMs);
}

function strike({ row, place }: Case, { cloud, world }: Stage, times?: number) {
  const fault = row.fault(place, world);
  cloud.journal.clear();
  return cloud.faults.set({ ...ruleAt(place), fault, ...(times !== undefined && { times }) });
}

function failures(parsed: Parsed): Record<string, number> {
  const counted = parsed.of('cloud_exporter_collection_failures_total').filter(({ value }) => value > 0);
  return Object.fromEntries(counted.map(({ labels, value }) => [labels['reason'], value]));
}

/** A scrape while the fault strikes every time; returns how many requests met it. */
async function scrapeUnder(one: Case, stage: Stage): Promise<{ parsed: Parsed; hits: number }> {
  const rule = strike(one, stage);
  const parsed = await stage.during({ row: one.row, rule }, stage.scrape);
  stage.cloud.faults.clear();
  return { parsed, hits: rule.hits };
}

async function expectHealed(stage: Stage, pause = false): Promise<void> {
  if (pause) {
    stage.cloud.journal.clear();
    const heldBack = await stage.scrape();
    expect(heldBack.value('cloud_up')).toBe(0);
    expect(stage.cloud.journal.count('login'), 'a refused login is not repeated at once').toBe(0);
    await stage.clock.advance(pauseMs);
  }
  const healed = await stage.scrape();
  expect(healed.value('cloud_up')).toBe(1);
  expectTruth(healed, truthOf(stage.cloud.fleet), 'one');
}

/** As it is by default, and with each list detailed; the dialect of the document is read in detail anyway. */
const platforms = [
  { dialect: 'platform', lists: 'light', ages: {} },
  { dialect: 'platform', lists: 'detailed', ages: { details_max_age: 0 } },
  { dialect: 'document', lists: 'detailed', ages: { details_max_age: 0 } },
] as const;
const stages = platforms.flatMap((platform) => places.map((place) => ({ ...platform, place })));

describe.each(stages)(
  'a $dialect with $lists lists that, at the place "$place",',
  ({ dialect, ages, place }) => {
    it.each(cases.filter((one) => one.place === place))('$row.what', async (one) => {
      const { outcome, row } = one;
      const pauses = outcome !== 'fine' && outcome.pause === true;
      const stage = await setStage(() => ages, dialect);
      const { cloud, scrape } = stage;

      if (outcome === 'fine') {
        const { parsed } = await scrapeUnder(one, stage);
        expect(parsed.value('cloud_up')).toBe(1);
        expectTruth(parsed, truthOf(cloud.fleet), 'one');
      } else {
        const { parsed, hits } = await scrapeUnder(one, stage);
        expect(parsed.value('cloud_up')).toBe(0);
        expect(parsed.of('cloud_servers'), 'nothing is known yet').toEqual([]);
        expect(failures(parsed)).toEqual({ [outcome.reason]: 1 });
        // The document's dialect is asked by id first, which is a page more.
        if (dialect === 'platform') expect(hits, 'requests that met the fault').toBe(outcome.tries);
      }
      await expectHealed(stage, pauses);

      const before = truthOf(cloud.fleet);
      cloud.fleet.create(3);
      await letTokenDie(one, stage);
      const { parsed: under } = await scrapeUnder(one, stage);
      expect(under.value('cloud_up')).toBe(outcome === 'fine' ? 1 : 0);
      expectTruth(under, outcome === 'fine' ? truthOf(cloud.fleet) : before, 'one');
      await expectHealed(stage, pauses);

      cloud.fleet.create(2);
      await letTokenDie(one, stage);
      const rule = strike(one, stage, 1);
      const once = await stage.during({ row, rule }, scrape);
      const isAbsorbed = outcome === 'fine' || outcome.tries > 1;
      expect(once.value('cloud_up'), 'when it strikes once').toBe(isAbsorbed ? 1 : 0);
      if (isAbsorbed) expectTruth(once, truthOf(cloud.fleet), 'one');
      cloud.faults.clear();
      await expectHealed(stage, pauses && !isAbsorbed);

      expect(cloud.journal.usedDeadTokens).toEqual([]);
      expect(stage.strayed, 'requests to another host').toEqual([]);
    });
  },
);

describe('a platform whose identity service, while the token is still valid,', () => {
  const failing = cases.filter(({ place, outcome }) => place === 'login' && outcome !== 'fine');

  it.each(failing)('$row.what', async (one) => {
    const stage = await setStage();
    await stage.scrape();
    await stage.clock.advance(dayMs - 4 * 60_000);
    stage.cloud.fleet.create(3);
    const { parsed } = await scrapeUnder(one, stage);
    expect(parsed.value('cloud_up')).toBe(1);
    expectTruth(parsed, truthOf(stage.cloud.fleet), 'one');
    expect(parsed.sum('cloud_exporter_login_failures_total')).toBeGreaterThanOrEqual(1);
    expect(stage.cloud.journal.usedDeadTokens).toEqual([]);
  });
});

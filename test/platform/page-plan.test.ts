import { describe, expect, it } from 'vitest';
import {
  canHalve,
  halve,
  learn,
  nextAsk,
  repair,
  startPlan,
  verdictOf,
  type Layout,
  type PlanSettings,
} from '../../src/platform/page-plan.ts';
import { asks, joined, page, readAll, rows, settings, type Platform } from './page-plans.ts';

describe('a first reading', () => {
  it('asks for one page and waits for what it teaches', () => {
    const { plan, offsets } = asks(startPlan(settings));
    expect(offsets).toEqual([0]);
    const ask = { offset: 0, limit: 100 };
    const taught = learn(plan, page(ask, { rows: rows(0, 100), answeredLimit: 100, total: 350 }));
    expect(asks(taught).offsets).toEqual([100, 200, 300]);
  });

  it('waits for the first page even if a page is one server', () => {
    expect(asks(startPlan({ ...settings, pageSize: 1 })).offsets).toEqual([0]);
  });

  it('goes page by page where there is no total', () => {
    const { plan } = asks(startPlan(settings));
    const taught = learn(plan, page({ offset: 0, limit: 100 }, { rows: rows(0, 100), answeredLimit: 100 }));
    expect(asks(taught).offsets).toEqual([100]);
  });

  it.each<[string, Platform, PlanSettings, number[]]>([
    ['no servers', { count: 0 }, settings, [0]],
    ['fewer than a page', { count: 60 }, settings, [0]],
    ['one page and one server', { count: 101 }, settings, [0, 100]],
    ['just a full page, whose end the next one shows', { count: 100 }, settings, [0, 100]],
    ['two and a half pages', { count: 250 }, settings, [0, 100, 200]],
    ['two and a half pages that overlap', { count: 250 }, joined, [0, 90, 180]],
    ['just as many as two overlapping pages hold', { count: 190 }, joined, [0, 90, 180]],
    ['pages cut by the platform, which says so', { count: 90, most: 40 }, settings, [0, 40, 80]],
    [
      'pages cut by a platform that says nothing',
      { count: 90, most: 40, isMute: true },
      settings,
      [0, 40, 80],
    ],
    ['cut pages that overlap', { count: 90, most: 40 }, joined, [0, 36, 72]],
    ['pages that overlap by a tenth at most', { count: 30, most: 15 }, joined, [0, 14, 28]],
    ['pages cut to one server each', { count: 2, most: 1 }, joined, [0, 1, 2]],
    ['a mute platform and one server', { count: 1, isMute: true }, settings, [0, 1]],
    ['a mute platform and a short page', { count: 60, isMute: true }, settings, [0, 60]],
    ['no total', { count: 250, total: undefined }, settings, [0, 100, 200]],
    ['a total that is too low', { count: 250, total: 120 }, settings, [0, 100, 200]],
    ['a total that is too high', { count: 150, total: 9999 }, settings, [0, 100]],
  ])('of %s reads each row', (_words, platform, chosen, expected) => {
    const { plan, asked, ids } = readAll(startPlan(chosen), platform);
    expect(asked.map(({ offset }) => offset)).toEqual(expected);
    expect(asked.every(({ limit }) => limit === 100)).toBe(true);
    expect(ids.size).toBe(platform.count);
    expect(repair(plan)).toBeUndefined();
  });

  it('goes on past its plan while the total grows', () => {
    const start = asks(startPlan(settings)).plan;
    let plan = learn(
      start,
      page({ offset: 0, limit: 100 }, { rows: rows(0, 100), answeredLimit: 100, total: 150 }),
    );
    plan = asks(plan).plan;
    plan = learn(plan, page({ offset: 100, limit: 100 }, { rows: rows(100, 200), total: 260 }));
    expect(asks(plan).offsets).toEqual([200]);
  });

  it('ends with a page that brings nothing new, unless the total grew', () => {
    const start = asks(startPlan(settings)).plan;
    const full = { rows: rows(0, 100), answeredLimit: 100 };
    const first = asks(learn(start, page({ offset: 0, limit: 100 }, { ...full, total: 1000 }))).plan;
    const repeated = (total: number | undefined, before = 1000) =>
      learn(
        { ...first, total: before, next: 200 },
        page({ offset: 100, limit: 100 }, { rows: rows(0, 100), isNew: false, total }),
      );
    expect(repeated(1000).hasEnded).toBe(true);
    expect(repeated(1001).hasEnded).toBe(false);
    expect(repeated(undefined).hasEnded).toBe(true);
    expect(repeated(undefined, 0).hasEnded).toBe(true);
  });

  it('gives up at the page limit, and not one page before', () => {
    const three = { ...settings, pageLimit: 3 };
    const start = asks(startPlan(three)).plan;
    const lesson = page({ offset: 0, limit: 100 }, { rows: rows(0, 100), answeredLimit: 100, total: 9999 });
    expect(asks(learn(start, lesson)).offsets).toEqual([100, 200, 'too-many']);
    expect(asks(learn(start, { ...lesson, total: 299 })).offsets).toEqual([100, 200]);
  });
});

describe('a reading that is laid out like the last one', () => {
  const layout: Layout = { fullPage: 100, total: 350 };

  it('asks for all pages at once', () => {
    expect(asks(startPlan(settings, layout)).offsets).toEqual([0, 100, 200, 300]);
    expect(asks(startPlan(joined, layout)).offsets).toEqual([0, 90, 180, 270]);
  });

  it('asks for one page if no more were told', () => {
    const single = { ...settings, pageSize: 1 };
    expect(asks(startPlan(single, { fullPage: 1, total: 0 })).offsets).toEqual([0]);
  });

  it('is not remembered if its first page was not full, however many pages there were', () => {
    let plan = asks(startPlan(settings, layout)).plan;
    plan = learn(plan, page({ offset: 0, limit: 100 }, { rows: rows(0, 80), total: 350 }));
    plan = learn(plan, page({ offset: 100, limit: 100 }, { rows: rows(100, 180), total: 350 }));
    expect(verdictOf(plan, 160).layout).toBeUndefined();
  });

  it('has seen the end when a later page was short, whatever arrives after that', () => {
    let plan = asks(startPlan(settings, layout)).plan;
    plan = learn(plan, page({ offset: 300, limit: 100 }, { rows: rows(300, 350), total: 9999 }));
    plan = learn(plan, page({ offset: 200, limit: 100 }, { rows: rows(200, 300), total: 9999 }));
    expect(asks(plan).offsets).toEqual([]);
  });

  it.each<[string, Platform, boolean]>([
    ['is believed if the first page is as it was', { count: 350 }, false],
    ['is believed if the list grew', { count: 480 }, false],
    ['is doubted if the pages have become shorter', { count: 350, most: 80 }, true],
    ['is doubted if the list fits one page now', { count: 99 }, true],
  ])('%s', (_words, platform, isDoubted) => {
    const { plan, ids } = readAll(startPlan(settings, layout), platform);
    const { doubt, layout: next } = verdictOf(plan, ids.size);
    expect(doubt === 'laid_out_otherwise').toBe(isDoubted);
    expect(next).toEqual(isDoubted ? undefined : { fullPage: 100, total: platform.count });
    if (!isDoubted) expect(ids.size).toBe(platform.count);
  });
});

describe('a page that took too long', () => {
  it('is asked for in two halves that join', () => {
    const plan = asks(startPlan(joined, { fullPage: 100, total: 250 })).plan;
    const halved = halve(plan, { offset: 90, limit: 100 });
    expect(halved.queue).toEqual([
      { offset: 90, limit: 50 },
      { offset: 135, limit: 55 },
    ]);
    expect(asks(halved).offsets).toEqual([90, 135]);
    expect(halve(plan, { offset: 90, limit: 99 }).queue).toEqual([
      { offset: 90, limit: 50 },
      { offset: 135, limit: 54 },
    ]);
  });

  it('is a matter of that page alone, once the first one was read', () => {
    const start = asks(startPlan(joined)).plan;
    const first = page({ offset: 0, limit: 100 }, { rows: rows(0, 100), answeredLimit: 100, total: 150 });
    const halved = halve(asks(learn(start, first)).plan, { offset: 90, limit: 100 });
    expect(asks(halved).offsets).toEqual([90, 135]);
  });

  it('is a smaller page for all, if it was the first', () => {
    const plan = asks(startPlan(joined)).plan;
    const halved = halve(plan, { offset: 0, limit: 100 });
    expect(nextAsk(halved).ask).toEqual({ offset: 0, limit: 50 });
    expect(asks(halved).offsets).toEqual([0]);
    const taught = learn(
      asks(halved).plan,
      page({ offset: 0, limit: 50 }, { rows: rows(0, 50), answeredLimit: 50, total: 120 }),
    );
    expect(asks(taught).offsets).toEqual([45, 90]);
  });

  it('is not halved for ever', () => {
    const plan = asks(startPlan(joined, { fullPage: 100, total: 250 })).plan;
    expect(halve(plan, { offset: 90, limit: 19 }).queue).toHaveLength(2);
    expect([19, 18].map((limit) => canHalve({ offset: 90, limit }))).toEqual([true, false]);
  });
});

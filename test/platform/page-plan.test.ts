import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canHalve,
  halve,
  learn,
  nextAsk,
  repair,
  startPlan,
  verdictOf,
  type Ask,
  type Layout,
  type Lesson,
  type PagePlan,
  type PlanSettings,
} from '../../src/platform/page-plan.ts';

const settings: PlanSettings = { pageSize: 100, pageLimit: 50, overlap: 0 };
const joined: PlanSettings = { ...settings, overlap: 10 };

/** Rows of a list as ids, from one row to another. */
const rows = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => `s${from + index}`);

function page(ask: Ask, given: Partial<Lesson>): Lesson {
  return { ...ask, ids: [], isNew: true, answeredLimit: undefined, total: undefined, ...given };
}

/** The offsets that a plan asks for, as long as it asks. */
function asks(plan: PagePlan): { plan: PagePlan; offsets: (number | string)[] } {
  const offsets: (number | string)[] = [];
  for (let next = plan; offsets.length < 100;) {
    const step = nextAsk(next);
    if (step.ask === undefined) return { plan: step.plan, offsets };
    offsets.push(typeof step.ask === 'string' ? step.ask : step.ask.offset);
    if (step.ask === 'too-many') return { plan: step.plan, offsets };
    next = step.plan;
  }
  return { plan, offsets };
}

/** A platform with this many rows, which cuts pages at `most` and says no limit if `isMute`. */
interface Platform {
  readonly count: number;
  readonly most?: number;
  readonly isMute?: boolean;
  readonly total?: number | undefined;
}

/** Reads page by page; `at` may change the platform before a page is read. */
function readAll(plan: PagePlan, platform: Platform): { plan: PagePlan; asked: Ask[]; ids: Set<string> } {
  const asked: Ask[] = [];
  const ids = new Set<string>();
  let current = plan;
  for (;;) {
    const step = nextAsk(current);
    current = step.plan;
    if (step.ask === undefined || step.ask === 'too-many') return { plan: current, asked, ids };
    asked.push(step.ask);
    const size = Math.min(step.ask.limit, platform.most ?? Infinity);
    const shown = rows(step.ask.offset, Math.min(platform.count, step.ask.offset + size));
    const isNew = shown.some((id) => !ids.has(id));
    for (const id of shown) ids.add(id);
    const answeredLimit = platform.isMute ? undefined : size;
    const total = 'total' in platform ? platform.total : platform.count;
    current = learn(current, { ...step.ask, ids: shown, isNew, answeredLimit, total });
  }
}

describe('a first reading', () => {
  it('asks for one page and waits for what it teaches', () => {
    const { plan, offsets } = asks(startPlan(settings));
    expect(offsets).toEqual([0]);
    const ask = { offset: 0, limit: 100 };
    const taught = learn(plan, page(ask, { ids: rows(0, 100), answeredLimit: 100, total: 350 }));
    expect(asks(taught).offsets).toEqual([100, 200, 300]);
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
      page({ offset: 0, limit: 100 }, { ids: rows(0, 100), answeredLimit: 100, total: 150 }),
    );
    plan = asks(plan).plan;
    plan = learn(plan, page({ offset: 100, limit: 100 }, { ids: rows(100, 200), total: 260 }));
    expect(asks(plan).offsets).toEqual([200]);
  });

  it('ends with a page that brings nothing new, unless the total grew', () => {
    const start = asks(startPlan(settings)).plan;
    const full = { ids: rows(0, 100), answeredLimit: 100 };
    const first = asks(learn(start, page({ offset: 0, limit: 100 }, { ...full, total: 1000 }))).plan;
    const repeated = (total: number) =>
      learn(
        { ...first, next: 200 },
        page({ offset: 100, limit: 100 }, { ids: rows(0, 100), isNew: false, total }),
      );
    expect(repeated(1000).hasEnded).toBe(true);
    expect(repeated(1001).hasEnded).toBe(false);
  });

  it('gives up at the page limit, and not one page before', () => {
    const three = { ...settings, pageLimit: 3 };
    const start = asks(startPlan(three)).plan;
    const lesson = page({ offset: 0, limit: 100 }, { ids: rows(0, 100), answeredLimit: 100, total: 9999 });
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

  it.each<[string, Platform, boolean]>([
    ['is believed if the first page is as it was', { count: 350 }, false],
    ['is believed if the list grew', { count: 480 }, false],
    ['is doubted if the pages have become shorter', { count: 350, most: 80 }, true],
    ['is doubted if the list fits one page now', { count: 99 }, true],
  ])('%s', (_words, platform, isDoubted) => {
    const { plan, ids } = readAll(startPlan(settings, layout), platform);
    expect(verdictOf(plan, ids.size).doubt === 'laid_out_otherwise').toBe(isDoubted);
    if (!isDoubted) expect(ids.size).toBe(platform.count);
  });
});

describe('the verdict', () => {
  const first = { offset: 0, limit: 100 };
  const second = { offset: 100, limit: 100 };

  /** Two full pages, the first and the last with these totals. */
  function read(totals: readonly [number | undefined, number | undefined], chosen = settings): PagePlan {
    const start = asks(startPlan(chosen)).plan;
    const one = learn(start, page(first, { ids: rows(0, 100), answeredLimit: 100, total: totals[0] }));
    return learn(one, page(second, { ids: rows(100, 160), total: totals[1] }));
  }

  it.each<[string, [number | undefined, number | undefined], number, object]>([
    ['is good when all arrived', [160, 160], 160, { expected: 160, shortBy: 0, doubt: undefined }],
    ['is short by one', [160, 160], 159, { expected: 160, shortBy: 1, doubt: 'short' }],
    ['takes the lower of two totals, the last', [160, 155], 154, { expected: 155, shortBy: 1 }],
    ['takes the lower of two totals, the first', [150, 160], 150, { expected: 150, doubt: undefined }],
    ['doubts a list that shrank', [2000, 1997], 2000, { doubt: 'moved' }],
    ['accepts that it shrank by a thousandth', [2002, 2000], 2002, { doubt: undefined }],
    ['expects what arrived where there is no total', [undefined, undefined], 7, { expected: 7, shortBy: 0 }],
  ])('%s', (_words, totals, arrived, expected) => {
    expect(verdictOf(read(totals), arrived)).toMatchObject(expected);
  });

  it.each<[string, Platform, Layout | undefined]>([
    ['of several pages is remembered', { count: 250 }, { fullPage: 100, total: 250 }],
    ['cut by the platform is remembered as it cut', { count: 90, most: 40 }, { fullPage: 40, total: 90 }],
    ['of one page is not', { count: 60 }, undefined],
    ['without a total is not', { count: 250, total: undefined }, undefined],
  ])('on the layout: one %s', (_words, platform, expected) => {
    const { plan, ids } = readAll(startPlan(settings), platform);
    expect(verdictOf(plan, ids.size).layout).toEqual(expected);
  });
});

describe('pages that overlap', () => {
  const first = { offset: 0, limit: 100 };
  const layout: Layout = { fullPage: 100, total: 250 };

  /** Three pages, of which the later ones start so many rows further down than asked, as after deletions. */
  function read(slip: readonly [number, number], total = 250): PagePlan {
    let plan = asks(startPlan(joined, layout)).plan;
    plan = learn(plan, page(first, { ids: rows(0, 100), total: 250 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { ids: rows(90 + slip[0], 190 + slip[0]), total }));
    const end = { ids: rows(180 + slip[1], 250), total };
    return learn(plan, page({ offset: 180, limit: 100 }, end));
  }

  it('prove that nothing slipped through when each begins in the one before', () => {
    const plan = read([0, 0]);
    expect(repair(plan)).toBeUndefined();
    expect(verdictOf(plan, 250).doubt).toBeUndefined();
  });

  it('forgive as many deletions as they share rows, although the total shrank', () => {
    const plan = read([9, 9], 241);
    expect(repair(plan)).toBeUndefined();
    expect(verdictOf(plan, 250).doubt).toBeUndefined();
  });

  it('show a gap when one does not, and the part in between is asked for again', () => {
    const plan = read([10, 10], 240);
    const repaired = repair(plan)!;
    expect(repaired.queue).toEqual([{ offset: 45, limit: 100 }]);
    const read45 = nextAsk(repaired);
    expect(read45.ask).toEqual({ offset: 45, limit: 100 });
    const healed = learn(read45.plan, page({ offset: 45, limit: 100 }, { ids: rows(55, 155), total: 240 }));
    expect(repair(healed)).toBeUndefined();
    expect(verdictOf(healed, 250).doubt).toBeUndefined();
    expect(verdictOf(plan, 240).doubt).toBe('moved');
  });

  it('show a gap when the page after a full one is empty', () => {
    let plan = asks(startPlan(joined, { fullPage: 100, total: 105 })).plan;
    plan = learn(plan, page(first, { ids: rows(0, 100), total: 105 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { ids: [], isNew: false, total: 85 }));
    expect(repair(plan)?.queue).toEqual([{ offset: 45, limit: 100 }]);
  });

  it('need nothing after a short page', () => {
    let plan = asks(startPlan(joined, layout)).plan;
    plan = learn(plan, page(first, { ids: rows(0, 70), total: 70 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { ids: [], isNew: false, total: 70 }));
    expect(repair(plan)).toBeUndefined();
  });

  it('look past a record without an id', () => {
    let plan = asks(startPlan(joined, { fullPage: 100, total: 150 })).plan;
    plan = learn(plan, page(first, { ids: rows(0, 100), total: 150 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { ids: ['', ...rows(91, 150)], total: 150 }));
    expect(repair(plan)).toBeUndefined();
  });

  it('say nothing about a platform without a fixed order: no page joins its neighbour', () => {
    const plan = read([500, 1500]);
    expect(repair(plan)).toBeUndefined();
  });

  it('are repaired three times at most, and then the list is doubted', () => {
    let plan = read([10, 10]);
    const offsets: number[] = [];
    for (let next = repair(plan); next; next = repair(plan)) {
      const step = nextAsk(next);
      const ask = step.ask as Ask;
      offsets.push(ask.offset);
      plan = learn(step.plan, page(ask, { ids: rows(9000 + ask.offset, 9100 + ask.offset), total: 250 }));
      plan = { ...plan, queue: [] };
    }
    expect(offsets).toHaveLength(3);
    expect(verdictOf(plan, 250).doubt).toBe('moved');
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
  });

  it('is a smaller page for all, if it was the first', () => {
    const plan = asks(startPlan(joined)).plan;
    const halved = halve(plan, { offset: 0, limit: 100 });
    expect(nextAsk(halved).ask).toEqual({ offset: 0, limit: 50 });
  });

  it('is not halved for ever', () => {
    const plan = asks(startPlan(joined, { fullPage: 100, total: 250 })).plan;
    expect(halve(plan, { offset: 90, limit: 19 }).queue).toHaveLength(2);
    expect([19, 18].map((limit) => canHalve({ offset: 90, limit }))).toEqual([true, false]);
  });
});

it('whatever is created and deleted between two pages, what was there all the time is read', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 20, max: 60 }),
      fc.array(
        fc.record({
          created: fc.nat({ max: 8 }),
          deleted: fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
        }),
      ),
      fc.boolean(),
      (count, pageSize, changes, isLaidOut) => {
        let list = rows(0, count);
        let born = 0;
        const survivors = new Set(list);
        const chosen = { pageSize, pageLimit: 1000, overlap: 10 };
        const layout = isLaidOut && count >= pageSize ? { fullPage: pageSize, total: count } : undefined;
        let plan = startPlan(chosen, layout);
        const seen = new Set<string>();
        let turn = 0;
        function readOne(ask: Ask): void {
          const change = changes[turn++];
          for (const index of change?.deleted ?? []) survivors.delete(list[index] ?? '');
          list = list.filter((id) => survivors.has(id) || id.startsWith('new'));
          for (let more = change?.created ?? 0; more > 0; more -= 1) list = [`new${born++}`, ...list];
          const ids = list.slice(ask.offset, ask.offset + ask.limit);
          const isNew = ids.some((id) => !seen.has(id));
          for (const id of ids) seen.add(id);
          plan = learn(plan, { ...ask, ids, isNew, answeredLimit: pageSize, total: list.length });
        }
        for (;;) {
          const step = nextAsk(plan);
          plan = step.plan;
          if (step.ask && step.ask !== 'too-many') readOne(step.ask);
          else {
            const repaired = repair(plan);
            if (!repaired) break;
            plan = repaired;
          }
        }
        // Either nothing slipped through, or the plan knows that something may have.
        const missing = [...survivors].filter((id) => !seen.has(id));
        if (verdictOf(plan, seen.size).doubt === undefined) expect(missing).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

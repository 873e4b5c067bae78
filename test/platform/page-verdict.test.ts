import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  learn,
  nextAsk,
  repair,
  startPlan,
  verdictOf,
  type Ask,
  type Layout,
  type PagePlan,
} from '../../src/platform/page-plan.ts';
import { asks, joined, page, readAll, rows, settings, type Platform } from './page-plans.ts';

describe('the verdict', () => {
  const first = { offset: 0, limit: 100 };
  const second = { offset: 100, limit: 100 };

  /** Two full pages, the first and the last with these totals. */
  function read(totals: readonly [number | undefined, number | undefined], chosen = settings): PagePlan {
    const start = asks(startPlan(chosen)).plan;
    const one = learn(start, page(first, { rows: rows(0, 100), answeredLimit: 100, total: totals[0] }));
    return learn(one, page(second, { rows: rows(100, 160), total: totals[1] }));
  }

  it.each<[string, [number | undefined, number | undefined], number, object]>([
    ['is good when all arrived', [160, 160], 160, { expected: 160, shortBy: 0, doubt: undefined }],
    ['is short by one', [160, 160], 159, { expected: 160, shortBy: 1, doubt: 'short' }],
    ['takes the lower of two totals, the last', [160, 155], 154, { expected: 155, shortBy: 1 }],
    ['takes the lower of two totals, the first', [150, 160], 150, { expected: 150, doubt: undefined }],
    ['doubts a list that shrank', [2000, 1997], 2000, { doubt: 'moved' }],
    ['accepts that it shrank by a thousandth', [2002, 2000], 2002, { doubt: undefined }],
    ['remembers a total that the last page does not tell', [160, undefined], 150, { shortBy: 10 }],
    ['expects what arrived where there is no total', [undefined, undefined], 7, { expected: 7, shortBy: 0 }],
  ])('%s', (_words, totals, arrived, expected) => {
    expect(verdictOf(read(totals), arrived)).toMatchObject(expected);
  });

  it('on nothing at all is that nothing is missing', () => {
    const nothing = { expected: 0, shortBy: 0, doubt: undefined, mayHaveSlipped: false, layout: undefined };
    expect(verdictOf(startPlan(settings), 0)).toEqual(nothing);
  });

  it.each<[string, Platform, Layout | undefined]>([
    ['of several pages is remembered', { count: 250 }, { fullPage: 100, total: 250 }],
    ['of two pages is remembered', { count: 150 }, { fullPage: 100, total: 150 }],
    ['cut by the platform is remembered as it cut', { count: 90, most: 40 }, { fullPage: 40, total: 90 }],
    ['of one page is not', { count: 60 }, undefined],
    ['without a total is not', { count: 250, total: undefined }, undefined],
  ])('on the layout: one %s', (_words, platform, expected) => {
    const { plan, ids } = readAll(startPlan(settings), platform);
    expect(verdictOf(plan, ids.size)).toMatchObject({ layout: expected, doubt: undefined });
  });

  it('on the layout: one of a full page after which nothing was asked is not remembered', () => {
    const { plan } = asks(startPlan(settings));
    const nameless = {
      rows: Array.from({ length: 100 }, () => ''),
      isNew: false,
      answeredLimit: 100,
      total: 100,
    };
    expect(verdictOf(learn(plan, page(first, nameless)), 100).layout).toBeUndefined();
  });
});

describe('pages that overlap', () => {
  const first = { offset: 0, limit: 100 };
  const layout: Layout = { fullPage: 100, total: 250 };

  /** Three pages, of which the later ones start so many rows further down than asked, as after deletions. */
  function read(slip: readonly [number, number], total: number | undefined): PagePlan {
    let plan = asks(startPlan(joined, layout)).plan;
    plan = learn(plan, page(first, { rows: rows(0, 100), total: 250 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { rows: rows(90 + slip[0], 190 + slip[0]), total }));
    const end = { rows: rows(180 + slip[1], 250), total };
    return learn(plan, page({ offset: 180, limit: 100 }, end));
  }

  it('prove that nothing slipped through when each begins in the one before', () => {
    const plan = read([0, 0], 250);
    expect(repair(plan)).toBeUndefined();
    expect(verdictOf(plan, 250).doubt).toBeUndefined();
  });

  it('forgive as many deletions as they share rows, although the total shrank', () => {
    const plan = read([9, 9], 241);
    expect(repair(plan)).toBeUndefined();
    expect(verdictOf(plan, 250).doubt).toBeUndefined();
  });

  it('join at the very first row, too, after as many servers came as a page has', () => {
    expect(repair(read([-90, -90], 340))).toBeUndefined();
  });

  it('show a gap when one does not, and the part in between is asked for again', () => {
    const plan = read([10, 10], 240);
    const repaired = repair(plan)!;
    expect(repaired.queue).toEqual([{ offset: 45, limit: 100 }]);
    const read45 = nextAsk(repaired);
    expect(read45.ask).toEqual({ offset: 45, limit: 100 });
    const healed = learn(read45.plan, page({ offset: 45, limit: 100 }, { rows: rows(55, 155), total: 240 }));
    expect(repair(healed)).toBeUndefined();
    expect(verdictOf(healed, 250).doubt).toBeUndefined();
    expect(verdictOf(plan, 240).doubt).toBe('moved');
  });

  it('show a gap when the page after a full one is empty', () => {
    let plan = asks(startPlan(joined, { fullPage: 100, total: 105 })).plan;
    plan = learn(plan, page(first, { rows: rows(0, 100), total: 105 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { rows: [], isNew: false, total: 85 }));
    expect(repair(plan)?.queue).toEqual([{ offset: 45, limit: 100 }]);
  });

  it('show a gap although no page was short yet', () => {
    let plan = asks(startPlan(joined, layout)).plan;
    plan = learn(plan, page(first, { rows: rows(0, 100) }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { rows: rows(90, 190) }));
    plan = learn(plan, page({ offset: 180, limit: 100 }, { rows: rows(190, 290) }));
    expect(repair(plan)?.queue).toEqual([{ offset: 135, limit: 100 }]);
  });

  it('need nothing after a short page', () => {
    let plan = asks(startPlan(joined, layout)).plan;
    plan = learn(plan, page(first, { rows: rows(0, 70), total: 70 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { rows: [], isNew: false, total: 70 }));
    expect(repair(plan)).toBeUndefined();
  });

  it('look past a record without an id', () => {
    let plan = asks(startPlan(joined, { fullPage: 100, total: 150 })).plan;
    plan = learn(plan, page(first, { rows: rows(0, 100), total: 150 }));
    plan = learn(plan, page({ offset: 90, limit: 100 }, { rows: ['', ...rows(91, 150)], total: 150 }));
    expect(repair(plan)).toBeUndefined();
  });

  it('may all fail to join because servers were deleted between every two of them: each gap is asked for', () => {
    const repaired = repair(read([10, 20], 230))!;
    expect(repaired.queue.map(({ offset }) => offset)).toEqual([45, 135]);
  });

  it('say nothing about a platform without a fixed order: no page joins its neighbour, before or after a repair', () => {
    let plan = repair(read([500, 1500], 250))!;
    for (const ask of plan.queue)
      plan = learn(plan, page(ask, { rows: rows(9000 + ask.offset, 9100 + ask.offset), total: 250 }));
    expect(repair(plan)).toBeUndefined();
    expect(verdictOf(plan, 250)).toMatchObject({ doubt: 'moved', mayHaveSlipped: false });
  });

  it.each<[string, readonly [number, number], number | undefined, boolean]>([
    ['may have let servers slip if they do not join and the total changed', [10, 10], 240, true],
    ['are not blamed if the total stayed', [10, 10], 250, false],
    ['are not blamed if no other total was told', [10, 10], undefined, false],
    ['have let nobody slip if they join, although the total changed', [9, 9], 241, false],
  ])('%s', (_words, slip, total, mayHaveSlipped) => {
    expect(verdictOf(read(slip, total), 250).mayHaveSlipped).toBe(mayHaveSlipped);
  });

  it('are repaired three times at most, and then the list is doubted', () => {
    let plan = read([10, 10], 250);
    const offsets: number[] = [];
    for (let next = repair(plan); next; next = repair(plan)) {
      const step = nextAsk(next);
      const ask = step.ask as Ask;
      offsets.push(ask.offset);
      plan = learn(step.plan, page(ask, { rows: rows(9000 + ask.offset, 9100 + ask.offset), total: 250 }));
      plan = { ...plan, queue: [] };
    }
    // Each time in the middle of the first gap.
    expect(offsets).toEqual([45, 23, 12]);
    expect(verdictOf(plan, 250).doubt).toBe('moved');
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
          plan = learn(plan, { ...ask, rows: ids, isNew, answeredLimit: pageSize, total: list.length });
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

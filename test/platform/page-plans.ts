import {
  learn,
  nextAsk,
  type Ask,
  type Lesson,
  type PagePlan,
  type PlanSettings,
} from '../../src/platform/page-plan.ts';

export const settings: PlanSettings = { pageSize: 100, pageLimit: 50, overlap: 0 };
export const joined: PlanSettings = { ...settings, overlap: 10 };

/** The ids of a list, from one row to another. */
export const rows = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => `s${from + index}`);

export function page(ask: Ask, given: Partial<Lesson>): Lesson {
  return { ...ask, rows: [], isNew: true, answeredLimit: undefined, total: undefined, ...given };
}

/** The offsets that a plan asks for, as long as it asks. */
export function asks(plan: PagePlan): { plan: PagePlan; offsets: (number | string)[] } {
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
export interface Platform {
  readonly count: number;
  readonly most?: number;
  readonly isMute?: boolean;
  readonly total?: number | undefined;
}

/** Reads page by page; `at` may change the platform before a page is read. */
export function readAll(
  plan: PagePlan,
  platform: Platform,
): { plan: PagePlan; asked: Ask[]; ids: Set<string> } {
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
    current = learn(current, { ...step.ask, rows: shown, isNew, answeredLimit, total });
  }
}

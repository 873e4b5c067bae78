/** One page to ask for. */
export interface Ask {
  readonly offset: number;
  readonly limit: number;
}

/** The ids of a page's records, in order, '' for one that has none. A list of texts will do. */
export interface Ids {
  readonly length: number;
  at(row: number): string | undefined;
}

/** What a page taught. */
export interface Lesson extends Ask {
  readonly rows: Ids;
  /** Whether it brought a record that no page before it had. */
  readonly isNew: boolean;
  /** `limit` and `total` of the answer. */
  readonly answeredLimit: number | undefined;
  readonly total: number | undefined;
}

/** How a list was laid out: enough to ask for the first pages of the next one at once. */
export interface Layout {
  /** Records in a full page. */
  readonly fullPage: number;
  readonly total: number;
}

export interface PlanSettings {
  readonly pageSize: number;
  readonly pageLimit: number;
  /** Rows that two neighbouring pages should have in common. */
  readonly overlap: number;
}

/** What to ask for, and what was learned, of one reading of the list. A value: each step makes a new one. */
export interface PagePlan {
  readonly settings: PlanSettings;
  readonly isLaidOut: boolean;
  /** Records in a full page, and the rows from the start of one page to the start of the next. */
  readonly fullPage: number;
  readonly stride: number;
  /** Where the next page in order starts; how far the list reaches as far as is known. */
  readonly next: number;
  readonly bound: number;
  readonly hasEnded: boolean;
  /** Pages to ask for out of order. */
  readonly queue: readonly Ask[];
  readonly lessons: readonly Lesson[];
  /** The newest `total`. */
  readonly total: number | undefined;
  readonly repairs: number;
}

export function startPlan(settings: PlanSettings, layout?: Layout): PagePlan {
  const fullPage = layout?.fullPage ?? settings.pageSize;
  return {
    settings,
    isLaidOut: layout !== undefined,
    fullPage,
    stride: strideOf(fullPage, settings),
    next: 0,
    bound: layout?.total ?? 0,
    hasEnded: false,
    queue: [],
    lessons: [],
    total: undefined,
    repairs: 0,
  };
}

/** Neighbouring pages share a few rows, but only a small part of a page. */
export function strideOf(fullPage: number, { overlap }: PlanSettings): number {
  return Math.max(1, fullPage - Math.min(overlap, Math.floor(fullPage / 10)));
}

/** `too-many` if the list goes on past the page limit; nothing to ask while the first page has yet to teach the rest. */
export function nextAsk(plan: PagePlan): { plan: PagePlan; ask: Ask | 'too-many' | undefined } {
  const [queued, ...queue] = plan.queue;
  if (queued) return { plan: { ...plan, queue }, ask: queued };
  const { next, stride, settings } = plan;
  const isCovered = next > 0 && next + plan.fullPage - stride > plan.bound;
  if (plan.hasEnded || isCovered) return { plan, ask: undefined };
  if (next / stride >= settings.pageLimit) return { plan, ask: 'too-many' };
  return { plan: { ...plan, next: next + stride }, ask: { offset: next, limit: settings.pageSize } };
}

export function learn(plan: PagePlan, lesson: Lesson): PagePlan {
  const measured = plan.isLaidOut || plan.lessons.length > 0 ? plan : measure(plan, lesson);
  const hasGrown = (lesson.total ?? 0) > (plan.total ?? Infinity);
  const total = lesson.total ?? plan.total;
  const isLast = isShort(lesson, measured) || (!lesson.isNew && !hasGrown);
  return {
    ...measured,
    total,
    hasEnded: plan.hasEnded || isLast,
    // The end shows itself as a short page, so the plan reaches one page past a full one, whatever `total` says.
    bound: Math.max(measured.bound, total ?? 0, lesson.offset + lesson.rows.length),
    lessons: [...plan.lessons, lesson],
  };
}

/** The first page, if read alone, tells how far apart the others are. */
function measure(plan: PagePlan, { rows, answeredLimit }: Lesson): PagePlan {
  // A platform that does not say its limit may have cut ours: only an emptier page is the end then.
  const fullPage = Math.max(rows.length, Math.min(plan.settings.pageSize, answeredLimit || 1));
  const stride = strideOf(rows.length, plan.settings);
  return { ...plan, fullPage, stride, next: stride };
}

/** The end of the list, as it was when this page was read. */
function isShort({ rows, limit }: Lesson, { fullPage }: PagePlan): boolean {
  return rows.length < Math.min(limit, fullPage);
}

/** Pages of less than twice this are asked for again as they are. */
const smallestHalf = 10;

export function canHalve({ limit }: Ask): boolean {
  return Math.ceil(limit / 2) >= smallestHalf;
}

/** In place of a page that took too long, two of half its size. */
export function halve(plan: PagePlan, { offset, limit }: Ask): PagePlan {
  const half = Math.ceil(limit / 2);
  const isFirst = !plan.isLaidOut && plan.lessons.length === 0;
  if (isFirst) return startPlan({ ...plan.settings, pageSize: half });
  const start = offset + strideOf(half, plan.settings);
  const halves = [
    { offset, limit: half },
    { offset: start, limit: offset + limit - start },
  ];
  return { ...plan, queue: [...plan.queue, ...halves] };
}

/** A list in which so many repairs did not help moves too fast to be proven. */
const mostRepairs = 3;

/**
 * Asks again for the part between two pages that do not join: rows slipped past while others were deleted. Nothing if
 * all pages join, or if none do even after a repair, which means that the platform has no fixed order: in a short list
 * servers may well be deleted between every two pages.
 */
export function repair(plan: PagePlan): PagePlan | undefined {
  const gaps = gapsOf(plan);
  const hasNoOrder = plan.repairs > 0 && gaps.length === plan.lessons.length - 1;
  if (gaps.length === 0 || hasNoOrder || plan.repairs === mostRepairs) return undefined;
  const queue = gaps.map(({ from, to }) => ({
    offset: Math.ceil((from + to) / 2),
    limit: plan.settings.pageSize,
  }));
  return { ...plan, queue, repairs: plan.repairs + 1 };
}

/** Where neighbouring pages have no row in common: the offsets of both. */
function gapsOf(plan: PagePlan): { from: number; to: number }[] {
  if (plan.stride >= plan.fullPage) return [];
  const pages = plan.lessons.toSorted((a, b) => a.offset - b.offset);
  const end = pages.findIndex((page) => isShort(page, plan));
  const needed = end < 0 ? pages : pages.slice(0, end + 1);
  return needed.slice(1).flatMap((page, index) => {
    const before = needed[index]!;
    return joins(before.rows, page.rows) ? [] : { from: before.offset, to: page.offset };
  });
}

/** Whether the first of these that has an id is among those before. */
function joins(before: Ids, rows: Ids): boolean {
  let first = 0;
  while (rows.at(first) === '') first += 1;
  const head = rows.at(first);
  if (head === undefined) return false;
  // From the end, where it usually is.
  for (let row = before.length - 1; row >= 0; row -= 1) if (before.at(row) === head) return true;
  return false;
}

/** What is to be thought of a reading in which so many records arrived. */
export interface Verdict {
  /** How many records the platform announced, the lower of its first and its last word. */
  readonly expected: number;
  readonly shortBy: number;
  /** Why it had better be read again, if so. */
  readonly doubt: 'short' | 'moved' | 'laid_out_otherwise' | undefined;
  /** Pages do not join, and the total changed meanwhile: a server that was there all the time may be missing. */
  readonly mayHaveSlipped: boolean;
  /** Undefined if it had but one page, or no total. */
  readonly layout: Layout | undefined;
}

export function verdictOf(plan: PagePlan, arrived: number): Verdict {
  const { total, fullPage, lessons } = plan;
  const first = lessons.find(({ offset }) => offset === 0);
  const firstTotal = first?.total ?? arrived;
  const expected = Math.min(firstTotal, total ?? arrived);
  const isFull = first?.rows.length === fullPage;
  // So many servers were deleted while paging that rows may have slipped past a page that was read already.
  const hasShrunk = firstTotal - expected > expected / 1000;
  const hasGaps = gapsOf(plan).length > 0;
  const canShowGaps = plan.stride < fullPage;
  // Without a fixed order no pages join, though nothing moves; such a list is judged by its total alone.
  const hasMoved = new Set(lessons.flatMap((lesson) => lesson.total ?? [])).size > 1;
  const doubts = {
    laid_out_otherwise: plan.isLaidOut && !isFull,
    short: expected > arrived,
    moved: hasGaps || (hasShrunk && !canShowGaps),
  };
  return {
    expected,
    shortBy: expected - arrived,
    doubt: (Object.keys(doubts) as (keyof typeof doubts)[]).find((doubt) => doubts[doubt]),
    mayHaveSlipped: hasGaps && hasMoved,
    layout: total !== undefined && isFull && lessons.length > 1 ? { fullPage, total } : undefined,
  };
}

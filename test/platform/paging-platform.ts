import { listAll } from '../../src/platform/list.ts';
import type { ListInput, PageAsk } from '../../src/platform/page.ts';
import { createRandom, type Random } from '../../src/simulator/fleet/random.ts';
import { createEagerClock } from '../support/manual-clock.ts';

export interface Row {
  readonly id: string;
}

/** How a platform pages, and what is odd about it. */
export interface Habits {
  /** The most records that it sends; the real one cuts a page only where more match. */
  readonly cap?: number;
  readonly saysCap?: 'where it cuts' | 'always' | 'never';
  readonly totals?: (total: number, random: Random) => number | undefined;
  /** Which bounds of a range it heeds. */
  readonly heeds?: 'both' | 'none' | 'after' | 'up to';
  /** How it orders by id; with capitals, it compares so in filters too. */
  readonly order?: 'id' | 'id with capitals' | 'id descending' | 'creation';
  readonly ignoresLimit?: boolean;
  readonly ignoresOffset?: boolean;
  /** How often a page ends early, or is empty but for its total. */
  readonly cuts?: number;
  readonly breaks?: number;
}

/** Letters as capitals, without blanks at the end: as its database compares. */
function databaseKey(id: string): string {
  return id.replace(/[a-z]/g, (letter) => letter.toUpperCase()).replace(/ +$/, '');
}

/** Rows are ordered and filtered by their key. */
type Stored = Row & Readonly<{ key: string; createdAt: number }>;

/** A platform in memory, as `GET /servers` of the real one: each answer is a count and then a page. */
export function createPagingPlatform(input: {
  readonly ids: Iterable<string>;
  readonly habits?: Habits;
  readonly random?: Random;
}) {
  const { habits = {}, random = createRandom(1) } = input;
  const { heeds = 'both', order = 'id', saysCap = 'where it cuts', cap = Infinity } = habits;
  const keyOf = order === 'id with capitals' ? (id: string) => id : databaseKey;
  /** Ascending by key. */
  const rows: Stored[] = [];
  const asked: PageAsk[] = [];
  /** Called before each statement; servers may come and go then. */
  const events = { beforeStatement: (_ask: PageAsk, _statement: 'count' | 'page'): void => undefined };
  let stayed = new Set<string>();
  let created = 0;
  let underWay = 0;
  let mostUnderWay = 0;

  /** Nothing if there is one of that key. */
  function create(id: string): void {
    const key = keyOf(id);
    const behind = rows.findIndex((row) => row.key >= key);
    if (rows[behind]?.key === key) return;
    rows.splice(behind < 0 ? rows.length : behind, 0, { id, key, createdAt: (created += 1) });
  }

  function remove(id: string): void {
    const at = rows.findIndex((row) => row.id === id);
    if (at >= 0) rows.splice(at, 1);
    stayed.delete(id);
  }

  for (const id of input.ids) create(id);

  function matching({ range }: PageAsk): Stored[] {
    if (!range) return rows.toSorted((a, b) => b.createdAt - a.createdAt);
    for (const bound of [range.after, range.upTo])
      if (bound !== undefined && !/^[\w.:-]+$/.test(bound)) throw new Error(`a filter with ${bound}`);
    const after = heeds === 'both' || heeds === 'after' ? range.after : undefined;
    const upTo = heeds === 'both' || heeds === 'up to' ? range.upTo : undefined;
    const [afterKey, upToKey] = [keyOf(after ?? ''), keyOf(upTo ?? '')];
    const inRange = rows.filter(
      ({ key }) => (after === undefined || key > afterKey) && (upTo === undefined || key <= upToKey),
    );
    if (order === 'creation') return inRange.toSorted((a, b) => b.createdAt - a.createdAt);
    return order === 'id descending' ? inRange.toReversed() : inRange;
  }

  async function turns(most: number): Promise<void> {
    for (let left = random.below(most); left > 0; left -= 1) await Promise.resolve();
  }

  const ask: ListInput<Row>['ask'] = async (page) => {
    asked.push(page);
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    try {
      await turns(4);
      events.beforeStatement(page, 'count');
      const total = matching(page).length;
      await turns(2);
      events.beforeStatement(page, 'page');
      const isCut = page.limit > cap && (saysCap === 'where it cuts' ? total > cap : true);
      const limit = isCut ? cap : page.limit;
      const from = habits.ignoresOffset ? 0 : (page.offset ?? 0);
      let items = matching(page).slice(from, habits.ignoresLimit ? undefined : from + limit);
      if (random.chance(habits.breaks ?? 0)) items = [];
      if (random.chance(habits.cuts ?? 0)) items = items.slice(0, 1 + random.below(items.length));
      return {
        items,
        total: total === 0 ? undefined : (habits.totals ?? Number)(total, random),
        limit: total === 0 || saysCap === 'never' ? undefined : limit,
      };
    } finally {
      underWay -= 1;
    }
  };

  return {
    ask,
    asked,
    events,
    create,
    remove,
    /** In the order of its database. */
    ids: () => rows.map(({ id }) => id),
    mostUnderWay: () => mostUnderWay,
    /** Those that are there from now on; who is removed leaves the set. */
    watch(): ReadonlySet<string> {
      stayed = new Set(rows.map(({ id }) => id));
      return stayed;
    },
  };
}

/** Lists of such a platform, and what is asked for. */
export function setUp(ids: readonly string[], habits: Habits = {}, more: Partial<ListInput<Row>> = {}) {
  const clock = createEagerClock();
  const platform = createPagingPlatform({ ids, habits });
  const list = (given: Partial<ListInput<Row>> = {}) =>
    listAll({
      ask: platform.ask,
      known: [],
      byOffset: undefined,
      resource: 'servers',
      pageSize: 100,
      pageLimit: 50,
      concurrency: 1,
      clock,
      signal: new AbortController().signal,
      ...more,
      ...given,
    });
  /** What was asked for since the last time: `after..upTo+limit`, or `offset+limit`. */
  const asked = () => platform.asked.splice(0).map(wordsOf);
  return { clock, platform, list, asked };
}

export function wordsOf({ range, offset, limit }: PageAsk): string {
  return range ? `${range.after ?? ''}..${range.upTo ?? ''}+${limit}` : `${offset}+${limit}`;
}

export function withIds(ids: Iterable<string>): Row[] {
  return Array.from(ids, (id) => ({ id }));
}

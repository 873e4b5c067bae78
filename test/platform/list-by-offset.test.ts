import { describe, expect, it } from 'vitest';
import type { Page, PageAsk } from '../../src/platform/page.ts';
import { setUp as setUpLists, withIds, wordsOf, type Habits, type Row } from './paging-platform.ts';

/** `1` is the newest, and so the first. */
const newestFirst = (count: number) => Array.from({ length: count }, (_, index) => String(count - index));

/** Platforms whose lists are read by offset. */
const setUp = (servers: number, habits: Habits = {}, pageSize = 100) =>
  setUpLists(newestFirst(servers), habits, { pageSize, concurrency: 4, byOffset: 'planted' });

/** One that answers in this order, whatever is asked for. */
function setUpScript(answers: Pick<Page<Row>, 'items' | 'total'>[]) {
  const { list } = setUpLists([], {}, { pageSize: 4, byOffset: 'planted' });
  const asked: string[] = [];
  const ask = async (page: PageAsk): Promise<Page<Row>> => {
    asked.push(wordsOf(page));
    return { limit: 4, ...answers.shift()! };
  };
  return { list: () => list({ ask }), asked: () => asked };
}

describe('pages by offset', () => {
  it('come one after the other, each ten rows before the end of the one before', async () => {
    const { list, asked, platform } = setUp(250);
    const { items, reported, pages, byOffset } = await list();
    expect(items.map(({ id }) => Number(id))).toEqual(Array.from({ length: 250 }, (_, row) => row + 1));
    expect([reported, pages, byOffset]).toEqual([250, 3, { why: 'planted', isLasting: true }]);
    expect(platform.mostUnderWay()).toBe(1);
    expect(asked()).toEqual(['0+100', '90+100', '180+100']);
  });

  it.each<[string, number, number, Habits, string[]]>([
    ['of which the last is full are asked for until one is not', 100, 100, {}, ['0+100', '90+100']],
    ['are as long as the platform says', 70, 100, { cap: 40 }, ['0+100', '30+100', '60+100']],
    ['are as long as they are', 70, 100, { cap: 40, saysCap: 'never' }, ['0+100', '30+100']],
    ['overlap by half where they are small', 10, 4, {}, ['0+4', '2+4', '4+4', '6+4', '8+4']],
    ['without a total end where nothing is new', 70, 100, { totals: () => undefined }, ['0+100', '60+100']],
    ['are few where there is nothing', 0, 100, {}, ['0+100']],
    ['of one record go on', 3, 1, {}, ['0+1', '1+1', '2+1', '3+1']],
  ])('%s', async (_words, servers, pageSize, habits, expected) => {
    const { list, asked } = setUp(servers, habits, pageSize);
    expect((await list()).items).toHaveLength(servers);
    expect(asked()).toEqual(expected);
  });

  it('that do not join, since many were deleted meanwhile, are read once more', async () => {
    const { list, platform, asked } = setUp(250);
    const gone = newestFirst(15);
    platform.events.beforeStatement = ({ offset }) => {
      if (offset === 90) for (const id of gone.splice(0)) platform.remove(id);
    };
    const { items } = await list();
    expect(items).toHaveLength(235);
    expect(asked()).toEqual(['0+100', '90+100', '180+100', '0+100', '90+100', '180+100']);
  });

  it.each([
    ['are believed: ten may be missing', 250, 260],
    ['fail', 250, 261],
    ['are believed: one in a hundred may be missing', 1188, 1200],
    ['fail', 1187, 1200],
  ])('that are short, read once more, %s', async (outcome, servers, total) => {
    const { list } = setUp(servers, { totals: () => total }, 2048);
    if (outcome !== 'fail') expect(await list()).toMatchObject({ reported: total, losses: 0 });
    else
      await expect(list()).rejects.toMatchObject({
        reason: 'truncated',
        message: `GET /servers: ${servers} arrived, ${total} were announced, and a second reading did not help`,
      });
  });

  it.each([
    ['all', 5, 5, 2],
    ['more than half and more than ten', 24, 13, 2],
    ['half', 24, 12, 1],
  ])('that lack %s of what is known are read once more after a second', async (_w, known, lost, readings) => {
    const { clock, list, asked } = setUp(known - lost);
    const items = withIds(newestFirst(known).toSorted());
    expect((await list({ known: items })).losses).toBe(readings - 1);
    expect([asked().length, clock.waits]).toEqual([readings, readings === 2 ? [1000] : []]);
  });

  it.each([
    [7, 5, 5],
    [5, 7, 7],
  ])(
    'with totals of %i and then %i are short of the smaller, and report %i',
    async (one, other, reported) => {
      const { list, asked } = setUpScript([
        { items: withIds(['1', '2', '3', '4']), total: one },
        { items: withIds(['3', '4', '5']), total: other },
        { items: [], total: other },
      ]);
      const { items, ...facts } = await list();
      expect([items.length, facts.reported]).toEqual([5, reported]);
      expect(
        asked().filter((words) => words === '0+4'),
        'read once',
      ).toHaveLength(1);
    },
  );

  it('have the later record of each id, and those without an id by their rows', async () => {
    const ofPage = (ids: string[], page: number) => ({ items: ids.map((id) => ({ id, page })), total: 7 });
    const { list, asked } = setUpScript([
      ofPage(['', 'a', '', 'b'], 1),
      ofPage(['', 'b', 'c', ''], 2),
      ofPage(['c', '', 'd'], 3),
    ]);
    const items = (await list()).items as readonly { id: string; page: number }[];
    expect(asked()).toEqual(['0+4', '2+4', '4+4']);
    expect(items.map(({ id, page }) => `${id}${page}`)).toEqual(['1', 'a1', '2', 'b2', 'c3', '3', 'd3']);
  });
});

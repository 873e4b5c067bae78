import { describe, expect, it } from 'vitest';
import { compareIds, isHeeded, oneRange, rangesBehind, rangesOfJust } from '../../src/platform/id-ranges.ts';
import type { ListInput, Page, PageAsk } from '../../src/platform/page.ts';
import { Failure } from '../../src/transport/failure.ts';
import { createGate } from '../support/gate.ts';
import { setUp, withIds, wordsOf, type Row } from './paging-platform.ts';

/** `1000`, `1001` …: in the order of the platform. */
const numbered = (count: number, first = 1000) =>
  Array.from({ length: count }, (_, index) => String(first + index));

const idsOf = (items: readonly Row[]) => items.map(({ id }) => id);

type Scripted = Partial<Page<Row>> & { readonly ids?: readonly string[] };

/** Answers in this order, whatever is asked for: ids, and the total if it is not their number. */
function setUpScript(answers: readonly Scripted[], more: Partial<ListInput<Row>> = { ranges: oneRange([]) }) {
  const asked: string[] = [];
  const left = [...answers];
  async function ask(page: PageAsk): Promise<Page<Row>> {
    asked.push(wordsOf(page));
    const { ids = [], ...facts } = left.shift() ?? {};
    return { items: withIds(ids), total: ids.length || undefined, limit: page.limit, ...facts };
  }
  return { ...setUp([], {}, { ask, ...more }), asked };
}

describe('the ranges of a list', () => {
  const digits = '0123456789abcdef'.split('');

  it.each([
    ['one request where a page has all', 99, ['..+100']],
    ['what is behind the first page, one for each first digit', 161, ['..+100', '9-9..a+100', 'a..b+100']],
  ])('are at first %s', async (_words, count, expected) => {
    const ids = digits.flatMap((digit) => Array.from({ length: 11 }, (_, at) => `${digit}-${at % 10}${at}`));
    const { list, asked } = setUp(ids.slice(0, count), { cap: 100 });
    const progress: unknown[] = [];
    const { items, reported } = await list({ onPage: (step) => void progress.push(step) });
    expect(asked().slice(0, 3)).toEqual(expected.map((words) => words.replace('9-9', ids.toSorted()[99]!)));
    expect([items.length, reported]).toEqual([count, count]);
    if (count > 100) expect(progress.at(-1)).toEqual({ received: count, reported: count });
  });

  it('behind an id begin with that one, whatever its case', () => {
    const wordsBehind = (id: string) => rangesBehind(id).map((range) => wordsOf({ range, limit: 1 }));
    expect(wordsBehind('Da')).toEqual(['Da..e+1', 'e..f+1', 'f..+1']);
    expect(wordsBehind('x')).toEqual(['x..+1']);
    expect(rangesBehind('-')).toHaveLength(16);
  });

  it.each([
    ['one that leaves a tenth of a page free', 90, false, '..+100'],
    ['two where there is one more', 91, false, '..1089+100 1089..+100'],
    ['as long, but for the last, which is open', 250, false, '..1089+100 1089..1179+100 1179..+100'],
    ['one if it is to be one', 150, true, '..+100 1099..+100'],
  ])('are then %s', async (_words, count, inOneRange, expected) => {
    const ids = numbered(count);
    const known = withIds(ids);
    const { list, asked, platform } = setUp(ids);
    platform.create('zzz');
    const { items, reported } = await list({ known, ranges: inOneRange ? oneRange(known) : undefined });
    expect(asked().join(' ')).toBe(expected);
    expect([idsOf(items), reported]).toEqual([[...ids, 'zzz'], count + 1]);
  });
});

describe('an answer', () => {
  const two = ['1', '2'];
  const four = ['1', '2', '3', '4'];

  it.each<[string, Scripted, string]>([
    ['with as many records as its total, and fewer than its limit, is the last', { ids: two }, 'last'],
    ['with more records than its total is the last', { ids: two, total: 1 }, 'last'],
    ['with as many as were asked for is not', { ids: four }, '4'],
    ['with far more than were asked for is taken as it is', { ids: numbered(2e5, 1e6) }, '1199999'],
    ['with as many as the platform sends at most is not', { ids: two, limit: 2 }, '2'],
    ['with fewer than its total was cut short', { ids: two, total: 3 }, '2'],
    ['with fewer than its total and its limit, too', { ids: ['1'], total: 9, limit: 2 }, '1'],
    ['without a total is not, if it has records', { ids: two, total: undefined }, '2'],
    ['without a total is the last, if it has none', { ids: [], total: undefined }, 'last'],
    ['with a total of none is the last', { ids: [], total: 0 }, 'last'],
    ['with a limit of none says nothing by it', { ids: two, limit: 0 }, 'last'],
  ])('%s', async (_words, answer, expected) => {
    const { list, asked } = setUpScript([answer]);
    await list({ pageSize: 4 });
    expect(asked).toEqual(expected === 'last' ? ['..+4'] : ['..+4', `${expected}..+4`]);
  });

  const broken = { ids: [], total: 3 };

  it('with a total and no records is asked for again, after pauses; a good one makes it forgotten', async () => {
    const answers = [broken, broken, { ids: two, total: 3 }, broken, broken, { ids: ['3'] }];
    const { clock, list, asked } = setUpScript(answers);
    const { items, reported, pages } = await list();
    expect([idsOf(items), reported, pages]).toEqual([['1', '2', '3'], 3, 6]);
    expect(asked).toEqual(['..+100', '..+100', '..+100', '2..+100', '2..+100', '2..+100']);
    expect(clock.waits).toEqual([100, 200, 100, 200]);
  });

  it('like that three times in a row has this list be read by offset, and says nothing of the next', async () => {
    const { list, asked } = setUpScript([broken, broken, broken, { ids: ['2', '1'] }]);
    const { items, byOffset, pages } = await list();
    const why = '3 answers in a row had a total and no records';
    expect([idsOf(items), byOffset, pages]).toMatchObject([['2', '1'], { why, isLasting: false }, 4]);
    expect(asked[3]).toBe('0+100');
  });

  it.each([
    ['and is not believed', [{ ids: ['2', '1'] }, { ids: two }], undefined],
    ['before each one', [{ ids: ['2', '1'] }, { ids: four }, { ids: two }, { ids: ['9'] }], undefined],
    ['and is believed if it comes twice', [{ ids: ['2', '1'] }, { ids: ['2', '1'] }, { ids: two }], true],
  ])('that is odd is asked for again %s', async (_words, answers, isLasting) => {
    const { list, asked } = setUpScript(answers, { ranges: oneRange([]), pageSize: 4 });
    const { byOffset } = await list();
    expect(byOffset?.isLasting).toBe(isLasting);
    if (byOffset) expect(byOffset.why).toBe('the platform ignores filter=id.gt');
    expect(asked[0]).toBe(asked[1]);
    expect(asked).toHaveLength(answers.length);
  });

  it.each([
    ['descend', '6 5', false],
    ['are one too often', '5 5', false],
    ['are before the range', '2 5', false],
    ['are where the range begins', '3 5', false],
    ['are behind the range', '5 81', false],
    ['descend as capitals', '5b 5A', false],
    ['ascend to the end of the range', '5 8', true],
    ['ascend as capitals', '5a 5B', true],
    ['are none', ' ', true],
  ])('is as it was asked for, if its ids %s (%s): %s', (_words, ids, expected) =>
    expect(isHeeded({ after: '3', upTo: '8', known: [] }, withIds(ids.split(' ')))).toBe(expected),
  );
});

describe('ids that a filter can not have', () => {
  it('alone in a page have the list be read by offset; else one goes on behind the last that may be asked for', async () => {
    const odd = setUp(['a', 'b', 'c d', 'c,e', 'f', 'g']);
    expect((await odd.list({ ranges: oneRange([]), pageSize: 4 })).byOffset).toBeUndefined();
    expect(odd.asked()).toEqual(['..+4', 'b..+4', 'g..+4']);
    const { list, asked } = setUp(['a', 'b 1', 'b 2', 'b 3']);
    const { items, byOffset } = await list({ ranges: oneRange([]), pageSize: 2 });
    const why = 'ids have letters that a filter must not have';
    expect([items.length, byOffset]).toMatchObject([4, { why, isLasting: true }]);
    expect(asked().slice(0, 3)).toEqual(['..+2', 'a..+2', '0+2']);
  });

  it('are none: such records are kept, and say nothing about order', async () => {
    const page = { ids: ['', '2', '', '3', ''], total: 6 };
    const { list, asked } = setUpScript([page, { ids: ['', '4'], total: 2 }]);
    const { items, reported } = await list({ pageSize: 5 });
    expect([idsOf(items), reported]).toEqual([['', '2', '', '3', '', '4'], 6]);
    expect(asked, 'the last of the first page comes again').toEqual(['..+5', '3..+5']);
  });

  it('are read between those next to them that it may have, once', () => {
    const items = withIds(['a', 'b c', 'b d', 'e', 'f g']);
    const [just, ...around] = rangesOfJust(withIds(['a', 'b c', 'b d', 'f g']), items, 150);
    expect(just).toMatchObject({ known: [{ id: 'a' }], isJustKnown: true });
    expect(around.map((range) => wordsOf({ range, limit: 1 }))).toEqual(['a..e+1', 'e..+1']);
  });

  it('are no boundaries', async () => {
    const known = withIds(['1', '2', 'a b', 'c', 'd']);
    const { list, asked } = setUp(idsOf(known));
    await list({ known, pageSize: 4 });
    expect(asked()).toEqual(['..c+4', 'c..c+4', 'c..+4']);
  });
});

describe('a range that loses', () => {
  it.each([
    ['all of what was known in it', 2, 2, 2],
    ['more than half and more than ten', 24, 13, 2],
    ['half', 24, 12, 1],
    ['more than half, but ten only', 19, 10, 1],
    ['none', 3, 0, 1],
  ])('%s is read as often as it says', async (_words, count, lost, readings) => {
    const known = withIds(numbered(count));
    // One that is new comes before all.
    const { clock, list, asked } = setUp(['0', ...idsOf(known).slice(lost)]);
    const { losses, items } = await list({ known });
    expect([asked().length, losses, items.length]).toEqual([readings, readings - 1, 1 + count - lost]);
    expect(clock.waits).toEqual(readings === 2 ? [1000] : []);
  });

  it('is read once more by itself, and the second reading counts', async () => {
    const known = withIds(numbered(20));
    const { list, asked, platform } = setUp(idsOf(known));
    let isFirst = true;
    const progress: unknown[] = [];
    const { items, reported, losses } = await list({
      known,
      pageSize: 10,
      onPage: (step) => void progress.push(step),
      async ask(page, expected) {
        const answer = await platform.ask(page, expected);
        if (page.range?.after !== '1008' || !isFirst) return answer;
        isFirst = false;
        return { items: withIds(['1009x']), total: 1, limit: undefined };
      },
    });
    expect([items.length, reported, losses]).toEqual([20, 20, 1]);
    expect(asked().join(' ')).toBe('..1008+10 1008..1017+10 1008..1017+10 1017..+10');
    expect(progress).toEqual([
      { received: 9, reported: undefined },
      { received: 18, reported: undefined },
      { received: 20, reported: 20 },
    ]);
  });
});

describe('single servers', () => {
  const abcd = ['a', 'b', 'c', 'd'];
  const of = (ids: string, total = ids.length) => ({ ids: ids.split(''), total });

  it('are asked for so many at once', async () => {
    const wanted = withIds(numbered(301));
    const ranges = rangesOfJust(wanted, wanted, 150);
    const asked: string[] = [];
    async function ask({ range, limit }: PageAsk): Promise<Page<Row>> {
      const { known } = range!;
      asked.push(known.length > 1 ? String(known.length) : known[0]!.id);
      return { items: known, total: known.length, limit };
    }
    const { items, pages, losses } = await setUp([]).list({ ask, ranges, pageSize: 151 });
    expect([items, pages, losses, asked]).toEqual([wanted, 3, 0, ['150', '150', '1300']]);
  });

  it.each<[string, Scripted[], string, string, number]>([
    ['are there', [of('abcd')], 'abcd', '', 0],
    ['that a whole answer lacks are gone', [of('ab')], 'ab', '', 0],
    ['without a total end with nothing more', [{ ids: ['a', 'b'], total: undefined }, {}], 'ab', ' b', 0],
    ['that all are gone are asked for once more after a second', [of(''), of('')], '', ' ', 1],
    ['of which all were lost for a moment are there', [of(''), of('abcd')], 'abcd', ' ', 1],
    [
      'come a few at a time from a platform with small pages',
      [of('ab', 4), of('c', 2), of('d')],
      'abcd',
      ' b c',
      0,
    ],
    ['in one odd answer are asked for again', [of('abx'), of('abcd')], 'abcd', ' ', 0],
    ['without an id say nothing', [{ ids: ['', ...abcd] }], 'abcd', '', 0],
  ])('%s', async (_words, answers, found, behind, losses) => {
    const ranges = rangesOfJust(withIds(abcd), [], 150);
    const { list, asked, clock } = setUpScript(answers, { ranges, pageSize: 151, isByIdOnly: true });
    const listing = await list();
    expect([idsOf(listing.items).join(''), listing.losses]).toEqual([found, losses]);
    expect(asked).toEqual(behind.split(' ').map((id) => `${id}..+151`));
    expect(clock.waits).toEqual(losses > 0 ? [1000] : []);
  });

  it('that were not asked for, twice, show that the filter is ignored; what was cut short to nothing, nothing', async () => {
    const ranges = rangesOfJust(withIds(abcd), [], 150);
    const fetch = (answer: Scripted) =>
      setUpScript([answer, answer, answer], { ranges, isByIdOnly: true }).list();
    await expect(fetch(of('xy'))).rejects.toMatchObject({ ignored: 'filter=id.in' });
    await expect(fetch(of('', 4))).rejects.toMatchObject({
      message: '3 answers in a row had a total and no records',
      ignored: undefined,
    });
  });
});

describe('requests at once', () => {
  it('are as many as `concurrency`; one that fails begins no further range, nor does the end of the collection', async () => {
    const gates = Array.from({ length: 9 }, createGate);
    const asked: string[] = [];
    const over = new AbortController();
    const { list } = setUp([], {}, { concurrency: 3, pageSize: 10, known: withIds(numbered(80)) });
    async function ask(page: PageAsk): Promise<Page<Row>> {
      const index = asked.push(wordsOf(page)) - 1;
      await gates[index]!.passed;
      if (index === 1) throw new Failure('rejected', 'planted', { operation: 'list_servers' });
      return { items: withIds([String(Number(page.range!.upTo) - 1)]), limit: undefined, total: 1 };
    }
    const listed = list({ ask, signal: over.signal });
    expect(asked).toHaveLength(3);
    gates[1]!.open();
    await expect(listed).rejects.toMatchObject({ reason: 'rejected' });
    for (const gate of gates) gate.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(3);
    over.abort(new Error('over'));
    await expect(list({ signal: over.signal })).rejects.toThrow('over');
  });
});

it('a list that does not end within page_limit fails', async () => {
  const { list } = setUp(numbered(250), {}, { known: withIds(numbered(250)) });
  await expect(list({ pageLimit: 2 })).rejects.toMatchObject({
    reason: 'truncated',
    operation: 'list_servers',
    message: 'GET /servers: the list did not end within 2 pages (page_limit)',
  });
  expect((await list({ pageLimit: 3 })).items).toHaveLength(250);
});

it('a list reports the first totals of its ranges, nothing where one has none, and none where there is none', async () => {
  const { list, platform } = setUp(numbered(30));
  platform.events.beforeStatement = (ask, statement) => {
    if (statement === 'count' && ask.range?.after === '1008') platform.remove('1009');
  };
  const moving = await list({ known: withIds(numbered(30)), pageSize: 10 });
  expect([moving.items.length, moving.reported, moving.pages]).toEqual([29, 29, 4]);
  expect((await setUp(numbered(5), { totals: () => undefined }).list()).reported).toBeUndefined();
  expect(await setUp([]).list()).toMatchObject({ items: [], reported: 0, pages: 1, byOffset: undefined });
});

it('a list that is known not to be readable by id is read by offset', async () => {
  const { list, asked } = setUp(['1', '5']);
  const byOffset = { why: 'query has filter_any', isLasting: true };
  expect((await list({ byOffset: byOffset.why })).byOffset).toEqual(byOffset);
  expect(asked()).toEqual(['0+100']);
});

it('ids are compared as the database of the platform does', () => {
  const seen = ['x', 'x a', 'x-a', 'X-c', 'x.a', 'x9', 'x:a', 'xa', 'Xb', 'xyy', 'XYZ', 'x_a', 'x~a'];
  expect(seen.toReversed().toSorted(compareIds)).toEqual(seen);
  expect([compareIds('aB', 'Ab'), compareIds('a  ', 'A'), compareIds('a', 'a b')]).toEqual([0, 0, -1]);
});

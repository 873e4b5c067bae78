import { describe, expect, it } from 'vitest';
import { compareIds } from '../../src/platform/id-ranges.ts';
import { createListMemory } from '../../src/platform/list-memory.ts';
import type { AskContext, Page, PageAsk } from '../../src/platform/list-pages.ts';
import type { ListInput } from '../../src/platform/list.ts';
import type { FailureReason } from '../../src/transport/advice.ts';
import { Failure } from '../../src/transport/failure.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { createGate } from '../support/gate.ts';
import { setUp, wordsOf, type Habits, type Row } from './paging-platform.ts';

const dayMs = 86_400_000;

/** `1000`, `1001` …: in the order of the platform. */
const numbered = (count: number, first = 1000) =>
  Array.from({ length: count }, (_, index) => String(first + index));

const failureFor = (reason: FailureReason) => new Failure(reason, 'planted', { operation: 'list_servers' });

const idsOf = (items: readonly Row[]) => items.map(({ id }) => id);

type Scripted = Partial<Page<Row>> & { readonly ids?: readonly string[] };

/** Answers in this order, whatever is asked for: ids, and the total if it is not their number. */
function setUpScript(answers: readonly Scripted[], more: Partial<ListInput<Row>> = { oneRange: true }) {
  const asked: string[] = [];
  const left = [...answers];
  async function ask(page: PageAsk): Promise<Page<Row>> {
    asked.push(wordsOf(page));
    const { ids = [], ...facts } = left.shift() ?? {};
    const total = ids.length || undefined;
    return { items: ids.map((id) => ({ id })), total, limit: page.limit, answeredAt: undefined, ...facts };
  }
  return { ...setUp([], {}, { ask, ...more }), asked };
}

describe('the ranges of a list', () => {
  it('are sixteen where nothing is known: one for each first digit', async () => {
    const digits = '0123456789abcdef'.split('');
    const ids = ['-1', ...digits.map((digit) => `${digit}-1`)];
    const { list, asked } = setUp(ids);
    const { items, reported, pages } = await list();
    const ranges = digits.map((digit, at) => `${at === 0 ? '' : digit}..${digits[at + 1] ?? ''}+100`);
    expect(asked()).toEqual(ranges);
    expect([idsOf(items), reported, pages]).toEqual([ids, 17, 16]);
  });

  it.each([
    ['one where nine tenths of a page have room for all', 90, false, '..+100'],
    ['two where there is one more', 91, false, '..1089+100 1089..+100'],
    ['as long, but for the last, which is open', 250, false, '..1089+100 1089..1179+100 1179..+100'],
    ['one if it is to be one', 150, true, '..+100 1099..+100'],
  ])('are %s', async (_words, count, oneRange, expected) => {
    const ids = numbered(count);
    const { list, asked, platform } = setUp(ids);
    platform.create('zzz');
    const { items } = await list({ ids, oneRange });
    expect(asked().join(' ')).toBe(expected);
    expect(idsOf(items)).toEqual([...ids, 'zzz']);
  });

  it('tell where known records are expected', async () => {
    const ids = numbered(25);
    const { list, platform } = setUp(ids.concat('1008a', '1008b', '1008c'));
    await list({ ids, pageSize: 10 });
    expect(platform.asked.map(({ expectAfter }) => expectAfter)).toEqual([undefined, '1008', '1015', '1017']);
  });
});

describe('an answer', () => {
  const two = ['1', '2'];
  const four = ['1', '2', '3', '4'];

  it.each<[string, Scripted, string, number]>([
    ['with as many records as its total, and fewer than its limit, is the last', { ids: two }, 'last', 4],
    ['with more records than its total is the last', { ids: two, total: 1 }, 'last', 4],
    ['with as many as were asked for is not', { ids: four }, '4', 4],
    ['with far more than were asked for is taken as it is', { ids: numbered(2e5, 1e6) }, '1199999', 4],
    ['with as many, of more, is none that was cut', { ids: four, total: 9, limit: 4 }, '4', 4],
    ['with as many as the platform sends at most is not', { ids: two, limit: 2 }, '2', 4],
    ['with as many, of more, is how long they are from now on', { ids: two, total: 9, limit: 2 }, '2', 2],
    ['with fewer than its total was cut short', { ids: two, total: 3 }, '2', 4],
    ['with fewer than its total and its limit, too', { ids: ['1'], total: 9, limit: 2 }, '1', 4],
    ['without a total is not, if it has records', { ids: two, total: undefined }, '2', 4],
    ['without a total, whatever its limit', { ids: two, total: undefined, limit: 2 }, '2', 4],
    ['without a total is the last, if it has none', { ids: [], total: undefined }, 'last', 4],
    ['with a total of none is the last', { ids: [], total: 0 }, 'last', 4],
    ['with a limit of none says nothing by it', { ids: two, limit: 0 }, 'last', 4],
  ])('%s', async (_words, answer, expected, limit) => {
    const { list, memory, asked } = setUpScript([answer]);
    await list({ pageSize: 4 });
    expect(asked).toEqual(expected === 'last' ? ['..+4'] : ['..+4', `${expected}..+${limit}`]);
    expect(memory.limit(4)).toBe(limit);
  });

  it('with a total and no records is asked for again, after pauses; a good one makes it forgotten', async () => {
    const clock = createEagerClock();
    const memory = createListMemory(clock);
    const broken = { ids: [], total: 3 };
    const good = { ids: ['1', '2'], total: 3 };
    const answers = [broken, broken, good, broken, broken, { ids: ['3'] }];
    const { list, asked, readings } = setUpScript(answers);
    const { items, reported, pages } = await list({ memory });
    expect([idsOf(items), reported, pages]).toEqual([['1', '2', '3'], 3, 6]);
    expect(asked).toEqual(['..+100', '..+100', '..+100', '2..+100', '2..+100', '2..+100']);
    expect([clock.waits, readings]).toEqual([[100, 200, 100, 200], []]);
  });

  it('like that three times in a row has this list be read by offset, and the next one by id', async () => {
    const memory = createListMemory(createEagerClock());
    const broken = { ids: [], total: 3 };
    const answers = [broken, broken, broken, { ids: ['2', '1'] }, { ids: ['1', '2'] }];
    const { list, asked, readings } = setUpScript(answers);
    const first = await list({ memory });
    const why = '3 answers in a row had a total and no records';
    expect([idsOf(first.items), first.byOffset, first.pages]).toEqual([['2', '1'], why, 4]);
    expect(readings).toEqual([`by offset: ${why}`]);
    expect((await list({ memory })).byOffset).toBeUndefined();
    expect(asked.slice(3)).toEqual(['0+100', '..+100']);
  });
});

describe('ids that a filter can not have', () => {
  it('alone in a page have lists be read by offset; else one goes on behind the last that may be asked for', async () => {
    const odd = setUp(['a', 'b', 'c d', 'c,e', 'f', 'g']);
    expect((await odd.list({ oneRange: true, pageSize: 4 })).byOffset).toBeUndefined();
    expect(odd.asked()).toEqual(['..+4', 'b..+4', 'g..+4']);
    const { list, asked } = setUp(['a', 'b 1', 'b 2', 'b 3']);
    const { items, byOffset } = await list({ oneRange: true, pageSize: 2 });
    expect([items.length, byOffset]).toEqual([4, 'ids have letters that a filter must not have']);
    expect(asked().slice(0, 3)).toEqual(['..+2', 'a..+2', '0+2']);
    await list({ oneRange: true, pageSize: 2 });
    expect(asked()[0], 'nor is the next one read by id').toBe('0+2');
  });

  it('are none: such records are kept, and say nothing about order', async () => {
    const page = { ids: ['', '2', '', '3', ''], total: 6, limit: 5 };
    const { list, asked } = setUpScript([page, { ids: ['', '4'], total: 2 }]);
    const { items, reported } = await list();
    expect([idsOf(items), reported]).toEqual([['', '2', '', '3', '', '4'], 6]);
    expect(asked, 'the last of the first page comes again').toEqual(['..+100', '3..+5']);
  });
});

describe('whether a platform heeds lists by id', () => {
  /** With boundaries at 3 and 8. */
  const known = ['1', '2', '3', '6', '7', '8', '9'];
  const why = 'the platform ignores order_by=id, or filters by id';

  it.each([
    ['descend', '6 5', false],
    ['are one too often', '5 5', false],
    ['are before the range', '2 5', false],
    ['are where the range begins', '3 5', false],
    ['are behind the range', '5 81', false],
    ['descend as capitals', '5b 5A', false],
    ['ascend to the end of the range', '5 8', true],
    ['ascend as capitals', '5a 5B', true],
  ])('if its ids %s (%s): %s', async (_words, ids, isHeeded) => {
    const answers = [{ ids: ['1', '3'] }, { ids: ids.split(' ') }, { ids: ['9'] }];
    const { list, asked, readings } = setUpScript(answers, { ids: known, pageSize: 4 });
    const { byOffset } = await list();
    expect([byOffset, readings]).toEqual(isHeeded ? [undefined, []] : [why, [`by offset: ${why}`]]);
    expect(asked[1]).toBe('3..8+4');
  });

  it('is asked again after a day, or a reload; until then lists are read by offset, and it is said once', async () => {
    const habits: Habits = { heeds: 'none' };
    const { clock, memory, list, asked, readings } = setUp(['1', '5'], habits);
    async function expectAsked(ways: readonly string[], timesSaid: number): Promise<void> {
      expect((await list()).byOffset).toBe(why);
      expect(asked().map((ask) => (ask.includes('..') ? 'by id' : 'by offset'))).toEqual(ways);
      expect(readings).toHaveLength(timesSaid);
    }
    await expectAsked(['by id', 'by offset'], 1);
    await clock.advance(dayMs - 1);
    await expectAsked(['by offset'], 1);
    await clock.advance(1);
    await expectAsked(['by id', 'by offset'], 2);
    memory.forget();
    await expectAsked(['by id', 'by offset'], 3);
  });

  it('is not asked where the list can not be read by id, which is nothing to be said here', async () => {
    const { list, asked, readings } = setUp(['1', '5']);
    expect((await list({ cannotById: 'query has filter_any' })).byOffset).toBe('query has filter_any');
    expect((await list()).byOffset, 'nor to be remembered').toBeUndefined();
    expect([asked()[0], readings]).toEqual(['0+100', []]);
  });
});

describe('a page that is not answered in time', () => {
  it('is asked for from the same id with half the limit, which stays', async () => {
    const ids = numbered(150);
    const { list, asked } = setUp(ids, { slowAbove: 30 });
    const { items, pages } = await list({ oneRange: true });
    expect([idsOf(items), pages]).toEqual([ids, 7]);
    const expected = ['..+100', '..+50', '..+25', '1024..+25', '1049..+25', '1074..+25'];
    expect(asked().slice(0, 6)).toEqual(expected);
    await list({ ids });
    expect(asked().slice(0, 2), 'and makes the ranges of the next list').toEqual([
      '..1021+25',
      '1021..1043+25',
    ]);
  });

  it('is asked for as it was if it is small, and the list fails if that does not help', async () => {
    const { list, memory } = setUp([]);
    const contexts: boolean[] = [];
    const late = failureFor('timeout');
    const listed = list({
      pageSize: 50,
      ask: async (_ask, { retryTimeouts }) => {
        contexts.push(retryTimeouts);
        throw late;
      },
    });
    await expect(listed).rejects.toBe(late);
    expect([contexts, memory.limit(50)]).toEqual([[false, false, true], 20]);
  });

  it.each<[string, Partial<ListInput<Row>>, Failure]>([
    ['because nobody can log in', {}, new Failure('timeout', 'late', { operation: 'login' })],
    ['because the collection is over', { deadline: 5_000_001 }, failureFor('timeout')],
    ['for another reason', {}, failureFor('upstream')],
  ])('%s is not the fault of the page', async (_words, given, failure) => {
    const { list, memory } = setUp([]);
    const ask = () => Promise.reject(failure);
    await expect(list({ ...given, ask })).rejects.toMatchObject({ reason: failure.reason });
    expect(memory.limit(100)).toBe(100);
  });

  it('by offset is asked for again likewise', async () => {
    const { list, asked } = setUp(numbered(60), { slowAbove: 60 });
    const progress: number[] = [];
    await list({ cannotById: 'planted', onPage: ({ received }) => progress.push(received) });
    expect([progress, asked()]).toEqual([
      [50, 60],
      ['0+100', '0+50', '40+50'],
    ]);
  });
});

describe('how many records are asked for at once', () => {
  it('doubles after ten lists without a timeout, up to the page size', async () => {
    const habits = { slowAbove: 30 };
    const { list, memory } = setUp(['1'], habits);
    await list();
    expect(memory.limit(100)).toBe(25);
    habits.slowAbove = 1000;
    const limits: number[] = [];
    for (let lists = 1; lists <= 30; lists += 1) {
      await list();
      limits.push(memory.limit(100));
    }
    expect([8, 9, 18, 19, 29].map((at) => limits[at])).toEqual([25, 50, 50, 100, 100]);
    memory.timedOut(100);
    memory.forget();
    expect(memory.limit(100)).toBe(100);
  });
});

describe('requests at once', () => {
  /** As many as `concurrency`, each of which waits until it is let go; the first is retried for a reason first. */
  function hold(concurrency: number, retry?: FailureReason) {
    const gates = Array.from({ length: 16 }, createGate);
    const asked: PageAsk[] = [];
    async function ask(page: PageAsk, { onRetry }: AskContext): Promise<Page<Row>> {
      const index = asked.push(page) - 1;
      if (index === 0 && retry) onRetry(retry);
      await gates[index]!.passed;
      return { items: [], limit: undefined, total: undefined, answeredAt: undefined };
    }
    async function letGo(...indexes: readonly number[]): Promise<void> {
      for (const index of indexes) gates[index]!.open();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { listed: setUp([]).list({ ask, concurrency }), asked, letGo };
  }

  it.each<[FailureReason | undefined, number, number, number]>([
    [undefined, 3, 3, 5],
    ['timeout', 4, 4, 4],
    ['throttled', 4, 4, 4],
    ['upstream', 4, 4, 4],
    ['network', 4, 4, 6],
  ])(
    'after a retry because of %s, with room for %i, are %i, and %i once two have ended',
    async (...given) => {
      const [retry, concurrency, atFirst, then] = given;
      const { listed, asked, letGo } = hold(concurrency, retry);
      expect(asked).toHaveLength(atFirst);
      await letGo(0);
      await letGo(1);
      expect(asked).toHaveLength(then);
      await letGo(...Array.from({ length: 16 }, (_, index) => index));
      expect((await listed).pages).toBe(16);
    },
  );

  it('go on with a range before the next one is begun', async () => {
    const { list, asked } = setUp(['1', '2', '3', '4'].flatMap((digit) => [`${digit}a`, `${digit}b`]));
    await list({ pageSize: 2 });
    expect(asked().slice(0, 5)).toEqual(['..1+2', '1..2+2', '1b..2+2', '2..3+2', '2b..3+2']);
  });
});

describe('what a list says of itself', () => {
  it('is the sum of the first totals of its ranges, when it was answered, and how far it is', async () => {
    const { list, platform } = setUp(numbered(30));
    platform.events.beforeStatement = (ask, statement) => {
      if (statement === 'count' && ask.range?.after === '1008') platform.remove('1009');
    };
    const progress: unknown[] = [];
    let moment = 0;
    const { items, reported, pages, answeredAt } = await list({
      ids: numbered(30),
      pageSize: 10,
      ask: async (...given) => ({ ...(await platform.ask(...given)), answeredAt: (moment += 1000) }),
      onPage: (step) => void progress.push(step),
    });
    expect([items.length, reported, pages, answeredAt]).toEqual([29, 29, 4, 1000]);
    expect(progress).toEqual([
      { received: 9, reported: undefined },
      { received: 17, reported: undefined },
      { received: 26, reported: undefined },
      { received: 29, reported: 29 },
    ]);
  });

  it('is nothing where a range has no total, and none where there is none', async () => {
    expect((await setUp(numbered(5), { totals: () => undefined }).list()).reported).toBeUndefined();
    const empty = { items: [], reported: 0, pages: 16, byOffset: undefined };
    expect(await setUp([]).list()).toMatchObject(empty);
  });
});

describe('a list that is short', () => {
  it.each([
    [250, 260, 'is believed: ten may be missing'],
    [250, 261, 'fails'],
    [1188, 1200, 'is believed: one in a hundred may be missing'],
    [1187, 1200, 'fails'],
  ])('with %i of %i, %s', async (arrived, announced, outcome) => {
    const ids = numbered(arrived);
    const short = [{ ids: ids.slice(0, 10), total: announced }, { ids: ids.slice(10) }];
    const { list, readings } = setUpScript([...short, ...short]);
    const listed = list({ pageSize: 2048 });
    if (outcome !== 'fails') {
      expect(await listed).toMatchObject({ reported: announced, pages: 2 });
      expect(readings).toEqual([]);
      return;
    }
    const words = `${arrived} arrived, ${announced} were announced`;
    await expect(listed).rejects.toMatchObject({
      reason: 'truncated',
      operation: 'list_servers',
      message: `GET /servers: ${words}, and a second reading did not help`,
    });
    expect(readings).toEqual([`once more: ${words}`]);
  });

  it('is read once more, and the second reading counts', async () => {
    const [all, few] = [numbered(30), numbered(15)];
    const answers = [{ ids: ['1000'], total: 30 }, { ids: few.slice(1) }, { ids: all }];
    const { list, readings } = setUpScript(answers);
    expect(await list()).toMatchObject({ reported: 30, pages: 3 });
    expect(readings).toEqual(['once more: 15 arrived, 30 were announced']);
  });
});

describe('a list that fails', () => {
  it('at the page limit says so; the sixteen ranges of a first list may be more', async () => {
    const { list } = setUp(numbered(250));
    await expect(list({ pageLimit: 2, ids: numbered(250) })).rejects.toMatchObject({
      reason: 'truncated',
      operation: 'list_servers',
      message: 'GET /servers: the list did not end within 2 pages (page_limit)',
    });
    expect((await list({ pageLimit: 3, ids: numbered(250) })).items).toHaveLength(250);
    expect((await list({ pageLimit: 2 })).items).toHaveLength(250);
  });

  it('has the reason of the page that failed, and ends those that are under way', async () => {
    const { list } = setUp([]);
    const signals: AbortSignal[] = [];
    const failure = failureFor('rejected');
    const ask = (_ask: PageAsk, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      if (signals.length === 2) return Promise.reject(failure);
      return new Promise<Page<Row>>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    };
    await expect(list({ ask, concurrency: 3 })).rejects.toBe(failure);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  it('because the collection is over asks for nothing more', async () => {
    const { list, platform } = setUp(numbered(50));
    const over = new AbortController();
    const reason = failureFor('timeout');
    platform.events.beforeStatement = ({ range }) => {
      if (range?.after === '1') over.abort(reason);
    };
    await expect(list({ signal: over.signal })).rejects.toBe(reason);
    expect(platform.asked).toHaveLength(2);
  });
});

it('ids are compared as the database of the platform does', () => {
  const seen = ['x', 'x a', 'x-a', 'X-c', 'x.a', 'x9', 'x:a', 'xa', 'Xb', 'xyy', 'XYZ', 'x_a', 'x~a'];
  expect(seen.toReversed().toSorted(compareIds)).toEqual(seen);
  expect([compareIds('aB', 'Ab'), compareIds('a  ', 'A'), compareIds('a', 'a b')]).toEqual([0, 0, -1]);
});

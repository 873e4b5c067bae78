import { describe, expect, it } from 'vitest';
import { compareIds } from '../../src/platform/id-ranges.ts';
import { createListMemory } from '../../src/platform/list-memory.ts';
import { listAll, type ListInput, type Page, type PageAsk } from '../../src/platform/list.ts';
import { Failure, type FailureReason } from '../../src/transport/failure.ts';
import { createEagerClock, createManualClock } from '../support/manual-clock.ts';
import { createGate } from '../support/gate.ts';
import { createPagingPlatform, type Habits, type Row } from './paging-platform.ts';

const dayMs = 86_400_000;

/** `1000`, `1001` …: in the order of the platform. */
const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(1000 + index));

function setUp(ids: readonly string[], habits: Habits = {}, more: Partial<ListInput<Row>> = {}) {
  const clock = createManualClock();
  const memory = createListMemory(clock);
  const readings: string[] = [];
  const platform = createPagingPlatform({
    ids,
    habits,
    beforeStatement: (ask, statement) => events.beforeStatement(ask, statement),
  });
  const events = { beforeStatement: (_ask: PageAsk, _statement: 'count' | 'page') => undefined as void };
  const list = (given: Partial<ListInput<Row>> = {}) =>
    listAll({
      ask: platform.ask,
      memory,
      ids: [],
      what: 'servers',
      operation: 'list_servers',
      pageSize: 100,
      pageLimit: 50,
      concurrency: 1,
      onReading: (how) => void readings.push(how),
      ...more,
      ...given,
    });
  /** What was asked for since the last time: `after..upTo+limit`, or `offset+limit`. */
  const asked = () => platform.asked.splice(0).map(wordsOf);
  return { clock, memory, platform, events, list, asked, readings };
}

function wordsOf({ range, offset, limit }: PageAsk): string {
  return range ? `${range.after ?? ''}..${range.upTo ?? ''}+${limit}` : `${offset}+${limit}`;
}

const idsOf = (items: readonly Row[]) => items.map(({ id }) => id);

/** Answers in this order, whatever is asked for: ids, and the total if it is not their number; a reason fails. */
function scripted(
  answers: readonly (Partial<Page<Row>> & { ids?: readonly string[]; fails?: FailureReason })[],
) {
  const asked: string[] = [];
  const left = [...answers];
  async function ask(page: PageAsk): Promise<Page<Row>> {
    asked.push(wordsOf(page));
    const { ids = [], fails, ...facts } = left.shift() ?? {};
    if (fails) throw new Failure(fails, 'planted', { operation: 'list_servers' });
    const total = ids.length || undefined;
    return { items: ids.map((id) => ({ id })), total, limit: page.limit, answeredAt: undefined, ...facts };
  }
  return { ask, asked };
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

  it.each<[string, number, Partial<ListInput<Row>>, string[]]>([
    ['one where nine tenths of a page have room for all', 90, {}, ['..+100']],
    ['two where there is one more', 91, {}, ['..1089+100', '1089..+100']],
    [
      'nine tenths of a page each, but for the last, which is open',
      250,
      {},
      ['..1089+100', '1089..1179+100', '1179..+100'],
    ],
    ['one if it is to be one', 150, { oneRange: true }, ['..+100', '1099..+100']],
  ])('are %s', async (_words, count, given, expected) => {
    const ids = numbered(count);
    const { list, asked, platform } = setUp(ids);
    platform.create('zzz');
    const { items } = await list({ ids, ...given });
    expect(asked()).toEqual(expected);
    expect(idsOf(items)).toEqual([...ids, 'zzz']);
  });

  it('never end at an id that a filter can not have, but at the next one that it can', async () => {
    const ids = numbered(40).map((id) => (id < '1010' ? `${id} x` : id));
    const { list, asked } = setUp(ids);
    expect(idsOf((await list({ ids, pageSize: 12 })).items)).toEqual(ids);
    expect(asked()[0]).toBe('..1010+12');
  });

  it('are right where the ids that are known are in another order', async () => {
    const ids = numbered(40);
    const { list, asked } = setUp(ids);
    const { items } = await list({ ids: [...ids.slice(20), ...ids.slice(0, 20)], pageSize: 10 });
    expect(idsOf(items)).toEqual(ids);
    expect(asked().slice(0, 3)).toEqual(['..1028+10', '1009..1028+10', '1019..1028+10']);
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
  it.each<[string, Partial<Page<Row>> & { ids: string[] }, string]>([
    ['with as many records as its total, and fewer than its limit, is the last', { ids: two }, 'last'],
    ['with more records than its total is the last', { ids: two, total: 1 }, 'last'],
    ['with as many as were asked for is not', { ids: ['1', '2', '3', '4'] }, '4'],
    ['with as many as the platform sends at most is not', { ids: two, limit: 2 }, '2'],
    ['with fewer than its total was cut short', { ids: two, total: 3 }, '2'],
    ['without a total is not, if it has records', { ids: two, total: undefined }, '2'],
    ['without a total is the last, if it has none', { ids: [], total: undefined }, 'last'],
    ['with a total of none is the last', { ids: [], total: 0 }, 'last'],
    ['with a limit of none says nothing by it', { ids: two, limit: 0 }, 'last'],
  ])('%s', async (_words, answer, expected) => {
    const { list } = setUp([]);
    const { ask, asked } = scripted([answer]);
    await list({ ask, oneRange: true, pageSize: 4 });
    expect(asked).toEqual(expected === 'last' ? ['..+4'] : ['..+4', `${expected}..+4`]);
  });

  it('out of which a server was pushed, created between count and page, is not the last', async () => {
    const ids = numbered(20);
    const { list, platform, events, asked } = setUp(ids);
    events.beforeStatement = (ask, statement) => {
      if (statement === 'page' && ask.range?.after === undefined) platform.create('1000a');
    };
    const { items } = await list({ oneRange: true, pageSize: 20 });
    expect(idsOf(items)).toEqual([ids[0], '1000a', ...ids.slice(1)]);
    expect(asked()).toEqual(['..+20', '1018..+20']);
  });

  it('with a total and no records is asked for again, after pauses; a good one makes it forgotten', async () => {
    const clock = createEagerClock();
    const memory = createListMemory(clock);
    const broken = { ids: [], total: 3 };
    const { list, readings } = setUp([]);
    const good = { ids: ['1', '2'], total: 3 };
    const { ask, asked } = scripted([broken, broken, good, broken, broken, { ids: ['3'] }]);
    const { items, reported, pages } = await list({ ask, memory, oneRange: true });
    expect([idsOf(items), reported, pages]).toEqual([['1', '2', '3'], 3, 6]);
    expect(asked).toEqual(['..+100', '..+100', '..+100', '2..+100', '2..+100', '2..+100']);
    expect([clock.waits, readings]).toEqual([[100, 200, 100, 200], []]);
  });

  it('like that three times in a row has this list be read by offset, and the next one by id', async () => {
    const memory = createListMemory(createEagerClock());
    const { list, readings } = setUp([]);
    const broken = { ids: [], total: 3 };
    const { ask, asked } = scripted([broken, broken, broken, { ids: ['2', '1'] }, { ids: ['1', '2'] }]);
    const first = await list({ ask, memory, oneRange: true });
    const why = '3 answers in a row had a total and no records';
    expect([idsOf(first.items), first.byOffset, first.pages]).toEqual([['2', '1'], why, 4]);
    expect(readings).toEqual([`by offset: ${why}`]);
    expect((await list({ ask, memory, oneRange: true })).byOffset).toBeUndefined();
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
  });

  it('are none: such records are kept, and say nothing about order', async () => {
    const { list } = setUp([]);
    const page = { ids: ['', '2', '', '3', ''], total: 6, limit: 5 };
    const { ask, asked } = scripted([page, { ids: ['', '4'], total: 2 }]);
    const { items, reported } = await list({ ask, oneRange: true });
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
    const { list, readings } = setUp([]);
    const { ask, asked } = scripted([{ ids: ['1', '3'] }, { ids: ids.split(' ') }, { ids: ['9'] }]);
    const { byOffset } = await list({ ask, ids: known, pageSize: 4 });
    expect([byOffset, readings]).toEqual(isHeeded ? [undefined, []] : [why, [`by offset: ${why}`]]);
    expect(asked[1]).toBe('3..8+4');
  });

  it('is asked again after a day, or a reload; until then lists are read by offset, and it is said once', async () => {
    const habits: Habits = { heeds: 'none' };
    const { clock, memory, list, asked, readings } = setUp(['1', '5'], habits);
    const kindsOfAsk = () => asked().map((ask) => (ask.includes('..') ? 'by id' : 'by offset'));
    expect((await list()).byOffset).toBe(why);
    expect(kindsOfAsk()).toEqual(['by id', 'by offset']);
    await clock.advance(dayMs - 1);
    expect((await list()).byOffset).toBe(why);
    expect([kindsOfAsk(), readings.length]).toEqual([['by offset'], 1]);
    await clock.advance(1);
    await list();
    expect([kindsOfAsk(), readings.length]).toEqual([['by id', 'by offset'], 2]);
    memory.forget();
    await list();
    expect([kindsOfAsk(), readings.length]).toEqual([['by id', 'by offset'], 3]);
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
    const late = new Failure('timeout', 'late', { operation: 'list_servers' });
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
    ['because the collection is over', { deadline: 5_000_001 }, timeout()],
    ['because it was called off', { signal: AbortSignal.abort(timeout()) }, timeout()],
    ['for another reason', {}, new Failure('upstream', 'broken', { operation: 'list_servers' })],
  ])('%s is not the fault of the page', async (_words, given, failure) => {
    const { list, memory } = setUp([]);
    const ask = () => Promise.reject(failure);
    await expect(list({ ...given, ask })).rejects.toMatchObject({ reason: failure.reason });
    expect(memory.limit(100)).toBe(100);
  });

  it('by offset is asked for again likewise', async () => {
    const { list, asked } = setUp(numbered(60), { slowAbove: 60 });
    const { items } = await list({ cannotById: 'planted' });
    expect([items.length, asked()]).toEqual([60, ['0+100', '0+50', '40+50']]);
  });
});

function timeout(): Failure {
  return new Failure('timeout', 'late', { operation: 'list_servers' });
}

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
  });

  it('is what the platform sends at most, if it cut an answer', async () => {
    const ids = numbered(100);
    const { list, asked, memory } = setUp(ids, { cap: 40 });
    await list({ oneRange: true });
    expect(asked()).toEqual(['..+100', '1039..+40', '1079..+40']);
    await list({ ids });
    expect(asked()).toEqual(['..1035+40', '1035..1071+40', '1071..+40']);
    memory.forget();
    expect(memory.limit(100)).toBe(100);
  });

  it.each<[string, Partial<Page<Row>> & { ids: string[] }]>([
    ['is short of it', { ids: ['1'], total: 9, limit: 2 }],
    ['is all there is', { ids: ['1', '2'], total: 2, limit: 2 }],
    ['has no total', { ids: ['1', '2'], total: undefined, limit: 2 }],
    ['is as long as was asked for', { ids: ['1', '2', '3', '4'], total: 9, limit: 4 }],
  ])('is not what the platform says if the answer %s', async (_words, answer) => {
    const { list, memory } = setUp([]);
    await list({ ask: scripted([answer]).ask, oneRange: true, pageSize: 4 });
    expect(memory.limit(4)).toBe(4);
  });
});

describe('requests at once', () => {
  /** Requests that wait until they are let go, and the reasons for which each is retried first. */
  function held(retries: readonly (FailureReason | undefined)[] = []) {
    const gates = Array.from({ length: 60 }, createGate);
    const asked: string[] = [];
    return {
      asked,
      letGo: async (index: number) => {
        gates[index]!.open();
        await new Promise((resolve) => setImmediate(resolve));
      },
      ask: async (page: PageAsk, { onRetry }: { onRetry: (reason: FailureReason) => void }) => {
        const index = asked.push(wordsOf(page)) - 1;
        const retry = retries[index];
        if (retry) onRetry(retry);
        await gates[index]!.passed;
        return { items: [], limit: undefined, total: undefined, answeredAt: undefined };
      },
    };
  }

  it('are as many as allowed, and each that ends makes room for one', async () => {
    const { ask, asked, letGo } = held();
    const { list } = setUp([]);
    const listed = list({ ask, concurrency: 3 });
    expect(asked).toHaveLength(3);
    await letGo(1);
    expect(asked).toHaveLength(4);
    for (let index = 0; index < 16; index += 1) await letGo(index);
    expect((await listed).pages).toBe(16);
  });

  it.each<[FailureReason, number]>([
    ['timeout', 4],
    ['throttled', 4],
    ['upstream', 4],
    ['network', 6],
  ])('after a retry because of %s', async (reason, expected) => {
    const { ask, asked, letGo } = held([reason]);
    const { list } = setUp([]);
    const listed = list({ ask, concurrency: 4 });
    await letGo(0);
    await letGo(1);
    expect(asked).toHaveLength(expected);
    for (let index = 2; index < 16; index += 1) await letGo(index);
    expect((await listed).pages).toBe(16);
  });

  it('are fewer after a page that took too long, which is among them', async () => {
    const { ask, asked, letGo } = held();
    const { list } = setUp([]);
    const late = () => Promise.reject(timeout());
    const listed = list({
      concurrency: 4,
      ask: (page, context) => (page.limit > 50 ? late() : ask(page, context)),
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(2);
    for (let index = 0; index < 16; index += 1) await letGo(index);
    expect([(await listed).pages, asked.toSorted().at(0)]).toEqual([16, '..1+50']);
  });

  it('go on with a range before the next one is begun', async () => {
    const { list, asked } = setUp(['1', '2', '3', '4'].flatMap((digit) => [`${digit}a`, `${digit}b`]));
    await list({ pageSize: 2 });
    expect(asked().slice(0, 5)).toEqual(['..1+2', '1..2+2', '1b..2+2', '2..3+2', '2b..3+2']);
  });
});

describe('what a list says of itself', () => {
  it('is the sum of the first totals of its ranges, when it was answered, and how far it is', async () => {
    const { list, events, platform } = setUp(numbered(30));
    events.beforeStatement = (ask, statement) => {
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
    const { list, readings } = setUp([]);
    const ids = numbered(arrived);
    const short = [{ ids: ids.slice(0, 10), total: announced }, { ids: ids.slice(10) }];
    const { ask } = scripted([...short, ...short]);
    const listed = list({ ask, oneRange: true, pageSize: 2048 });
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
    const { list, readings } = setUp([]);
    const [all, few] = [numbered(30), numbered(15)];
    const { ask } = scripted([{ ids: ['1000'], total: 30 }, { ids: few.slice(1) }, { ids: all }]);
    expect(await list({ ask, oneRange: true })).toMatchObject({ reported: 30, pages: 3 });
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
    const failure = new Failure('rejected', 'planted', { operation: 'list_servers' });
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
    const { list, platform, events } = setUp(numbered(50));
    const over = new AbortController();
    const reason = new Failure('timeout', 'over', { operation: 'list_servers' });
    events.beforeStatement = ({ range }) => {
      if (range?.after === '1') over.abort(reason);
    };
    await expect(list({ signal: over.signal })).rejects.toBe(reason);
    expect(platform.asked).toHaveLength(2);
  });

  it('because of a mistake of ours says so as it is', async () => {
    const { list } = setUp([]);
    const mistake = new TypeError('planted');
    await expect(list({ ask: () => Promise.reject(mistake) })).rejects.toBe(mistake);
  });
});

it('ids are compared as the database of the platform does', () => {
  const seen = ['x', 'x a', 'x-a', 'X-c', 'x.a', 'x9', 'x:a', 'xa', 'Xb', 'xyy', 'XYZ', 'x_a', 'x~a'];
  expect(seen.toReversed().toSorted(compareIds)).toEqual(seen);
  expect([compareIds('aB', 'Ab'), compareIds('a  ', 'A'), compareIds('a', 'a b')]).toEqual([0, 0, -1]);
});

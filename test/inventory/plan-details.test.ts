import { describe, expect, it } from 'vitest';
import { nothingKnown, type Known } from '../../src/inventory/known.ts';
import { planDetails, shareInDetail, type PlainItem } from '../../src/inventory/plan-details.ts';
import type { Unsettled } from '../../src/inventory/row.ts';
import { createSlices } from '../../src/yield-to-event-loop.ts';
import { serverOf } from '../metrics/hand-made.ts';

const kept: Unsettled = { doubtedSince: 1, isKept: true };
const unread: Unsettled = { doubtedSince: undefined, isKept: false };

function rowOf(id: string, unsettled?: Unsettled): PlainItem {
  return {
    kind: 'row',
    id,
    server: serverOf({ id }),
    print: undefined,
    readAt: 0,
    unsettled,
    group: undefined,
    host: 0,
  };
}

function changed(id: string, update_version = 1): PlainItem {
  return { kind: 'changed', id, plain: serverOf({ id, update_version }), print: undefined };
}

const rows = 'abcdefghij'.split('').map((id) => rowOf(id));

async function plan(items: readonly PlainItem[], share: number, known: Partial<Known> = {}) {
  const slices = createSlices(() => Promise.resolve());
  const {
    wanted,
    cursor,
    stillRejected,
    changed: count,
  } = await planDetails(items, { ...nothingKnown(), ...known }, share, slices);
  return { ids: wanted.map(({ id }) => id).join(''), cursor, stillRejected: [...stillRejected], count };
}

describe('the share that is read in detail', () => {
  it.each([
    ['two lists in one millisecond', 0, 600, 0],
    ['a minute of ten', 60, 600, 1 / 9],
    ['half of it', 300, 600, 1],
    ['all of it', 600, 600, Infinity],
    ['a gap of a day', 86_400, 600, Infinity],
    ['details_max_age 0', 0, 0, Infinity],
  ])('after %s', (_words, sinceLast, maxAge, share) => expect(shareInDetail(sinceLast, maxAge)).toBe(share));

  it.each([
    ['begins with the first', undefined, 0.2, 'ab', 'b'],
    ['goes on behind the cursor', 'c', 0.2, 'de', 'e'],
    ['goes on behind one that is gone', 'cc', 0.2, 'de', 'e'],
    ['goes round', 'i', 0.3, 'abj', 'b'],
    ['begins anew behind the last', 'j', 0.1, 'a', 'a'],
    ['is rounded up', 'c', 0.01, 'd', 'd'],
    ['is nobody', 'c', 0, '', 'c'],
    ['is all, once', 'c', Infinity, 'abcdefghij', 'c'],
  ])('%s', async (_words, cursor, share, ids, next) =>
    expect(await plan(rows, share, { cursor })).toMatchObject({ ids, cursor: next }),
  );

  it('is nothing of nothing', async () =>
    expect(await plan([], 0.5, { cursor: 'c' })).toMatchObject({ ids: '', cursor: 'c' }));

  it.each([1, 7, 29, 60])(
    'has read each within details_max_age, whatever the gaps, with seed %i',
    async (seed) => {
      const readAt = new Map(rows.map(({ id }) => [id, 0]));
      let [now, cursor, state] = [0, undefined as string | undefined, seed];
      for (let list = 0; list < 200; list += 1) {
        const gap = (state = (state * 16_807) % 2_147_483_647) % 290;
        const last = now;
        now += gap;
        const planned = await plan(rows, shareInDetail(now - last, 600), { cursor });
        ({ cursor } = planned);
        for (const id of planned.ids) readAt.set(id, now);
        for (const [id, at] of readAt) expect(now - at, id).toBeLessThanOrEqual(600);
      }
    },
  );
});

describe('out of their turn are read', () => {
  it('those that are new or changed, and those that are not settled; fifty at most of what is kept', async () => {
    const many = Array.from({ length: 60 }, (_, at) => rowOf(`k${at + 10}`, kept));
    const { ids, count, cursor } = await plan([rows[0]!, changed('b'), rowOf('c', unread), ...many], 0);
    expect([ids.slice(0, 2), (ids.length - 2) / 3, count, cursor]).toEqual(['bc', 50, 1, undefined]);
  });

  it('records whose details were rejected only at another version, and in their turn', async () => {
    const rejected = new Map([['b', { version: 1, rejection: 'bad_number' as const }]]);
    const read = (version: number, share: number) =>
      plan([rows[0]!, changed('b', version)], share, { rejected });
    expect(await read(1, 0)).toMatchObject({ ids: '', stillRejected: [...rejected], count: 1 });
    expect(await read(2, 0)).toMatchObject({ ids: 'b', stillRejected: [] });
    expect(await read(1, 1)).toMatchObject({ ids: 'ab', stillRejected: [] });
  });
});

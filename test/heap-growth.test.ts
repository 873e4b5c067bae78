import { constants, PerformanceObserver } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { createHeapGrowth, createYoungCollector, type HeapLimits } from '../src/heap-growth.ts';

const megabyte = 2 ** 20;

type Collection = readonly [used: number, isAllGone: boolean, held?: number];

function limitsAfter(...collections: readonly Collection[]): HeapLimits {
  const growth = createHeapGrowth();
  const limits = collections.map(([used, isAllGone, held = used]) =>
    growth.after({ used: used * megabyte, held: held * megabyte, isAllGone }),
  );
  return limits.at(-1)!;
}

function growthAfter(...collections: readonly Collection[]): number {
  return limitsAfter(...collections).growthPercent;
}

it.each([
  ['at the start', 10, 200],
  ['with a small fleet', 25, 160],
  ['with a larger one', 40, 100],
  ['with 100,000 servers', 57, 70],
  ['with light lists of 100,000', 93, 43],
  ['with single servers', 400, 42],
])(
  'the heap may grow by as much %s as scrapes need, and in proportion when it is large',
  (_words, used, percent) => expect(growthAfter([used, true])).toBe(percent),
);

it('what is garbage now does not count as in use, nor what is in use as garbage', () => {
  expect(growthAfter([57, true], [70, false], [95, false])).toBe(70);
  expect(growthAfter([57, true], [70, false])).toBe(70);
});

it('a heap that grows quickly has no room for as much garbage as when it was small', () => {
  expect(growthAfter([20, true])).toBe(200);
  expect(growthAfter([20, true], [60, false], [100, false])).toBe(67);
});

it('a heap that has become small has room again', () => {
  expect(growthAfter([100, true], [130, false], [25, true])).toBe(160);
});

describe('what is in use is moved together', () => {
  it.each<[string, boolean, Collection[]]>([
    ['not while nothing is known', false, [[60, true, 120]]],
    [
      'not where the heap was nearly full',
      false,
      [
        [60, true, 100],
        [80, false, 100],
        [90, false, 102],
      ],
    ],
    [
      'where much stayed empty when it was fullest',
      true,
      [
        [60, true, 120],
        [80, false, 120],
        [100, false, 120],
      ],
    ],
    [
      'not for what was empty before it was fullest',
      false,
      [
        [60, true, 100],
        [65, false, 100],
        [95, false, 100],
      ],
    ],
    [
      'not for what was empty before all garbage was gone',
      false,
      [
        [80, false, 100],
        [60, true, 100],
        [95, false, 100],
      ],
    ],
    [
      'nor in the moment in which it was',
      false,
      [
        [80, false, 120],
        [60, true, 120],
      ],
    ],
  ])('%s', (_words, isMoved, collections) => expect(limitsAfter(...collections).isMoved).toBe(isMoved));

  it.each([
    [12, false],
    [13, true],
  ])('with %i MB of holes: %s', (holes, isMoved) =>
    expect(limitsAfter([60, true, 100], [90, false, 90 + holes]).isMoved).toBe(isMoved),
  );
});

it('young garbage is collected, without a function for it that everybody sees', async () => {
  const minor = { detail: expect.objectContaining({ kind: constants.NODE_PERFORMANCE_GC_MINOR }) as unknown };
  const entries: object[] = [];
  const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  createYoungCollector()();
  await expect.poll(() => entries).toContainEqual(expect.objectContaining(minor));
  observer.disconnect();
  expect('gc' in globalThis).toBe(false);
});

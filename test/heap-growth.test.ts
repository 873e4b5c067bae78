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
  ['before anything is read', 4, 500],
  ['at the start', 10, 240],
  ['with a small fleet', 25, 96],
  ['with 100,000 servers', 40, 60],
  ['with light lists of 100,000', 88, 42],
  ['with single servers', 400, 42],
])(
  'the heap may grow by as much %s as scrapes need, and in proportion when it is large',
  (_words, used, percent) => expect(growthAfter([used, true])).toBe(percent),
);

it('what is garbage now does not count as in use, nor what is in use as garbage', () => {
  expect(growthAfter([40, true], [50, false], [60, false])).toBe(60);
  expect(growthAfter([40, true], [50, false])).toBe(60);
});

it('a heap that grows quickly has no room for as much garbage as when it was small', () => {
  expect(growthAfter([16, true])).toBe(150);
  expect(growthAfter([16, true], [40, false], [72, false])).toBe(50);
});

it('a heap that has become small has room again', () => {
  expect(growthAfter([100, true], [130, false], [25, true])).toBe(96);
});

// 48 MB in use and room for half as much: it is full at 72 MB.
describe('what is in use is moved together', () => {
  it.each<[string, boolean, Collection[]]>([
    ['not before all garbage was gone once', false, [[20, false, 60]]],
    ['not in the moment in which it is', false, [[48, true, 120]]],
    [
      'not for what may be given back soon',
      false,
      [
        [48, true, 120],
        [60, false, 120],
      ],
    ],
    [
      'where much will be empty when it is full',
      true,
      [
        [48, true, 84],
        [61, false, 84],
      ],
    ],
    [
      'and stays so until then',
      true,
      [
        [48, true, 84],
        [61, false, 84],
        [52, false, 76],
      ],
    ],
    [
      'once, and not again unless there are holes again',
      false,
      [
        [48, true, 84],
        [61, false, 84],
        [48, true, 84],
        [61, false, 76],
      ],
    ],
  ])('%s', (_words, isMoved, collections) => expect(limitsAfter(...collections).isMoved).toBe(isMoved));

  it.each([
    [8, false],
    [9, true],
  ])('with %i MB of holes: %s', (holes, isMoved) =>
    expect(limitsAfter([48, true], [68, false, 72 + holes]).isMoved).toBe(isMoved),
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

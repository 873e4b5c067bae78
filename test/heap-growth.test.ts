import { expect, it } from 'vitest';
import { createHeapGrowth } from '../src/heap-growth.ts';

const megabyte = 2 ** 20;

function growthAfter(...collections: readonly (readonly [used: number, isAllGone: boolean])[]): number {
  const growth = createHeapGrowth();
  return collections.map(([used, isAllGone]) => growth.after(used * megabyte, isAllGone)).at(-1)!;
}

it.each([
  ['at the start', 10, 200],
  ['with a small fleet', 25, 160],
  ['with a larger one', 40, 100],
  ['with 100,000 servers', 57, 70],
  ['with light lists of 100,000', 93, 50],
  ['with single servers', 400, 50],
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

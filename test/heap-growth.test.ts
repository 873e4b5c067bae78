import { expect, it } from 'vitest';
import { growthOf } from '../src/heap-growth.ts';

const megabyte = 2 ** 20;

it.each([
  ['at the start', 20, 200],
  ['with a small fleet', 64, 167],
  ['with a larger one', 80, 100],
  ['with 100,000 servers', 97, 70],
  ['with light lists of 100,000', 133, 50],
  ['with single servers', 600, 50],
])(
  'the heap may grow by as much %s as scrapes need, and in proportion when it is large',
  (_words, used, percent) => expect(growthOf(used * megabyte)).toBe(percent),
);

it.each([60, 80, 100, 120])('there is room for the same garbage with %i MB in use and garbage', (used) => {
  const inUse = used - 40;
  expect((inUse * growthOf(used * megabyte)) / 100).toBeCloseTo(40, 0);
});

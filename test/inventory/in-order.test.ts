import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOrder } from '../../src/inventory/in-order.ts';

it('gives rows in the order of their pages, in whichever those arrive', () => {
  const pages = fc.shuffledSubarray([0, 3, 6, 9, 12], { minLength: 1 });
  fc.assert(
    fc.property(pages, (arrived) => {
      const order = createOrder<string>();
      for (const offset of arrived) for (const row of [0, 1, 2]) order.add(`row ${offset + row}`, offset);
      const offsets = arrived
        .toSorted((one, other) => one - other)
        .flatMap((offset) => [offset, offset, offset]);
      const items = offsets.map((offset, index) => `row ${offset + (index % 3)}`);
      expect(order.finish()).toEqual({ items, offsets });
    }),
  );
});

it('keeps the order within a page that arrives in parts', () => {
  const order = createOrder<string>();
  order.add('c', 2);
  order.add('a', 0);
  order.add('d', 2);
  order.add('b', 0);
  expect(order.finish()).toEqual({ items: ['a', 'b', 'c', 'd'], offsets: [0, 0, 2, 2] });
});

it('may have no rows', () => {
  expect(createOrder().finish()).toEqual({ items: [], offsets: [] });
});

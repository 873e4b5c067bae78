import { expect, it } from 'vitest';
import { createTextMemory } from '../../src/metrics/text-memory.ts';

it('memory for text holds each text whole, the ones beside each other and those that are larger than a block', () => {
  const { write } = createTextMemory();
  const texts = ['a', 'é€😀', 'x'.repeat(200_000), '€'.repeat(262_144), '', 'z'];
  const written = texts.map(write);
  expect(written.map(String)).toEqual(texts);
});

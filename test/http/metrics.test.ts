import { expect, it } from 'vitest';
import { patienceOf } from '../../src/http/metrics.ts';

it.each([
  ['10', 8500],
  ['60', 53_500],
  ['0.2', 0],
  ['soon', 30_000],
  [undefined, 30_000],
])('who waits for %s seconds is given %i ms, whoever read slowly before', (seconds, ms) =>
  expect(patienceOf(seconds)).toBe(ms),
);

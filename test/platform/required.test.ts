import { describe, expect, it } from 'vitest';
import { isId, isRecord, quantityOf } from '../../src/platform/required.ts';

describe('a quantity', () => {
  it.each([
    [0, 0],
    [1.5, 1.5],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['0', 0],
    ['0017', 17],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])('%j is %d', (value, number) => {
    expect(quantityOf(value)).toBe(number);
  });

  it.each([
    -1,
    NaN,
    Infinity,
    Number.MAX_SAFE_INTEGER + 1,
    '',
    ' 1',
    '1.5',
    '1e3',
    '-1',
    '0x10',
    '١',
    '9007199254740992',
    true,
    null,
    undefined,
    [1],
    {},
  ])('%j is none', (value) => {
    expect(quantityOf(value)).toBeUndefined();
  });
});

describe('an id', () => {
  it.each(['a', ' ', 'é', '😀', 'x'.repeat(256)])('can be %j', (value) => {
    expect(isId(value)).toBe(true);
  });

  it.each(['', 'x'.repeat(257), '\ud83d', 7, null, undefined, ['a']])('cannot be %j', (value) => {
    expect(isId(value)).toBe(false);
  });
});

describe('a record', () => {
  it.each([[{}], [{ id: 'a' }]])('is an object such as %j', (value) => {
    expect(isRecord(value)).toBe(true);
  });

  it.each([[[]], [null], [undefined], ['a'], [1]])('is not %j', (value) => {
    expect(isRecord(value)).toBe(false);
  });
});

import { isAscii } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textBetween, unreadList, unreadObject } from '../../src/platform/record-text.ts';

const unread = [unreadObject('metadata'), unreadList('disks_info')];

/** The text of a record that stands between others in a page. */
function textOf(record: string, fields = unread): string {
  const before = '{"servers":[{"id":"x"},';
  const page = Buffer.from(`${before}${record},{"id":"y"}]}`);
  const start = Buffer.byteLength(before);
  const isPlain = isAscii(page);
  const text = textBetween(page, start, start + Buffer.byteLength(record), { unread: fields, isPlain });
  expect(page.toString()).toBe(`${before}${record},{"id":"y"}]}`);
  return text;
}

function parse(record: string): unknown {
  const [one, ...others] = JSON.parse(textOf(record)) as unknown[];
  expect(others).toEqual([]);
  return one;
}

/** Wherever they are: what nobody reads may be there or not. */
function withoutUnread(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnread);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([key]) => key !== 'metadata' && key !== 'disks_info');
  return Object.fromEntries(fields.map(([key, one]) => [key, withoutUnread(one)]));
}

/** Texts that look like what is searched for, as keys and as values. */
const pieces = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'é',
  '中',
  ' ',
  '0',
  'e',
  'metadata',
  'disks_info',
  '":{',
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join(''));
const scalar = fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
const key = fc.oneof(text, fc.constantFrom('metadata', 'disks_info', 'id', 'nics'));
const { nested } = fc.letrec<{ nested: unknown; object: unknown; list: unknown }>((tie) => ({
  nested: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('object'), tie('list')),
  object: fc.dictionary(key, tie('nested'), { maxKeys: 4 }),
  list: fc.array(tie('nested'), { maxLength: 3 }),
}));
const flat = fc.dictionary(text, scalar, { maxKeys: 4 });
const record = fc.record(
  { id: text, disks_info: fc.oneof(fc.array(flat), nested), metadata: fc.oneof(flat, nested), zone: nested },
  { requiredKeys: ['id'] },
);

describe('the text of a record', () => {
  it('has all that is read, whatever it and the rest hold', () => {
    fc.assert(
      fc.property(record, (one) => {
        const parsed = parse(JSON.stringify(one));
        expect(withoutUnread(parsed)).toEqual(withoutUnread(JSON.parse(JSON.stringify(one))));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['an object', '{"id":"a","metadata":{"user:team":"x"},"zone":"z"}', '{"id":"a","zone":"z"}'],
    ['the last field', '{"id":"a","metadata":{"user:team":"x"}}', '{"id":"a"}'],
    [
      'a list',
      '{"id":"a","disks_info":[{"size":1,"fs":"ext4"},{"size":2}],"zone":"z"}',
      '{"id":"a","zone":"z"}',
    ],
    [
      'both',
      '{"id":"é","disks_info":[{"fs":""}],"metadata":{"é":null},"zone":"中"}',
      '{"id":"é","zone":"中"}',
    ],
    [
      'one in another one',
      '{"id":"a","disks_info":[{"x":1,"metadata":{"y":"z"}}],"zone":"z"}',
      '{"id":"a","disks_info":[{"x":1}],"zone":"z"}',
    ],
  ])('is without %s that nobody reads', (_words, whole, rest) => {
    expect(textOf(whole)).toBe(`[${rest}]`);
    expect(textOf(whole, [])).toBe(`[${whole}]`);
  });

  it.each([
    ['the first field', '{"metadata":{"x":"y"},"id":"a"}'],
    ['empty', '{"id":"a","metadata":{},"disks_info":[]}'],
    ['something else', '{"id":"a","metadata":"x","disks_info":{"x":"y"}}'],
    ['an object with objects in it', '{"id":"a","metadata":{"x":{"y":"z"}}}'],
    ['a list with lists in it', '{"id":"a","disks_info":[{"x":["y"]},{"x":"z"}]}'],
    ['one with a brace in a text', '{"id":"a","metadata":{"x":"}","y":"z"},"zone":"z"}'],
    ['one whose text begins with a brace and a comma', '{"id":"a","metadata":{"x":"},","y":"z"},"zone":"z"}'],
    ['one with a brace behind a quote in a text', '{"id":"a","metadata":{"x":"\\"}","y":"z"},"zone":"z"}'],
    ['one with a number and a brace in a text', '{"id":"a","metadata":{"x":":0}","y":"z"},"zone":"z"}'],
    ['a list that ends with something else', '{"id":"a","disks_info":[{},""],"zone":0}'],
    ['a list within which another one ends', '{"id":"a","nics":[{"x":1,"disks_info":[{"y":"z"},2],"z":""}]}'],
    ['written with blanks', '{"id":"a", "metadata": {"x":"y"} }'],
  ])('keeps what is %s', (_words, whole) => {
    expect(textOf(whole)).toBe(`[${whole}]`);
  });

  it('with a field that never ends is looked through once', () => {
    const endless = `{"id":"a"${',"disks_info":[{"x":1'.repeat(200_000)}`;
    expect(textOf(endless)).toBe(`[${endless}]`);
  });
});

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, readDigest } from '../../src/platform/digest.ts';
import { wordsOfKey, type Key } from '../../src/platform/key-table.ts';

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function wordsOf(text: string, seed?: Key): string {
  const bytes = Buffer.from(text);
  const key = new Int32Array(wordsOfKey);
  readDigest(digestOf(viewOf(bytes), 0, bytes.length, seed), key);
  return Buffer.from(key.buffer).toString('hex');
}

describe('the digest of a record', () => {
  it.each([
    ['', '00000000000000000000000000000000'],
    ['a', '3c9394a71bb056551bb056551bb05655'],
    ['The quick brown fox jumps over the lazy dog', 'c383152f672ceeec6cf67b5d2c1de9e5'],
  ])('is what others make of %j', (text, expected) => {
    expect(wordsOf(text, new Int32Array(wordsOfKey))).toBe(expected);
  });

  it('is of no use to who does not know where this process began', () => {
    expect(wordsOf('a')).not.toBe(wordsOf('a', new Int32Array(wordsOfKey)));
    expect(wordsOf('a')).toBe(wordsOf('a'));
  });

  it('is another one if any bit of any byte is another one, at whatever length', () => {
    for (let length = 0; length <= 100; length += 1) {
      const bytes = randomBytes(length);
      const view = viewOf(bytes);
      const found = new Set([digestOf(view, 0, length)]);
      for (let bit = 0; bit < 8 * length; bit += 1) {
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        found.add(digestOf(view, 0, length));
        bytes[bit >> 3]! ^= 1 << (bit & 7);
      }
      expect(found.size).toBe(8 * length + 1);
    }
  });

  it('is of these bytes alone, wherever they stand', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.uint8Array(), (before, record, behind) => {
        const body = Buffer.concat([before, record, behind]);
        expect(digestOf(viewOf(body), before.length, before.length + record.length)).toBe(
          digestOf(viewOf(record), 0, record.length),
        );
      }),
    );
  });

  it('is never that of a record that is longer by nothing but zeros', () => {
    const zeros = Buffer.alloc(200);
    const digests = Array.from(zeros, (_none, length) => digestOf(viewOf(zeros), 0, length));
    expect(new Set(digests).size).toBe(zeros.length);
  });

  it('is as good as random: of those of numbers, each bit is set half of the time, and no word comes twice too often', () => {
    const count = 20_000;
    const bits = Array.from({ length: 128 }, () => 0);
    const words = Array.from({ length: wordsOfKey }, () => new Set<number>());
    const key = new Int32Array(wordsOfKey);
    for (let number = 0; number < count; number += 1) {
      const bytes = Buffer.from(`{"id":"server ${number}","vcpu_count":${number % 64}}`);
      readDigest(digestOf(viewOf(bytes), 0, bytes.length), key);
      for (const [word, value] of key.entries()) {
        words[word]!.add(value);
        for (let bit = 0; bit < 32; bit += 1) bits[32 * word + bit]! += (value >>> bit) & 1;
      }
    }
    // Seven standard deviations.
    for (const set of bits) expect(Math.abs(set - count / 2)).toBeLessThan(7 * Math.sqrt(count / 4));
    for (const word of words) expect(word.size).toBeGreaterThan(count - 10);
  });
});

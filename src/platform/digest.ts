import { randomInt } from 'node:crypto';
import { wordsOfKey, type Key } from './key-table.ts';

/** What words are multiplied with, each with two of these. */
const [c1, c2, c3, c4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93];
const bytesOfBlock = 16;
/** Each process begins elsewhere: nobody can work out beforehand which digest a record will have. */
const start = Int32Array.from({ length: wordsOfKey }, () => randomInt(2 ** 32));

/**
 * Of 128 bits, so that no two records ever have the same one by accident: MurmurHash3. SHA-1 takes thrice as long for a
 * record, and twice as long for many, where the processor does not help with it. It keeps nobody out: who could forge one
 * all the same would hide a change of their own server.
 */
export function digestOf(bytes: DataView, from: number, to: number, seed: Key = start): string {
  let [h1, h2, h3, h4] = [seed[0]!, seed[1]!, seed[2]!, seed[3]!];
  const length = to - from;
  const lastBlock = to - (length % bytesOfBlock);
  // Written out: called for each word, `scatter` would take as long as all the rest.
  for (let at = from; at < lastBlock; at += bytesOfBlock) {
    let word = Math.imul(bytes.getInt32(at, true), c1);
    h1 ^= Math.imul((word << 15) | (word >>> 17), c2);
    h1 = (Math.imul((((h1 << 19) | (h1 >>> 13)) + h2) | 0, 5) + 0x561ccd1b) | 0;
    word = Math.imul(bytes.getInt32(at + 4, true), c2);
    h2 ^= Math.imul((word << 16) | (word >>> 16), c3);
    h2 = (Math.imul((((h2 << 17) | (h2 >>> 15)) + h3) | 0, 5) + 0x0bcaa747) | 0;
    word = Math.imul(bytes.getInt32(at + 8, true), c3);
    h3 ^= Math.imul((word << 17) | (word >>> 15), c4);
    h3 = (Math.imul((((h3 << 15) | (h3 >>> 17)) + h4) | 0, 5) + 0x96cd1c35) | 0;
    word = Math.imul(bytes.getInt32(at + 12, true), c4);
    h4 ^= Math.imul((word << 18) | (word >>> 14), c1);
    h4 = (Math.imul((((h4 << 13) | (h4 >>> 19)) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  h1 ^= scatter(wordAt(bytes, lastBlock, to), c1, 15, c2) ^ length;
  h2 ^= scatter(wordAt(bytes, lastBlock + 4, to), c2, 16, c3) ^ length;
  h3 ^= scatter(wordAt(bytes, lastBlock + 8, to), c3, 17, c4) ^ length;
  h4 ^= scatter(wordAt(bytes, lastBlock + 12, to), c4, 18, c1) ^ length;
  const sum = (h1 + h2 + h3 + h4) | 0;
  [h1, h2, h3, h4] = [stir(sum), stir((h2 + sum) | 0), stir((h3 + sum) | 0), stir((h4 + sum) | 0)];
  const all = (h1 + h2 + h3 + h4) | 0;
  return textOf(all, (h2 + all) | 0, (h3 + all) | 0, (h4 + all) | 0);
}

/** A word of what is left behind the last whole block; 0 where nothing is left. */
function wordAt(bytes: DataView, at: number, to: number): number {
  let word = 0;
  for (let index = at; index < Math.min(at + 4, to); index += 1)
    word |= bytes.getUint8(index) << (8 * (index - at));
  return word;
}

function scatter(word: number, before: number, bits: number, after: number): number {
  const product = Math.imul(word, before);
  return Math.imul((product << bits) | (product >>> (32 - bits)), after);
}

/** Each bit of the word moves half of the others. */
function stir(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** A text, as which it can be a key, and a member of a list where others are numbers. */
function textOf(first: number, second: number, third: number, fourth: number): string {
  return String.fromCharCode(
    first & 0xffff,
    first >>> 16,
    second & 0xffff,
    second >>> 16,
    third & 0xffff,
    third >>> 16,
    fourth & 0xffff,
    fourth >>> 16,
  );
}

export function readDigest(digest: string, key: Key): void {
  for (let word = 0; word < wordsOfKey; word += 1)
    key[word] = digest.charCodeAt(2 * word) | (digest.charCodeAt(2 * word + 1) << 16);
}

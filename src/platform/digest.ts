import { hash } from 'node:crypto';
import { wordsOfKey, type Key } from './key-table.ts';

/**
 * Of 160 bits, so that no two records ever have the same one by accident; of these the fastest to make, with and without
 * help of the processor. It keeps nobody out: who could forge one would hide a change of their own server.
 */
export function digestOf(bytes: Buffer | string): string {
  return hash('sha1', bytes, 'binary');
}

/** As much of it as a key has. */
export function readDigest(digest: string, key: Key): void {
  for (let word = 0; word < wordsOfKey; word += 1) {
    const at = 4 * word;
    key[word] =
      digest.charCodeAt(at) |
      (digest.charCodeAt(at + 1) << 8) |
      (digest.charCodeAt(at + 2) << 16) |
      (digest.charCodeAt(at + 3) << 24);
  }
}

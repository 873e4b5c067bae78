import { hash } from 'node:crypto';
import { wordsOfKey, type Key } from './key-table.ts';

const lengthOfUuid = 36;
const codes = Buffer.from('0123456789abcdef');
/** By the codes of the digits; -1 for all that is none. */
const digits = Int8Array.from({ length: 128 }, (_none, code) => codes.indexOf(code));
const hyphens = [8, 13, 18, 23];
/** Where the two halves of each word begin in a UUID, past its hyphens. */
const highHalves = [0, 9, 19, 28];
const lowHalves = [4, 14, 24, 32];

/**
 * Makes a key of a server's id: of a UUID, as the platform writes them, its own 128 bits, of any other text those of its
 * digest. Says whether it was a UUID, of which the key says all.
 */
export function readServerKey(id: string, key: Key): boolean {
  if (readUuid(id, key)) return true;
  const digest = hash('sha1', id, 'buffer');
  for (let word = 0; word < wordsOfKey; word += 1) key[word] = digest.readInt32LE(4 * word);
  return false;
}

/** The UUID of which the key was made. */
export function uuidOf(key: Key): string {
  const uuid = Buffer.alloc(lengthOfUuid, '-');
  for (let word = 0; word < wordsOfKey; word += 1) {
    writeFourDigits(uuid, highHalves[word]!, key[word]! >>> 16);
    writeFourDigits(uuid, lowHalves[word]!, key[word]!);
  }
  return uuid.toString('latin1');
}

function writeFourDigits(uuid: Buffer, at: number, number: number): void {
  for (let digit = 0; digit < 4; digit += 1) uuid[at + digit] = codes[(number >>> (12 - 4 * digit)) & 15]!;
}

function readUuid(id: string, key: Key): boolean {
  if (id.length !== lengthOfUuid) return false;
  for (const at of hyphens) if (id.charCodeAt(at) !== 45) return false;
  for (let word = 0; word < wordsOfKey; word += 1) {
    const [high, low] = [fourDigits(id, highHalves[word]!), fourDigits(id, lowHalves[word]!)];
    if (high < 0 || low < 0) return false;
    key[word] = (high << 16) | low;
  }
  return true;
}

/** Negative if one of them is no digit. */
function fourDigits(id: string, at: number): number {
  return (
    (digitOf(id.charCodeAt(at)) << 12) |
    (digitOf(id.charCodeAt(at + 1)) << 8) |
    (digitOf(id.charCodeAt(at + 2)) << 4) |
    digitOf(id.charCodeAt(at + 3))
  );
}

/** -1 for what is none of 0 to 9 and a to f: in large letters, it is another id. */
function digitOf(letter: number): number {
  return digits[letter] ?? -1;
}

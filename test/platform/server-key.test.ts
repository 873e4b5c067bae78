import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOfKey } from '../../src/platform/key-table.ts';
import { readServerKey, uuidOf } from '../../src/platform/server-key.ts';

function keyOf(id: string): { words: string; isUuid: boolean; uuid: string } {
  const key = new Int32Array(wordsOfKey);
  const isUuid = readServerKey(id, key);
  return { words: key.join(), isUuid, uuid: uuidOf(key) };
}

describe('the key of a server', () => {
  it('says all of a UUID', () => {
    fc.assert(
      fc.property(fc.uuid({ version: [1, 3, 4, 5, 7] }), (id) => {
        expect(keyOf(id)).toMatchObject({ isUuid: true, uuid: id });
      }),
    );
    for (const digit of ['0', '7', '8', 'f'])
      expect(keyOf('00000000-0000-0000-0000-000000000000'.replaceAll('0', digit))).toMatchObject({
        isUuid: true,
        uuid: '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit),
      });
  });

  it('is another one for each id, whatever it looks like', () => {
    const uuid = '0f6e7c1a-1234-4abc-8def-0123456789ab';
    const odd = fc.constantFrom(
      uuid,
      uuid.toUpperCase(),
      uuid.replace('f', 'F'),
      uuid.replaceAll('-', ''),
      uuid.replace('-', '_'),
      uuid.replace('-', 'a'),
      uuid.replace('a', 'g'),
      uuid.replace('a', 'é'),
      uuid.replace('a', '\u{161}'),
      `${uuid} `,
      `${uuid.slice(1)}-`,
      '',
      '__proto__',
    );
    const id = fc.oneof(odd, fc.uuid(), fc.string());
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(keyOf(one).words === keyOf(other).words).toBe(one === other);
      }),
      { numRuns: 2000 },
    );
  });

  it('says of nothing else that it was a UUID', () => {
    const uuid = '0f6e7c1a-1234-4abc-8def-0123456789ab';
    for (let at = 0; at < uuid.length; at += 1)
      for (const letter of ['g', '/', ':', '`', 'A', '\u{130}'])
        expect(keyOf(`${uuid.slice(0, at)}${letter}${uuid.slice(at + 1)}`).isUuid).toBe(false);
    for (const at of [8, 13, 18, 23])
      expect(keyOf(`${uuid.slice(0, at)}0${uuid.slice(at + 1)}`).isUuid).toBe(false);
  });
});

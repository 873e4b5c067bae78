import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKnownRecords, digestOf, type KnownRecords } from '../../src/platform/known-records.ts';
import { createPageParser } from '../../src/platform/read-page.ts';

/** Reads a page, and says which records had to be read for it. */
async function read(known: KnownRecords<unknown>, page: Buffer, { keep = true } = {}) {
  const taken: unknown[] = [];
  const reading = known.begin();
  const parse = createPageParser<unknown>((record) => (taken.push(record), record), { known: reading });
  const parsed = await parse(Buffer.from(page));
  if (keep) reading.keep();
  return { parsed, taken };
}

const pageOf = (...servers: object[]) => Buffer.from(JSON.stringify({ limit: 9, servers, total: 9 }));
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: `server ${id}`, nics: [{ id: 1 }] }));
const last = { id: 'the last one, which is read with the end of the page' };

describe('a record that is known', () => {
  it('is not read again, wherever it stands', async () => {
    const known = createKnownRecords();
    expect((await read(known, pageOf(a!, b!, c!, last))).taken).toEqual([a, b, c, last]);
    const { parsed, taken } = await read(known, pageOf(c!, d!, a!, b!, last));
    expect(taken).toEqual([d, last]);
    expect(parsed).toEqual({ limit: 9, servers: [c, d, a, b, last], total: 9 });
  });

  it('is forgotten with the first list that does not show it', async () => {
    const known = createKnownRecords();
    await read(known, pageOf(a!, b!, last));
    await read(known, pageOf(b!, last));
    expect((await read(known, pageOf(a!, b!, last))).taken).toEqual([a, last]);
  });

  it('stays known through a collection that fails, which teaches nothing', async () => {
    const known = createKnownRecords();
    await read(known, pageOf(a!, b!, last));
    await read(known, pageOf(b!, c!, last), { keep: false });
    expect((await read(known, pageOf(a!, b!, c!, last))).taken).toEqual([c, last]);
  });

  it('is not taken for two that stand where one was expected', async () => {
    const known = createKnownRecords();
    const odd = { ID: 'begins otherwise' };
    const page = pageOf(a!, odd, b!, last);
    await read(known, page);
    expect((await read(known, page)).parsed).toEqual(JSON.parse(page.toString()));
    expect((await read(known, pageOf(odd, a!, last))).parsed).toMatchObject({ servers: [odd, a, last] });
  });
});

describe('what is known of a large list', () => {
  it('is all that the last good collection showed, and nothing else', () => {
    const known = createKnownRecords<string>();
    const digest = (record: number) => digestOf(Buffer.from(String(record)));
    let shown: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      const reading = known.begin();
      for (let record = 0; record < 4000; record += 1)
        expect(reading.find(digest(record)) !== undefined).toBe(shown.includes(record));
      const isGood = round % 4 !== 3;
      const last = known.begin();
      const now = Array.from({ length: 300 * (round % 5) }, (_, index) => (index * 7 + round * 50) % 4000);
      for (const record of now)
        if (last.find(digest(record)) === undefined) last.learn(digest(record), `read ${record}`);
      for (const record of now) expect(last.find(digest(record))).toBe(`read ${record}`);
      if (!isGood) continue;
      last.keep();
      shown = now;
    }
  });
});

describe('a changed byte', () => {
  const record = fc.dictionary(fc.constantFrom('account', 'id', 'é', '},{"id"', 'nics'), fc.jsonValue());

  it('is never missed: what is known makes no difference to what is read', async () => {
    const places = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 2 }), places, async (servers, changes) => {
        const known = createKnownRecords();
        const page = pageOf(...servers);
        await read(known, page);
        for (const [place, byte] of changes) page[place % page.length] = byte;
        const fresh = await createPageParser((one) => one)(Buffer.from(page));
        expect((await read(known, page)).parsed).toEqual(fresh);
      }),
      { numRuns: 200 },
    );
  });
});

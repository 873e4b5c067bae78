import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPageParser } from '../../src/platform/read-page.ts';

const asReceived = createPageParser((record) => record);

async function parse(text: string | Buffer): Promise<unknown> {
  return asReceived(Buffer.from(text));
}

/** Records as a platform sends them: often the same first key, which nested objects may begin with too. */
const record = fc.dictionary(fc.constantFrom('account', 'id', 'é', '},{"id"', 'nics'), fc.jsonValue());
const envelope = fc.record({ limit: fc.nat(), offset: fc.nat(), total: fc.nat() }, { requiredKeys: [] });

describe('a page', () => {
  it('is read as JSON.parse reads it, whatever its records hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record), envelope, fc.boolean(), async (records, rest, listFirst) => {
        const page = listFirst ? { servers: records, ...rest } : { ...rest, servers: records };
        const text = JSON.stringify(page);
        expect(await parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    [
      'objects within records that begin like records',
      { servers: [1, 2].map((id) => ({ id, nics: [{ id }, { id }] })) },
    ],
    [
      'another list of that name further in',
      { data: { servers: [{ id: 1 }, { id: 2 }] }, servers: [{ id: 3 }] },
    ],
    ['records that are none', { servers: [{ id: 1 }, null, 7, 'x', [{ id: 2 }], { id: 3 }] }],
    [
      'many objects within records that begin like records',
      { servers: Array.from({ length: 60 }, (_, id) => ({ id, nics: [{ id }, { id }], zone: { id } })) },
    ],
    [
      'plain records, and late in it one that is not',
      { servers: Array.from({ length: 60 }, (_, id) => ({ id, name: id === 50 ? 'Größe 中 🙂' : 'plain' })) },
    ],
    ['sums after the list', { servers: [{ id: 1 }, { id: 2 }], totals: [{ id: 3 }, { id: 4 }] }],
    ['no list', { server: { id: 1 } }],
    ['something else in place of the list', { servers: { id: 1 } }],
  ])('is read with %s', async (_words, page) => {
    expect(await parse(JSON.stringify(page))).toEqual(page);
    expect(await parse(JSON.stringify(page, null, 2))).toEqual(page);
  });

  it.each([
    ['two lists', '{"servers":[{"id":"a"},{"id":"b"}],"servers":[{"id":"c"}]}'],
    ['two lists, the last of them empty', '{"servers":[{"id":"a"},{"id":"b"}],"servers":[]}'],
    ['a list and something else of its name before it', '{"servers":5,"servers":[{"id":"a"},{"id":"b"}]}'],
    ['a list and something else of its name after it', '{"servers":[{"id":"a"},{"id":"b"}],"servers":null}'],
    [
      'a second list whose name is escaped',
      '{"servers":[{"id":"a"},{"id":"b"}],"\\u0073ervers":[{"id":"c"}]}',
    ],
  ])('with %s is what JSON.parse makes of it', async (_words, text) => {
    expect(await parse(text)).toEqual(JSON.parse(text));
  });

  it('with one record that looks like thousands is read as the one that it is', async () => {
    const parts = Array.from({ length: 20_000 }, (_, id) => ({ id: String(id) }));
    const page = { servers: [{ id: 'a', parts }, { id: 'b', parts: [{ parts }] }, { id: 'c' }], total: 3 };
    let taken = 0;
    const count = createPageParser((one) => {
      taken += 1;
      return one;
    });
    expect(await count(Buffer.from(JSON.stringify(page)))).toEqual(page);
    expect(taken).toBe(3);
  });

  it('is not JSON if it breaks off anywhere', async () => {
    const text = JSON.stringify({
      limit: 2,
      servers: [{ id: 'a', nics: [{ id: 1 }] }, { id: 'b' }],
      total: 2,
    });
    for (let length = 0; length < text.length; length += 1) {
      expect(await parse(text.slice(0, length))).toBeUndefined();
    }
  });

  it('keeps only what is read of its records', async () => {
    const readId = createPageParser((one) => (one as { id: string }).id);
    const page = { servers: [{ id: 'a', name: 'x' }, { id: 'b' }, { id: 'c' }], total: 3 };
    const read = await readId(Buffer.from(JSON.stringify(page)));
    expect(read).toEqual({ servers: ['a', 'b', 'c'], total: 3 });
  });

  it('gives others a turn while it is parsed, if it is large', async () => {
    const servers = Array.from({ length: 1000 }, (_, id) => ({ id, description: 'x'.repeat(4000) }));
    let turns = 0;
    const parseLarge = createPageParser((one) => one, {
      pause: async () => {
        turns += 1;
      },
    });
    const read = await parseLarge(Buffer.from(JSON.stringify({ servers })));
    expect(read).toEqual({ servers });
    expect(turns).toBe(15);
  });
});

import { assert, jsonValue, array, asyncProperty, constantFrom } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecords } from '../../src/platform/records.ts';
import { AnswerTooLarge } from '../../src/transport/body.ts';
import { createSlices, createYieldToEventLoop } from '../../src/yield-to-event-loop.ts';

async function read(page: string | Buffer, mostRecords = Infinity) {
  const take = (_state: undefined, record: unknown) => ({ id: '', record });
  const answer = await readRecords(
    Buffer.from(page),
    { list: 'servers', mostRecords, take, state: undefined, expected: { items: [], from: 0 } },
    createSlices(createYieldToEventLoop()),
  );
  return answer && { ...answer, items: answer.items.map(({ record }) => record) };
}

describe('readRecords', () => {
  it('reads what JSON.parse would, however the page is written', async () => {
    const blanks = constantFrom(undefined, 1, '\t', '\r\n ');
    await assert(
      asyncProperty(array(jsonValue()), jsonValue(), blanks, async (servers, other, indent) => {
        const page = { '"servers":[': other, limit: 7, servers, total: servers.length };
        const { items, rest } = (await read(JSON.stringify(page, undefined, indent)))!;
        expect(items).toEqual(JSON.parse(JSON.stringify(servers)));
        expect(rest).toEqual(JSON.parse(JSON.stringify({ ...page, servers: [] })));
      }),
    );
  });

  const lists = [
    '{"data":{"servers":[]}}',
    '{"servers":null}',
    '{"servers":{}}',
    '{"servers":[],"servers":[1]}',
  ];
  it.each(['{}', '[]', 'null', '7', ...lists])('finds no list in %s', async (text) => {
    expect(await read(text)).toBeUndefined();
  });

  const begun = [
    '',
    '[',
    '[{"id":"a"}',
    '[{"id":"a"]}',
    '[{"id":"a},{]}',
    '[{}{}]}',
    '[{}]',
    '[{}]}]',
    '[}]}',
  ];
  const broken = [...begun.map((list) => `{"servers":${list}`), '', '<html>', '{"limit"', '{"servers":[1,]}'];
  it.each(broken)('takes %s for a page that broke off', async (text) => {
    await expect(read(text)).rejects.toThrow(SyntaxError);
  });

  it('replaces raw control characters within texts, wherever these stand, and none between them', async () => {
    const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
    const page = `{"a${controls}":"\\\\${controls}",\n"servers":[\t{"id":"x","na${controls}me":["\\"${controls}"]}\r\n,{}],"total":2}`;
    const repaired = '\uFFFD'.repeat(32);
    expect(await read(page)).toEqual({
      items: [{ id: 'x', [`na${repaired}me`]: [`"${repaired}`] }, {}],
      rest: { [`a${repaired}`]: `\\${repaired}`, servers: [], total: 2 },
    });
  });

  const good = '{"nested":{"id":"other"},"id":"a-1","name":"x"}';
  it.each([
    [`{"servers":[${good},{"id":"b-2","vcpu_count":¡x}]}`, '0x78', ', in the record with the id b-2'],
    [`{"servers":[${good},{"vcpu_count":0¡1}]}`, '0x31', ', in record 2 of the list'],
    [`{"servers":[${good},{"id":"b-2","name":"¡\\x"}]}`, '0x5c', ', in the record with the id b-2'],
    [`{"servers":[${good}],"total":1,¡}`, '0x7d', ''],
    [`{"total" ¡1,"servers":[]}`, '0x31', ''],
    ['¡<html>', '0x3c', ''],
  ])('names the byte, and the record, of what cannot be read: %s', async (marked, byte, record) => {
    const words = `the answer is not JSON: byte ${byte} at ${marked.indexOf('¡')}${record}`;
    await expect(read(marked.replace('¡', ''))).rejects.toMatchObject({ message: words });
  });

  it('passes over a record beyond the limits, and reads all others', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const records = [`{"a":${deep(63)}}`, `{"a":${deep(64)}}`, deep(1e6), `"${'\\"]'.repeat(2e6)}"`, '1'];
    const page = await read(`{"servers":[${records.join(' , ')}],"total":5}`);
    expect(page?.items.map((item) => item !== undefined)).toEqual([true, false, false, false, true]);
    expect(page?.rest).toEqual({ servers: [], total: 5 });
    await expect(read(`{"servers":[${deep(1e6).slice(0, -1)}`)).rejects.toThrow('breaks off');
  });

  it.each([
    ['more records than a page may have', `{"servers":[${'{},'.repeat(10)}{}]}`],
    ['too much around its list', `{"servers":[],"x":"${'x'.repeat(2 ** 20)}"}`],
    ['too many values behind its list', `{"servers":[],"x":[${'[],'.repeat(260_000)}[]]}`],
  ])('gives up a page with %s', async (_words, page) => {
    await expect(read(page, 10)).rejects.toThrow(AnswerTooLarge);
  });

  it('leaves the event loop to others while it reads a large page', async () => {
    const page = read(`{"servers":[${'{"id":"x"},'.repeat(300_000)}{}]}`);
    let turns = 0;
    while ((await Promise.race([page, new Promise<void>((resolve) => setImmediate(resolve))])) === undefined)
      turns += 1;
    expect((await page)?.items).toHaveLength(300_001);
    expect(turns).toBeGreaterThan(3);
  });

  it('looks at each byte a few times at most, whatever the records begin with', async () => {
    const records = Array.from({ length: 20_000 }, (_, index) =>
      index === 0 ? { odd: [{ a: 1 }, { a: 2 }] } : { id: 'x', nested: [{ a: 1 }, { a: 2 }] },
    );
    expect((await read(JSON.stringify({ servers: records })))?.items).toHaveLength(20_000);
  });
});

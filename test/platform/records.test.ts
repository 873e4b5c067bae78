import { assert, jsonValue, array, property, constantFrom } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nothingExpected, readRecords } from '../../src/platform/records.ts';

function read(text: string) {
  return readRecords<unknown>(Buffer.from(text), 'servers', (record) => record, nothingExpected);
}

describe('readRecords', () => {
  it('reads what JSON.parse would, however the page is written', () => {
    const blanks = constantFrom(undefined, 1, '\t', '\r\n ');
    assert(
      property(array(jsonValue()), jsonValue(), blanks, (servers, other, indent) => {
        const page = { '"servers":[': other, limit: 7, servers, total: servers.length };
        const { items, rest } = read(JSON.stringify(page, undefined, indent))!;
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
  it.each(['{}', '[]', 'null', '7', ...lists])('finds no list in %s', (text) => {
    expect(read(text)).toBeUndefined();
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
  it.each(broken)('takes %s for a page that broke off', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });

  it('looks at each byte a few times at most, whatever the records begin with', () => {
    const records = Array.from({ length: 20_000 }, (_, index) =>
      index === 0 ? { odd: [{ a: 1 }, { a: 2 }] } : { id: 'x', nested: [{ a: 1 }, { a: 2 }] },
    );
    expect(read(JSON.stringify({ servers: records }))?.items).toHaveLength(20_000);
  });
});

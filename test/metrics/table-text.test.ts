import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTable } from '../../src/metrics/exposition.ts';
import type { FamilyTable } from '../../src/metrics/family.ts';
import { createChunkPool, type TextChunks } from '../../src/metrics/text-chunks.ts';

interface Row {
  readonly label: string;
  readonly value: number;
}

const labelsWritten: string[] = [];

const table: FamilyTable<readonly Row[], Row> = {
  columns: ['cloud_all', 'cloud_even', 'cloud_none'].map((name, index) => ({
    name,
    help: 'Test.',
    type: 'gauge',
    labels: ['label'],
    value: ({ value }) => [value, value % 2 === 0 ? value : undefined, undefined][index],
  })),
  rows: (rows) => rows,
  labelValues({ label }) {
    labelsWritten.push(label);
    return [label];
  },
};

/** What the table is to be, from its rows alone. */
function expectedOf(rows: readonly Row[]): string {
  const line = (name: string) => (row: Row) => `${name}{label="${row.label}"} ${row.value}\n`;
  const even = rows.filter(({ value }) => value % 2 === 0);
  return [...rows.map(line('cloud_all')), ...even.map(line('cloud_even'))].join('');
}

async function textOf(rows: readonly Row[], memory: TextChunks): Promise<() => string> {
  const blocks = [...(await renderTable(table, rows, memory)).values()];
  const even = rows.filter(({ value }) => value % 2 === 0).length;
  expect(blocks.map(({ series }) => series)).toEqual([rows.length, even, 0]);
  return () => Buffer.concat(blocks.flatMap(({ chunks }) => chunks)).toString();
}

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ label: `label-${index}`, value: index }));

describe('the text of a table', () => {
  it('is whole, however many rows there are, and however long one is', async () => {
    const rows = [...rowsOf(20_000), { label: 'é'.repeat(20_000), value: 2 }, ...rowsOf(300)];
    const pool = createChunkPool();
    for (const list of [rows, rows, rows.toReversed()]) {
      const memory = pool.lend();
      expect((await textOf(list, memory))()).toBe(expectedOf(list));
      memory.giveBack();
    }
  });

  it('is copied but for the rows that are not the same as before', async () => {
    const pool = createChunkPool();
    const rows = rowsOf(1000);
    await textOf(rows, pool.lend());
    labelsWritten.length = 0;
    const changed = { label: 'changed', value: 1 };
    const added = { label: 'added', value: 2 };
    const list = [...rows.slice(0, 10), changed, ...rows.slice(11, 500), ...rows.slice(510), added];
    expect((await textOf(list, pool.lend()))()).toBe(expectedOf(list));
    expect(labelsWritten).toEqual(['changed', 'added']);
  });

  it('is copied behind rows that have changed, however many in a row', async () => {
    const pool = createChunkPool();
    const rows = rowsOf(1000);
    await textOf(rows, pool.lend());
    labelsWritten.length = 0;
    const changed = rows.slice(100, 300).map(({ value }) => ({ label: 'changed', value }));
    // Some more have gone.
    const list = [...rows.slice(0, 100), ...changed, ...rows.slice(310)];
    expect((await textOf(list, pool.lend()))()).toBe(expectedOf(list));
    expect(labelsWritten).toEqual(changed.map(({ label }) => label));
  });

  it('is that of its rows whatever came, went, moved or changed, and stays so while anybody reads it', async () => {
    const change = fc.record({
      kind: fc.constantFrom('add', 'remove', 'change', 'move'),
      at: fc.nat(),
      count: fc.integer({ min: 1, max: 40 }),
      isRead: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(400), fc.array(change, { maxLength: 12 }), async (count, changes) => {
        const pool = createChunkPool();
        let rows = rowsOf(count);
        let made = count;
        const fresh = (many: number) =>
          Array.from({ length: many }, () => ({ label: 'x'.repeat(made % 90), value: (made += 1) }));
        const read: { rows: readonly Row[]; text: () => string }[] = [];
        for (const { kind, at, count: many, isRead } of changes) {
          const memory = pool.lend();
          const text = await textOf(rows, memory);
          expect(text()).toBe(expectedOf(rows));
          if (isRead) read.push({ rows, text });
          else memory.giveBack();
          for (const one of read) expect(one.text()).toBe(expectedOf(one.rows));
          const start = rows.length === 0 ? 0 : at % rows.length;
          const [before, some, behind] = [
            rows.slice(0, start),
            rows.slice(start, start + many),
            rows.slice(start + many),
          ];
          if (kind === 'add') rows = [...before, ...fresh(many), ...some, ...behind];
          else if (kind === 'remove') rows = [...before, ...behind];
          else if (kind === 'change') rows = [...before, ...fresh(some.length), ...behind];
          else rows = [...some, ...before, ...behind];
        }
      }),
    );
  });

  it('is whole where two are written at the same time', async () => {
    const pool = createChunkPool();
    const rows = rowsOf(3000);
    const first = pool.lend();
    await textOf(rows, first);
    first.giveBack();
    const lists = [rows.slice(5), rows.slice(0, 2000), rows];
    const texts = await Promise.all(lists.map((list) => textOf(list, pool.lend())));
    expect(texts.map((text) => text())).toEqual(lists.map(expectedOf));
    const last = await textOf(rows.slice(7), pool.lend());
    expect(last()).toBe(expectedOf(rows.slice(7)));
    expect(texts.map((text) => text())).toEqual(lists.map(expectedOf));
  });
});

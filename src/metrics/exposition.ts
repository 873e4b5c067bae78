import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { TextBlock } from '../inventory/snapshot.ts';
import type { Family, FamilyHead, FamilyTable } from './family.ts';
import { blockOf, copyRows, formatNumber, linesOf, writeRow, type Lines } from './lines.ts';
import type { LastingTable, TextChunks } from './text-chunks.ts';
import { mostBytesPerUnit } from './text-memory.ts';

export type Format = 'text' | 'openmetrics';

/** Long enough to be cheap, short enough that a health check never waits for it. */
const sliceMs = 5;

/** The samples of one family of few lines, without its header, which depends on the format. */
export function renderBlock<Source>(family: Family<Source>, source: Source): TextBlock {
  const openings = openingsOf(family, source);
  let text = '';
  let series = 0;
  for (const [values, value] of family.samples(source)) {
    text += `${family.name}${labelsText(openings, values)}${formatNumber(value)}\n`;
    series += 1;
  }
  return { chunks: series === 0 ? [] : [Buffer.from(text)], series };
}

/**
 * The samples of each family of a table, by name, in slices with pauses. Most rows are the same from text to text: their
 * lines are copied.
 */
export async function renderTable<Source, Row extends object>(
  table: FamilyTable<Source, Row>,
  source: Source,
  memory: TextChunks,
): Promise<Map<string, TextBlock>> {
  const rows = [...table.rows(source)];
  const before = memory.takeTable(table) ?? nothing;
  const columns = table.columns.map(({ name }, index) => linesOf(name, memory, before.columns[index]));
  const write = createRowWriter(table, source, columns);
  const [first] = columns as [Lines];
  let next = 0;
  let written = 0;
  let chunks = 0;
  let sliceEndsAt = performance.now() + sliceMs;
  let isSliceBegun = false;
  for (let index = 0; index < rows.length;) {
    const start = placeOf(rows[index]!, before.rows, next, written);
    if (start === undefined) {
      write(rows[index]!);
      index += 1;
      written += 1;
    } else {
      written = 0;
      next = endOfSame(before.rows, start, rows, index);
      for (const lines of columns) copyRows(lines, start, next);
      index += next - start;
    }
    // Chunk by chunk: to ask for the time at each row would take as long as to write it.
    if (first.chunks.length === chunks) continue;
    chunks = first.chunks.length;
    isSliceBegun = performance.now() < sliceEndsAt;
    if (isSliceBegun) continue;
    await yieldToEventLoop();
    sliceEndsAt = performance.now() + sliceMs;
  }
  // The next table begins a slice of its own.
  if (isSliceBegun) await yieldToEventLoop();
  const blocks = columns.map(blockOf);
  memory.keepTable(table, { rows, columns: columns.map((lines) => lines.chunks) });
  return new Map(table.columns.map(({ name }, index) => [name, blocks[index]!]));
}

const nothing: LastingTable = { rows: [], columns: [] };
/** So far from where it is expected a row is looked for. One that is not found is written. */
const farthest = 16;
const mostCopied = 1000;

/** Where a row was before: expected as far behind those that were found as there are new ones in between. */
function placeOf(row: object, rows: readonly object[], next: number, written: number): number | undefined {
  const expected = next + written;
  if (rows[expected] === row) return expected;
  const end = Math.min(rows.length, expected + farthest);
  for (let place = Math.max(next, expected - farthest); place < end; place += 1)
    if (rows[place] === row) return place;
  return undefined;
}

/** Where the rows from `start` on are not the same any more as those of the other list. */
function endOfSame(rows: readonly object[], start: number, others: readonly object[], at: number): number {
  const most = Math.min(rows.length - start, others.length - at, mostCopied);
  let count = 1;
  while (count < most && rows[start + count] === others[at + count]) count += 1;
  return start + count;
}

/** Writes one row after the other to all of the columns. */
function createRowWriter<Source, Row extends object>(
  table: FamilyTable<Source, Row>,
  source: Source,
  lines: readonly Lines[],
): (row: Row) => void {
  const { columns, labelValues } = table;
  const openings = openingsOf(columns[0]!, source);
  let room = Buffer.alloc(0);
  return (row) => {
    const text = labelsText(openings, labelValues(row, source));
    const mostBytes = text.length * mostBytesPerUnit;
    if (room.length < mostBytes) room = Buffer.allocUnsafe(2 * mostBytes);
    const bytes = room.subarray(0, room.write(text));
    for (let index = 0; index < columns.length; index += 1)
      writeRow(lines[index]!, bytes, columns[index]!.value(row, source));
  };
}

/** How each label of a line begins. */
function openingsOf<Source>({ labels, extraLabels }: FamilyHead<Source>, source: Source): string[] {
  return [...labels, ...(extraLabels?.(source) ?? [])].map(
    (name, index) => `${index === 0 ? '{' : '",'}${name}="`,
  );
}

function labelsText(openings: readonly string[], values: readonly string[]): string {
  const pieces: string[] = [];
  for (let index = 0; index < openings.length; index += 1)
    pieces.push(openings[index]!, escapeLabel(values[index]!));
  pieces.push('"} ');
  return pieces.join('');
}

export function renderHeader(family: { name: string; help: string; type: string }, format: Format): Buffer {
  const isOpenMetrics = format === 'openmetrics';
  const name = isOpenMetrics && family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name;
  const help = isOpenMetrics
    ? escapeLabel(family.help)
    : family.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const unit = isOpenMetrics ? /_(seconds|bytes|ratio)$/.exec(name)?.[1] : undefined;
  return Buffer.from(
    `# HELP ${name} ${help}\n# TYPE ${name} ${family.type}\n${unit ? `# UNIT ${name} ${unit}\n` : ''}`,
  );
}

export const openMetricsEnd = Buffer.from('# EOF\n');

const special = /[\\"\n]/;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

export function escapeLabel(value: string): string {
  return special.test(value) ? value.replace(/[\\"\n]/g, (character) => escapes[character]!) : value;
}

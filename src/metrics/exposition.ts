import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { TextBlock } from '../inventory/snapshot.ts';
import type { Column, Family, FamilyTable, Sample } from './family.ts';
import { addLine, blockOf, linesOf } from './lines.ts';
import { createTextMemory, mostBytesPerUnit, type TextMemory } from './text-memory.ts';

export type Format = 'text' | 'openmetrics';

/** Long enough to be cheap, short enough that a health check never waits for it. */
const sliceMs = 5;

/** The samples of one family, without its header, which depends on the format. */
export async function renderBlock<Source>(
  family: Family<Source>,
  source: Source,
  memory?: TextMemory,
): Promise<TextBlock> {
  const blocks = await renderTable(
    {
      columns: [{ ...family, value: (sample: Sample) => sample[1] }],
      rows: family.samples,
      labelValues: (sample) => sample[0],
    },
    source,
    memory,
  );
  return blocks.get(family.name)!;
}

/** The samples of each family of a table, by name. */
export async function renderTable<Source, Row extends object>(
  table: FamilyTable<Source, Row>,
  source: Source,
  memory?: TextMemory,
): Promise<Map<string, TextBlock>> {
  if (!table.rowsLast || !memory?.tables) return renderRows(table, source, memory);
  const rows = [...table.rows(source)];
  const before = memory.tables.get(table);
  if (before && isSame(before.rows, rows)) return before.blocks;
  const blocks = await renderRows({ ...table, rows: () => rows }, source, createTextMemory());
  memory.tables.set(table, { rows, blocks });
  return blocks;
}

function isSame(rows: readonly object[], others: readonly object[]): boolean {
  return rows.length === others.length && rows.every((row, index) => row === others[index]);
}

/** In slices with pauses. */
async function renderRows<Source, Row extends object>(
  table: FamilyTable<Source, Row>,
  source: Source,
  memory: TextMemory = { write: (text) => Buffer.from(text as Uint8Array) },
): Promise<Map<string, TextBlock>> {
  const { columns, rows, labelValues, labelsLast } = table;
  const known = lastingLabels(table, memory);
  const [{ labels, extraLabels }] = columns as [Column<Source, Row>];
  const openings = [...labels, ...(extraLabels?.(source) ?? [])].map(
    (name, index) => `${index === 0 ? '{' : '",'}${name}="`,
  );
  const families = columns.map(({ name }) => linesOf(name, memory));
  const pieces: string[] = [];
  let room = Buffer.alloc(0);
  let sliceEndsAt = performance.now() + sliceMs;
  let isChunkDone = false;
  let isSliceBegun = false;
  for (const row of rows(source)) {
    const lasting = labelsLast?.(row);
    let text = lasting && known?.get(lasting);
    if (text === undefined) {
      text = labelsText(openings, labelValues(row, source), pieces);
      if (lasting) known?.set(lasting, text);
    }
    if (room.length < text.length * mostBytesPerUnit)
      room = Buffer.allocUnsafe(2 * text.length * mostBytesPerUnit);
    const rowLabels = room.subarray(0, room.write(text));
    for (let index = 0; index < columns.length; index += 1) {
      const value = columns[index]!.value(row, source);
      if (value !== undefined && addLine(families[index]!, rowLabels, value)) isChunkDone = true;
    }
    if (!isChunkDone) continue;
    // Chunk by chunk: to ask for the time at each row would take as long as to write it.
    isChunkDone = false;
    isSliceBegun = performance.now() < sliceEndsAt;
    if (isSliceBegun) continue;
    await yieldToEventLoop();
    sliceEndsAt = performance.now() + sliceMs;
  }
  // The next table begins a slice of its own.
  if (isSliceBegun) await yieldToEventLoop();
  return new Map(columns.map(({ name }, index) => [name, blockOf(families[index]!)]));
}

function lastingLabels<Source, Row extends object>(
  table: FamilyTable<Source, Row>,
  { labels }: TextMemory,
): WeakMap<object, string> | undefined {
  if (!table.labelsLast || !labels) return undefined;
  const known = labels.get(table) ?? new WeakMap<object, string>();
  labels.set(table, known);
  return known;
}

/** `pieces` is of who calls, and serves one row after the other. */
function labelsText(openings: readonly string[], values: readonly string[], pieces: string[]): string {
  for (let index = 0; index < openings.length; index += 1) {
    pieces[2 * index] = openings[index]!;
    pieces[2 * index + 1] = escapeLabel(values[index]!);
  }
  pieces[2 * openings.length] = '"} ';
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

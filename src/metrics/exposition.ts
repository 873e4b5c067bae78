import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { labelNames, numberOf, type Column, type Table, type TableSource } from './family.ts';

export type Format = 'text' | 'openmetrics';

/** The samples of one family of one cloud, without its header, which depends on the format. */
export interface TextBlock {
  readonly chunks: readonly Buffer[];
  readonly series: number;
}

const chunkBytes = 65_536;
const firstBytes = 1024;

/** Lists of values that last from snapshot to snapshot are of one cloud: their text is put together once. */
const keptTexts = new WeakMap<readonly string[], string>();

interface Rendering {
  readonly table: Table<TableSource>;
  readonly source: TableSource;
  readonly rows: readonly unknown[];
  readonly cloud: string;
  /** What stands before each value. */
  readonly openings: readonly string[];
  readonly columns: readonly Column[];
  readonly writers: readonly Writer[];
}

/** The text of each family of these tables, in their order. */
export async function render<Source extends TableSource>(
  tables: readonly Table<Source>[],
  source: Source,
  slices: Slices,
): Promise<Map<string, TextBlock>> {
  const blocks = new Map<string, TextBlock>();
  const cloud = `{cloud="${escapeLabel(source.cloud)}`;
  for (const table of tables) {
    const columns = Object.values(table.columns);
    const names = Object.keys(table.columns);
    const writers = names.map(createWriter);
    const openings = labelNames(table, source).map((name) => `",${name}="`);
    const rendering = { table, source, rows: table.rows(source), cloud, openings, columns, writers };
    await inSlices(slices, columns.length > 0 ? rendering.rows.length : 0, rendering, renderRow);
    for (const [index, name] of names.entries()) blocks.set(name, cut(writers[index]!));
  }
  return blocks;
}

function renderRow(rendering: Rendering, at: number): void {
  const { table, source, rows, columns, writers } = rendering;
  const row = rows[at];
  const labels = textOf(rendering, table.labelValues?.(row) ?? nothing);
  for (let index = 0; index < writers.length; index += 1) {
    const number = numberOf(columns[index]!, row, at, source);
    if (number !== undefined) write(writers[index]!, labels, number);
  }
}

const nothing: readonly never[] = [];

function textOf({ table, cloud, openings }: Rendering, values: readonly string[]): string {
  const kept = table.keepsText ? keptTexts.get(values) : undefined;
  if (kept !== undefined) return kept;
  let text = cloud;
  for (let index = 0; index < values.length; index += 1)
    text += openings[index]! + escapeLabel(values[index]!);
  text += '"} ';
  if (table.keepsText) keptTexts.set(values, text);
  return text;
}

/** Writes straight into bytes: texts of lines, put together by the ten thousand, were a third of all garbage. */
interface Writer extends TextBlock {
  readonly name: Buffer;
  buffer: Buffer;
  length: number;
  readonly chunks: Buffer[];
  series: number;
}

function createWriter(name: string): Writer {
  const buffer = Buffer.allocUnsafe(firstBytes);
  return { name: Buffer.from(name), buffer, length: 0, chunks: [], series: 0 };
}

function write(writer: Writer, labels: string, number: number): void {
  const { name } = writer;
  // A character has three bytes at most.
  makeRoom(writer, name.length + 3 * labels.length + mostDigits + 1);
  const { buffer } = writer;
  buffer.set(name, writer.length);
  let at = writer.length + name.length;
  at += buffer.write(labels, at);
  at = writeNumber(buffer, number, at);
  buffer[at] = newline;
  writer.length = at + 1;
  writer.series += 1;
}

const newline = 0x0a;
const zero = 0x30;
/** Of the longest number, such as -1.7976931348623157e+308. */
const mostDigits = 24;

/** Small integers, which nearly all are, without a text in between. Returns where it ends. */
function writeNumber(buffer: Buffer, number: number, at: number): number {
  if (!(number >= 0 && number < 2 ** 31 && Number.isInteger(number)))
    return at + buffer.write(formatNumber(number), at, 'latin1');
  let end = at + 1;
  for (let rest = number; rest >= 10; rest = Math.trunc(rest / 10)) end += 1;
  let rest = number;
  for (let digit = end - 1; digit >= at; digit -= 1) {
    buffer[digit] = zero + (rest % 10);
    rest = Math.trunc(rest / 10);
  }
  return end;
}

function makeRoom(writer: Writer, bytes: number): void {
  const { buffer, length } = writer;
  if (buffer.length - length >= bytes) return;
  if (length >= chunkBytes / 2) cut(writer);
  const needed = writer.length + bytes;
  writer.buffer = Buffer.allocUnsafe(Math.max(needed, Math.min(chunkBytes, 2 * buffer.length)));
  buffer.copy(writer.buffer, 0, 0, writer.length);
}

/** As bytes it is no load on the heap, and is sent as often as it is asked for. */
function cut(writer: Writer): TextBlock {
  if (writer.length > 0) writer.chunks.push(writer.buffer.subarray(0, writer.length));
  writer.length = 0;
  return writer;
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

export function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import type { Table, TableSource } from './family.ts';

export type Format = 'text' | 'openmetrics';

/** The samples of one family of one cloud, without its header, which depends on the format. */
export interface TextBlock {
  readonly chunks: readonly Buffer[];
  readonly series: number;
}

/** As bytes it is no load on the heap, and is sent as often as it is asked for. */
const chunkLength = 65_536;

/** Lists of values that last from snapshot to snapshot are of one cloud: their text is written once. */
const keptTexts = new WeakMap<readonly string[], string>();

interface Rendering<Source extends TableSource> {
  readonly table: Table<Source>;
  readonly source: Source;
  readonly rows: readonly unknown[];
  readonly cloud: string;
  /** What stands before each value. */
  readonly openings: readonly string[];
  readonly writers: readonly Writer[];
}

/** The text of each family of a table, in their order. */
export async function render<Source extends TableSource>(
  table: Table<Source>,
  source: Source,
  slices: Slices,
): Promise<TextBlock[]> {
  const writers: Writer[] = table.families.map(({ name }) => ({ name, text: '', chunks: [], series: 0 }));
  const rendering: Rendering<Source> = {
    table,
    source,
    rows: table.rows(source),
    cloud: `{cloud="${escapeLabel(source.cloud)}`,
    openings: table.labels(source).map((name) => `",${name}="`),
    writers,
  };
  await inSlices(slices, rendering.rows.length, (from, to) => {
    for (let at = from; at < to; at += 1) renderRow(rendering, at);
  });
  for (const writer of writers) cut(writer);
  return writers;
}

function renderRow<Source extends TableSource>(rendering: Rendering<Source>, at: number): void {
  const { table, source, rows, cloud, writers } = rendering;
  const row = rows[at];
  const labels = `${cloud}${textOf(rendering, table.valuesOf(row))}"} `;
  for (let index = 0; index < writers.length; index += 1) {
    const number = table.numberOf(row, at, index, source);
    if (number !== undefined) write(writers[index]!, labels, number);
  }
}

function textOf<Source extends TableSource>(
  { table, openings }: Rendering<Source>,
  values: readonly string[],
): string {
  const kept = table.keepsText ? keptTexts.get(values) : undefined;
  if (kept !== undefined) return kept;
  let text = '';
  for (let index = 0; index < values.length; index += 1)
    text += openings[index]! + escapeLabel(values[index]!);
  if (table.keepsText) keptTexts.set(values, text);
  return text;
}

interface Writer extends TextBlock {
  readonly name: string;
  /** What is not in a chunk yet. */
  text: string;
  readonly chunks: Buffer[];
  series: number;
}

function write(writer: Writer, labels: string, number: number): void {
  writer.text += `${writer.name}${labels}${formatNumber(number)}\n`;
  writer.series += 1;
  if (writer.text.length >= chunkLength) cut(writer);
}

function cut(writer: Writer): void {
  if (writer.text !== '') writer.chunks.push(Buffer.from(writer.text));
  writer.text = '';
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

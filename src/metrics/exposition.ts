import type { Place } from '../inventory/places.ts';
import type { Slices } from '../yield-to-event-loop.ts';
import type { Table, TableSource } from './family.ts';

export type Format = 'text' | 'openmetrics';

/** The samples of one family of one cloud, without its header, which depends on the format. */
export interface TextBlock {
  readonly chunks: readonly Buffer[];
  readonly series: number;
}

/** As bytes it is no load on the heap, and is sent as often as it is asked for. */
const chunkLength = 65_536;

/** A place is of one cloud, and lasts from snapshot to snapshot: so does the text of its labels. */
const placeTexts = new WeakMap<Place, string>();

/** The text of each family of a table, in their order. */
export async function render<Source extends TableSource>(
  table: Table<Source>,
  source: Source,
  slices: Slices,
): Promise<TextBlock[]> {
  const openings = table.labels(source).map((name) => `",${name}="`);
  const cloud = `{cloud="${escapeLabel(source.cloud)}`;
  const writers: Writer[] = table.families.map(({ name }) => ({ name, text: '', chunks: [], series: 0 }));
  for (const row of table.rows(source)) {
    if (slices.isOver()) await slices.next();
    const [place, values] = [table.placeOf(row), table.valuesOf(row)];
    let labels = cloud;
    if (place.length > 0) labels += textOf(place, openings);
    for (let index = 0; index < values.length; index += 1)
      labels += openings[place.length + index]! + escapeLabel(values[index]!);
    labels += '"} ';
    for (let index = 0; index < writers.length; index += 1) {
      const number = table.numberOf(row, index, source);
      if (number !== undefined) write(writers[index]!, labels, number);
    }
  }
  for (const writer of writers) cut(writer);
  return writers;
}

function textOf(place: Place, openings: readonly string[]): string {
  let text = placeTexts.get(place);
  if (text === undefined) {
    text = place.map((value, index) => openings[index]! + escapeLabel(value)).join('');
    placeTexts.set(place, text);
  }
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

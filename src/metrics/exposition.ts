import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { TextBlock } from '../inventory/snapshot.ts';
import type { Family } from './family.ts';

export type Format = 'text' | 'openmetrics';

/** Text of four times this length took about a sixth more CPU to put together. */
export const chunkLength = 16_384;
/** Long enough to be cheap, short enough that a health check never waits for it. */
const sliceMs = 5;

/** The samples of one family, without its header, which depends on the format. Rendered in slices with pauses. */
export async function renderBlock<Source>(family: Family<Source>, source: Source): Promise<TextBlock> {
  const names = [...family.labels, ...(family.extraLabels?.(source) ?? [])];
  const openings = names.map((name, index) => `${index === 0 ? `${family.name}{` : '",'}${name}="`);
  const chunks: Buffer[] = [];
  let series = 0;
  let text = '';
  let sliceEndsAt = performance.now() + sliceMs;
  for (const [values, value] of family.samples(source)) {
    series += 1;
    for (let index = 0; index < openings.length; index += 1) {
      text += openings[index]! + escapeLabel(values[index]!);
    }
    text += `"} ${formatNumber(value)}\n`;
    if (text.length < chunkLength) continue;
    chunks.push(Buffer.from(text));
    text = '';
    if (performance.now() < sliceEndsAt) continue;
    await yieldToEventLoop();
    sliceEndsAt = performance.now() + sliceMs;
  }
  // The next family begins a slice of its own.
  if (chunks.length > 0) await yieldToEventLoop();
  if (text !== '') chunks.push(Buffer.from(text));
  return { chunks, series };
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

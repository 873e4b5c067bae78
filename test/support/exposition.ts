export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

export interface Parsed {
  readonly families: ReadonlyMap<string, ParsedFamily>;
  readonly samples: readonly ParsedSample[];
  /** The one sample with this name and, among others, these labels. */
  value(name: string, labels?: Record<string, string>): number | undefined;
  sum(name: string, labels?: Record<string, string>): number;
  of(name: string): readonly ParsedSample[];
}

const sampleShape = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/s;
const labelShape = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/gy;
const suffixes: Readonly<Record<string, RegExp>> = {
  counter: /^(_total|_created)?$/,
  gauge: /^$/,
  histogram: /^_(bucket|sum|count|created)$/,
  summary: /^(_sum|_count)?$/,
};

/** A strict reader of both formats: what a lenient scraper would let pass is an error here. */
export function parseExposition(text: string, isOpenMetrics = false): Parsed {
  if (!text.endsWith(isOpenMetrics ? '\n# EOF\n' : '\n')) throw new Error('the end is missing');
  const families = new Map<string, ParsedFamily & { samples: ParsedSample[] }>();
  const seen = new Set<string>();
  const orders = new Set<string>();
  let current: (ParsedFamily & { samples: ParsedSample[] }) | undefined;
  let help: { name: string; text: string } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '# EOF' && isOpenMetrics) continue;
    const unit = /^# UNIT (\S+) (\S+)$/.exec(line);
    if (unit) {
      if (!isOpenMetrics || current?.name !== unit[1] || current?.samples.length !== 0)
        throw new Error(`a unit away from its family: ${line}`);
      if (!unit[1]?.endsWith(`_${unit[2]}`)) throw new Error(`a unit that the name does not end in: ${line}`);
      continue;
    }
    const header = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (header) {
      const [, kind, name = '', rest = ''] = header;
      if (kind === 'HELP') help = { name, text: rest };
      else {
        if (help?.name !== name) throw new Error(`${name} has a TYPE but no HELP`);
        if (families.has(name)) throw new Error(`${name} stands in two places`);
        current = { name, help: help.text, type: rest, samples: [] };
        families.set(name, current);
      }
      continue;
    }
    const sample = parseSample(line);
    const suffix = sample.name.startsWith(current?.name ?? '?')
      ? sample.name.slice(current!.name.length)
      : undefined;
    if (!current || suffix === undefined || !suffixes[current.type]?.test(suffix)) {
      throw new Error(`a sample away from its family: ${line}`);
    }
    // Without its value: the same labels come in the same order.
    const identity = line.slice(0, line.lastIndexOf(' '));
    if (seen.has(identity)) throw new Error(`twice: ${line}`);
    seen.add(identity);
    expectOneOrder(orders, sample);
    current.samples.push(sample);
  }
  return queries(families);
}

/** By the name of a sample and of its labels, in their order and sorted. */
function expectOneOrder(orders: Set<string>, { name, labels }: ParsedSample): void {
  const names = Object.keys(labels);
  const order = `${name} ${names.join()}`;
  if (orders.has(order)) return;
  const sorted = `sorted ${name} ${names.toSorted().join()}`;
  if (orders.has(sorted)) throw new Error(`${name} has its labels in two orders`);
  orders.add(order).add(sorted);
}

const special: Readonly<Record<string, number>> = { '+Inf': Infinity, '-Inf': -Infinity, NaN };

function unescape(value: string): string {
  if (!value.includes('\\')) return value;
  return value.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}

function parseSample(line: string): ParsedSample {
  const match = sampleShape.exec(line);
  if (!match) throw new Error(`not a sample: ${line}`);
  const [, name = '', block = '', number = ''] = match;
  const labels: Record<string, string> = {};
  let consumed = 0;
  for (const [whole, label = '', value = ''] of block.matchAll(labelShape)) {
    if (label in labels) throw new Error(`label ${label} twice: ${line}`);
    labels[label] = unescape(value);
    consumed += whole.length;
  }
  if (consumed !== block.length) throw new Error(`bad labels: ${line}`);
  const value = special[number] ?? Number(number);
  if (Number.isNaN(value) && number !== 'NaN') throw new Error(`bad number: ${line}`);
  return { name, labels, value };
}

function queries(families: ReadonlyMap<string, ParsedFamily>): Parsed {
  const samples = [...families.values()].flatMap((family) => family.samples);
  const byName = new Map<string, ParsedSample[]>();
  for (const sample of samples) {
    const known = byName.get(sample.name);
    if (known) known.push(sample);
    else byName.set(sample.name, [sample]);
  }
  const of = (name: string) => byName.get(name) ?? [];
  const matching = (name: string, labels: Record<string, string>) =>
    of(name).filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  return {
    families,
    samples,
    of,
    sum: (name, labels = {}) => matching(name, labels).reduce((sum, { value }) => sum + value, 0),
    value(name, labels = {}) {
      const found = matching(name, labels);
      if (found.length > 1) throw new Error(`${found.length} samples of ${name}`);
      return found[0]?.value;
    },
  };
}

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly samples: ParsedSample[];
}

export type Parsed = ReturnType<typeof parseExposition>;

const sampleShape = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/s;
const labelShape = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/gy;
const suffixes: Readonly<Record<string, RegExp>> = {
  counter: /^(_total)?$/,
  gauge: /^$/,
  histogram: /^_(bucket|sum|count)$/,
  summary: /^(_sum|_count)?$/,
};

/** A strict reader of both formats: what a lenient scraper would let pass is an error here. */
export function parseExposition(text: string, isOpenMetrics = false) {
  const end = isOpenMetrics ? '\n# EOF\n' : '\n';
  if (!text.endsWith(end)) throw new Error('the end is missing');
  const families = new Map<string, ParsedFamily>();
  const byName = new Map<string, ParsedSample[]>();
  const seen = new Set<string>();
  const orders = new Set<string>();
  let current: ParsedFamily | undefined;
  let described = '';
  for (const line of text.slice(0, -end.length).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE|UNIT) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') described = name;
    else if (kind === 'UNIT') {
      if (!isOpenMetrics || current?.name !== name || current.samples.length > 0)
        throw new Error(`a unit away from its family: ${line}`);
      if (!name.endsWith(`_${rest}`)) throw new Error(`a unit that the name does not end in: ${line}`);
    } else if (kind === 'TYPE') {
      if (described !== name) throw new Error(`${name} has a TYPE but no HELP`);
      if (families.has(name)) throw new Error(`${name} stands in two places`);
      current = { name, type: rest, samples: [] };
      families.set(name, current);
    } else {
      const sample = parseSample(line);
      const isIts = current && sample.name.startsWith(current.name);
      if (!isIts || !suffixes[current!.type]?.test(sample.name.slice(current!.name.length)))
        throw new Error(`a sample away from its family: ${line}`);
      // Without its value: the same labels come in the same order.
      const identity = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(identity)) throw new Error(`twice: ${line}`);
      seen.add(identity);
      expectOneOrder(orders, sample);
      current!.samples.push(sample);
      byName.set(sample.name, byName.get(sample.name) ?? []);
      byName.get(sample.name)!.push(sample);
    }
  }

  const of = (name: string): readonly ParsedSample[] => byName.get(name) ?? [];
  /** Those that have, among others, these labels. */
  const matching = (name: string, labels: Readonly<Record<string, string>>) =>
    of(name).filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  return {
    families: families as ReadonlyMap<string, ParsedFamily>,
    samples: [...families.values()].flatMap((family) => family.samples),
    of,
    sum: (name: string, labels = {}) => matching(name, labels).reduce((sum, { value }) => sum + value, 0),
    /** The only one. */
    value(name: string, labels = {}): number | undefined {
      const found = matching(name, labels);
      if (found.length > 1) throw new Error(`${found.length} samples of ${name}`);
      return found[0]?.value;
    },
  };
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

import type { LabelledSums, Measure } from '../inventory/labelled-sums.ts';
import type { Labels } from '../inventory/label-sets.ts';
import { locationLabels } from '../inventory/location.ts';
import type { Snapshot } from '../inventory/snapshot.ts';

/** All that is said of a metric family: in its header, in the documentation and in the checks. */
export interface FamilyHead {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  /** How many series to expect. */
  readonly series: string;
  /** A query that somebody would really run. */
  readonly example: string;
}

/** By name, in the order in which they are written. */
export type Columns<Family> = Readonly<Record<string, Family>>;

interface Family {
  readonly help: string;
  readonly example: string;
  /** Where they are others than its table says. */
  readonly series?: string;
  readonly type?: 'counter';
  /** What its values are given in. It is written in bytes or seconds. */
  readonly unit?: 'memory' | 'disk' | 'milliseconds';
}

/** A family of a table: how a row counts in it. */
export interface Column<Row = unknown, Source = TableSource> extends Family {
  /** `at` is the position of the row. */
  value(row: Row, at: number, source: Source): number | boolean | undefined;
}

interface TableHead {
  readonly series: string;
  /** With the labels of a location first, and those that the user added. */
  readonly byLocation?: true;
  /** With the labels of single servers last. */
  readonly withInfo?: true;
  /** Beside `cloud`, those of the location and those of single servers. */
  readonly labels?: readonly string[];
}

/** Families with the same labels: their text is put together once for all of them. All begin with the label `cloud`. */
export interface Table<Source extends TableSource, Row = unknown> extends TableHead {
  rows(source: Source): readonly Row[];
  /** Of all labels but `cloud`. */
  labelValues?(row: Row): Labels;
  /** Whether these lists of values last from snapshot to snapshot: so does their text. */
  readonly keepsText?: true;
  readonly columns: Columns<Column<Row, Source>>;
}

export interface TableSource {
  readonly cloud: string;
  readonly extraLabels?: readonly string[];
  readonly infoLabels?: readonly string[];
  readonly bytesPer?: { readonly memory: number; readonly disk: number };
}

/** For the rows that it says. */
export function tableOf<Source extends TableSource, Row>(table: Table<Source, Row>): Table<Source> {
  return table;
}

/** For rows that have lists of all values but `cloud`, which last. */
export const lastingLabels = {
  labelValues: ({ labels }: { readonly labels: Labels }) => labels,
  keepsText: true,
} as const;

/** The names of the labels behind `cloud`, those that the user added included. */
export function labelNames(
  { byLocation, withInfo, labels = [] }: TableHead,
  { extraLabels = [], infoLabels = [] }: Partial<TableSource>,
): readonly string[] {
  const first = byLocation ? [...locationLabels, ...extraLabels] : [];
  return [...first, ...labels, ...(withInfo ? infoLabels : [])];
}

export function familiesOf(table: Table<TableSource>): readonly FamilyHead[] {
  const { series, columns } = table;
  const common = { type: 'gauge', series, labels: ['cloud', ...labelNames(table, {})] } as const;
  return Object.entries(columns).map(([name, column]) => ({ ...common, name, ...column }));
}

/** Of a row in a family; undefined where it has none. */
export function numberOf(column: Column, row: unknown, at: number, source: TableSource): number | undefined {
  const { unit } = column;
  const given = column.value(row, at, source);
  if (given === undefined) return undefined;
  if (unit === undefined) return Number(given);
  return unit === 'milliseconds' ? Number(given) / 1000 : Number(given) * source.bytesPer![unit];
}

/** A family of sums over servers. */
export interface Sum extends Family, Omit<Measure, 'name'> {
  readonly unit?: 'memory' | 'disk';
  readonly leavesOutZero?: true;
}

export function measuresOf(sums: Columns<Sum>): readonly Measure[] {
  return Object.entries(sums).map(([name, { count }]) => ({ name, count }));
}

/** Its rows are lists of labels; a family has the sum of its own name, or of `sum`. */
export function tableOfSums(
  table: TableHead & { readonly columns: Columns<Omit<Sum, 'count'> & { readonly sum?: string }> },
  sumsOf: (snapshot: Snapshot) => LabelledSums | undefined,
): Table<Snapshot> {
  const columns = Object.entries(table.columns).map(([name, { leavesOutZero, sum = name, ...family }]) => {
    const value: Column<Labels, Snapshot>['value'] = (_labels, at, snapshot) => {
      const number = sumsOf(snapshot)!.sums[sum]![at];
      return leavesOutZero && number === 0 ? undefined : number;
    };
    return [name, { ...family, value }] as const;
  });
  return tableOf<Snapshot, Labels>({
    ...table,
    rows: (snapshot) => sumsOf(snapshot)?.labels ?? [],
    labelValues: (labels) => labels,
    keepsText: true,
    columns: Object.fromEntries(columns),
  });
}

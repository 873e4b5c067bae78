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

/** Families with the same labels: their text is put together once for all of them. All begin with the label `cloud`. */
export interface Table<Source extends TableSource, Row = unknown> {
  readonly families: readonly FamilyHead[];
  /** The names of the labels behind `cloud`, those that the user added included. */
  labels(source: TableSource): readonly string[];
  rows(source: Source): readonly Row[];
  labelValues(row: Row): Labels;
  /** Whether these lists of values last from snapshot to snapshot: so does their text. */
  readonly keepsText: boolean;
  /** In the family of that position; undefined where it has none. */
  numberOf(row: Row, at: number, family: number, source: Source): number | undefined;
}

export interface TableSource {
  readonly cloud: string;
  readonly extraLabels?: readonly string[];
  readonly infoLabels?: readonly string[];
  readonly bytesPer?: { readonly memory: number; readonly disk: number };
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
export interface Column<Row, Source = unknown> extends Family {
  /** `at` is the position of the row. */
  readonly value: (row: Row, at: number, source: Source) => number | boolean | undefined;
}

interface TableHead {
  readonly series: string;
  /** With the labels of a location first, and those that the user added. */
  readonly byLocation?: true;
  /** With the labels of single servers last; their values are the last of `labelValues`. */
  readonly withInfo?: true;
  /** Beside `cloud` and those of the location. */
  readonly labels?: readonly string[];
}

const nothing: readonly never[] = [];

/** For rows that have lists of all values but `cloud`, which last. */
export const lastingLabels = {
  labelValues: ({ labels }: { readonly labels: Labels }) => labels,
  keepsText: true,
} as const;

export function tableOf<Source extends TableSource, Row>(
  table: TableHead &
    Pick<Table<Source, Row>, 'rows'> &
    Partial<Pick<Table<Source, Row>, 'labelValues' | 'keepsText'>> & {
      readonly columns: Columns<Column<Row, Source>>;
    },
): Table<Source, Row> {
  const { series, labels = nothing, labelValues = () => nothing, keepsText = false, rows } = table;
  const columns = Object.values(table.columns);
  const labelsFor = ({ extraLabels = nothing, infoLabels = nothing }: Partial<TableSource>) => [
    ...(table.byLocation ? [...locationLabels, ...extraLabels] : nothing),
    ...labels,
    ...(table.withInfo ? infoLabels : nothing),
  ];
  return {
    families: Object.entries(table.columns).map(([name, column]) => ({
      name,
      type: column.type ?? 'gauge',
      labels: ['cloud', ...labelsFor({})],
      help: column.help,
      series: column.series ?? series,
      example: column.example,
    })),
    labels: labelsFor,
    rows,
    labelValues,
    keepsText,
    numberOf(row, at, family, source) {
      const { value, unit } = columns[family]!;
      const given = value(row, at, source);
      if (given === undefined) return undefined;
      if (unit === undefined) return Number(given);
      return unit === 'milliseconds' ? Number(given) / 1000 : Number(given) * source.bytesPer![unit];
    },
  };
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
    rows: (snapshot) => sumsOf(snapshot)?.labels ?? nothing,
    labelValues: (labels) => labels,
    keepsText: true,
    columns: Object.fromEntries(columns),
  });
}

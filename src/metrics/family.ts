import { locationLabels } from '../inventory/location.ts';
import type { Measure } from '../inventory/labelled-sums.ts';

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
  labels(source: Source): readonly string[];
  rows(source: Source): readonly Row[];
  valuesOf(row: Row): readonly string[];
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

/** A family of a table: how a row counts in it. */
export interface Column<Row, Source = unknown> {
  readonly name: string;
  readonly help: string;
  readonly example: string;
  /** Where they are others than its table says. */
  readonly series?: string;
  readonly type?: 'counter';
  /** What its values are given in. It is written in bytes or seconds. */
  readonly unit?: 'memory' | 'disk' | 'milliseconds' | undefined;
  /** `at` is the position of the row. */
  readonly value: (row: Row, at: number, source: Source) => number | boolean | undefined;
}

/** A family of sums over servers. */
export interface Sum extends Omit<Column<never>, 'value' | 'unit'> {
  /** How one server counts. */
  readonly count: Measure['count'];
  readonly unit?: 'memory' | 'disk';
  readonly leavesOutZero?: true;
}

const nothing: readonly never[] = [];

export function tableOf<Source extends TableSource, Row>(table: {
  readonly series: string;
  /** With the labels of a location first, and those that the user added. */
  readonly byLocation?: true;
  /** With the labels of single servers last; their values are the last of `labelValues`. */
  readonly withInfo?: true;
  /** Beside `cloud` and those of the location. */
  readonly labels?: readonly string[];
  readonly rows: (source: Source) => readonly Row[];
  /** Of all labels but `cloud`. */
  readonly labelValues?: (row: Row) => readonly string[];
  readonly keepsText?: true;
  readonly columns: readonly Column<Row, Source>[];
}): Table<Source, Row> {
  const {
    series,
    byLocation,
    withInfo,
    labels = nothing,
    rows,
    labelValues = () => nothing,
    columns,
  } = table;
  const labelsWith = (extra: readonly string[]) =>
    byLocation ? [...locationLabels, ...extra, ...labels] : labels;
  return {
    families: columns.map((column) => ({
      name: column.name,
      type: column.type ?? 'gauge',
      labels: ['cloud', ...labelsWith([])],
      help: column.help,
      series: column.series ?? series,
      example: column.example,
    })),
    labels: ({ extraLabels = [], infoLabels = [] }) => [
      ...labelsWith(extraLabels),
      ...(withInfo ? infoLabels : nothing),
    ],
    rows,
    valuesOf: labelValues,
    keepsText: table.keepsText ?? false,
    numberOf(row, at, family, source) {
      const { value, unit } = columns[family]!;
      const given = value(row, at, source);
      if (given === undefined) return undefined;
      if (unit === undefined) return Number(given);
      return unit === 'milliseconds' ? Number(given) / 1000 : Number(given) * source.bytesPer![unit];
    },
  };
}

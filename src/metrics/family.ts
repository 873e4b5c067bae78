import { placeLabels, type Place } from '../inventory/places.ts';
import type { Measure } from '../inventory/sums.ts';

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
  rows(source: Source): Iterable<Row>;
  /** The values of its first labels, whose text is kept. */
  placeOf(row: Row): Place;
  /** The values of its other labels. */
  valuesOf(row: Row): readonly string[];
  /** In the family of that index; undefined where it has none. */
  numberOf(row: Row, family: number, source: Source): number | undefined;
}

export interface TableSource {
  readonly cloud: string;
  readonly extraLabels?: readonly string[];
  readonly infoLabels?: readonly string[];
  readonly bytesPer?: { readonly memory: number; readonly disk: number };
}

/** A family of a table: how a row counts in it. */
export interface Column<Row> {
  readonly name: string;
  readonly help: string;
  readonly example: string;
  /** Where they are others than its table says. */
  readonly series?: string;
  readonly type?: 'counter';
  /** What its values are given in. It is written in bytes or seconds. */
  readonly unit?: 'memory' | 'disk' | 'milliseconds' | undefined;
  readonly value: (row: Row) => number | boolean | undefined;
}

/** A family of sums over servers. */
export interface Sum extends Omit<Column<never>, 'value' | 'unit'> {
  /** How one server counts. */
  readonly count: Measure;
  readonly unit?: 'memory' | 'disk';
  readonly leavesOutZero?: true;
}

/** For rows that have the sums in the same order. */
export function columnsOf(sums: readonly Sum[]): readonly Column<{ readonly sums: readonly number[] }>[] {
  return sums.map(({ leavesOutZero, ...sum }, index) => ({
    ...sum,
    value: ({ sums: numbers }) => (leavesOutZero && numbers[index] === 0 ? undefined : numbers[index]),
  }));
}

const nothing: readonly never[] = [];

export function tableOf<Source extends TableSource, Row>(table: {
  readonly series: string;
  /** With the labels of a place first, and those that the user added. */
  readonly byPlace?: true;
  /** With the labels of single servers last; their values are the last of `labelValues`. */
  readonly withInfo?: true;
  /** Whose text is kept; then `labelValues` are those behind it. */
  readonly place?: (row: Row) => Place;
  /** Beside `cloud` and those of the place; none if there are no names and values of them. */
  readonly labels?: readonly string[];
  readonly rows: (source: Source) => Iterable<Row>;
  readonly labelValues?: (row: Row) => readonly string[];
  readonly columns: readonly Column<Row>[];
}): Table<Source, Row> {
  const {
    series,
    byPlace,
    withInfo,
    place,
    labels = nothing,
    rows,
    labelValues = () => nothing,
    columns,
  } = table;
  const labelsWith = (extra: readonly string[]) => (byPlace ? [...placeLabels, ...extra, ...labels] : labels);
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
    placeOf: (row) => place?.(row) ?? nothing,
    valuesOf: labelValues,
    numberOf(row, family, { bytesPer }) {
      const { value, unit } = columns[family]!;
      const given = value(row);
      if (given === undefined) return undefined;
      if (unit === undefined) return Number(given);
      return unit === 'milliseconds' ? Number(given) / 1000 : Number(given) * bytesPer![unit];
    },
  };
}

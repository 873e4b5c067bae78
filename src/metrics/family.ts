/** The values of a sample's labels, in the order of its family's labels, and its number. */
export type Sample = readonly [labels: readonly string[], value: number];

/** What is said of a metric family, in its header, in the documentation and in the checks. */
export interface FamilyHead<Source> {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly labels: readonly string[];
  /** Labels that the user added; they follow the family's own. */
  readonly extraLabels?: (source: Source) => readonly string[];
}

/** A metric family as a value. */
export interface Family<Source> extends FamilyHead<Source> {
  readonly samples: (source: Source) => Iterable<Sample>;
}

/** A family of a table: one number for each row that has it. */
export interface Column<Source, Row> extends FamilyHead<Source> {
  readonly value: (row: Row, source: Source) => number | undefined;
}

/**
 * Families with the same labels, whose text is put together once for all of them. A row that is the same object as in
 * the last snapshot of its cloud has the same labels and numbers: its lines are those of the last text. Settings of the
 * cloud may be in them: whoever changes these makes new rows.
 */
export interface FamilyTable<Source, Row> {
  readonly columns: readonly Column<Source, Row>[];
  readonly rows: (source: Source) => Iterable<Row>;
  readonly labelValues: (row: Row, source: Source) => readonly string[];
}

/** The families of a table, each by itself. */
export function familiesOf<Source, Row>({
  columns,
  rows,
  labelValues,
}: FamilyTable<Source, Row>): Family<Source>[] {
  return columns.map((column) => ({
    ...column,
    *samples(source) {
      for (const row of rows(source)) {
        const value = column.value(row, source);
        if (value !== undefined) yield [labelValues(row, source), value];
      }
    },
  }));
}

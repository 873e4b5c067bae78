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

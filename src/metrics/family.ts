/** The values of a sample's labels, in the order of its family's labels, and its number. */
export type Sample = readonly [labels: readonly string[], value: number];

/** A metric family as a value: everything that is exported, documented or checked about it is here. */
export interface Family<Source> {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge';
  readonly labels: readonly string[];
  /** Labels that the user added; they follow the family's own. */
  readonly extraLabels?: (source: Source) => readonly string[];
  readonly samples: (source: Source) => Iterable<Sample>;
}

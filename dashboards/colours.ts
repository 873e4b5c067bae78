/** A colour of Grafana's palette, or a value of its own; both themes show these well. */
export type Colour = string;

/** Where there is no value. It must look like neither good nor bad news. */
export const grey = '#7b8087';

/** One colour for each state, on every board. Worst first, which is also the order of legends. */
export const stateColours = {
  failed: 'red',
  unknown: 'orange',
  task_failed: 'yellow',
  transition: 'purple',
  stopped: 'blue',
  pending_deletion: 'light-blue',
  running: 'green',
} as const satisfies Readonly<Record<string, Colour>>;

export type State = keyof typeof stateColours;
export const states = Object.keys(stateColours) as readonly State[];

/** How soon somebody should look, and the colour that says so. */
export const urgencies = {
  3: { text: 'now', color: 'red' },
  2: { text: 'soon', color: 'orange' },
  1: { text: 'later', color: 'yellow' },
} as const;

export interface ProblemKind {
  readonly kind: string;
  readonly urgency: keyof typeof urgencies;
  /** A shade of the urgency's colour, so that lines of the same urgency can be told apart. */
  readonly colour: Colour;
}

/** Worst first. A kind that is a state too has the colour of that state. */
export const problemKinds: readonly ProblemKind[] = [
  { kind: 'host_down', urgency: 3, colour: 'dark-red' },
  { kind: 'failed', urgency: 3, colour: stateColours.failed },
  { kind: 'expired', urgency: 2, colour: 'dark-orange' },
  { kind: 'unknown', urgency: 2, colour: stateColours.unknown },
  { kind: 'stuck', urgency: 2, colour: 'light-orange' },
  { kind: 'standby_down', urgency: 2, colour: 'super-light-orange' },
  { kind: 'task_failed', urgency: 1, colour: stateColours.task_failed },
  { kind: 'expiring', urgency: 1, colour: 'light-yellow' },
];

export function urgencyColour(kind: string): Colour {
  const { urgency } = problemKinds.find((each) => each.kind === kind)!;
  return urgencies[urgency].color;
}

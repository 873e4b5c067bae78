/** A colour of Grafana's palette, or a value of its own. */
export type Colour = string;

/**
 * Behind words of tiles and cells, whose letters Grafana makes white: dark enough to be read (4.5 : 1) in both themes,
 * of which none of Grafana's own colours is. Lines keep Grafana's colours.
 */
export const red = '#c4162a';
const orange = '#b34700';
const mustard = '#856300';
const blue = '#1f60c4';
export const green = '#2b7a34';
/** Where there is no value. It must look like neither good nor bad news. */
export const grey = '#656b73';

/** Lines of regions, zones, projects and the like by their rank: neither red nor green, which mean failed and running. */
export const lineColours = ['#5794f2', '#b877d9', '#1f9bb0', '#b88a1e', '#d0609a', '#8391a1'] as const;

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
  3: { text: 'now', color: red },
  2: { text: 'soon', color: orange },
  1: { text: 'later', color: mustard },
} as const;

export interface ProblemKind {
  readonly kind: string;
  readonly urgency: keyof typeof urgencies;
  /** A shade of the urgency's colour, so that lines of the same urgency differ. */
  readonly colour: Colour;
  /** As a tile and a cell say it. */
  readonly words: string;
}

/** Worst first. A kind that is a state too has the colour of that state. */
export const problemKinds: readonly ProblemKind[] = [
  { kind: 'host_down', urgency: 3, colour: 'dark-red', words: 'Host down' },
  { kind: 'failed', urgency: 3, colour: stateColours.failed, words: 'Failed' },
  { kind: 'expired', urgency: 2, colour: 'dark-orange', words: 'Expired' },
  { kind: 'unknown', urgency: 2, colour: stateColours.unknown, words: 'Unknown' },
  { kind: 'stuck', urgency: 2, colour: 'light-orange', words: 'Stuck' },
  { kind: 'standby_down', urgency: 2, colour: 'super-light-orange', words: 'Standby down' },
  { kind: 'task_failed', urgency: 1, colour: stateColours.task_failed, words: 'Task failed' },
  { kind: 'expiring', urgency: 1, colour: 'light-yellow', words: 'Expiring' },
];

export function problemOf(kind: string): ProblemKind {
  return problemKinds.find((each) => each.kind === kind)!;
}

/** How Grafana calls what a number is, and with how many decimals it is shown. */
export interface Format {
  readonly unit: string;
  readonly decimals?: number;
}

export const units = {
  count: { unit: 'locale', decimals: 0 },
  bytes: { unit: 'bytes' },
  seconds: { unit: 's' },
  age: { unit: 's', decimals: 0 },
  share: { unit: 'percentunit', decimals: 0 },
  /** On an axis, which without decimals would go in steps of 100 %. */
  'share over time': { unit: 'percentunit' },
  'requests a second': { unit: 'reqps' },
  date: { unit: 'dateTimeAsIso' },
  ago: { unit: 'dateTimeFromNow' },
  none: { unit: 'none' },
} satisfies Readonly<Record<string, Format>>;

export type Unit = keyof typeof units;

/** From which number on a colour is shown. What is below all of them, and what has no value, has the base colour. */
export interface Steps {
  readonly base: Colour;
  readonly from: readonly (readonly [number: number, colour: Colour])[];
}

const minute = 60;
const hour = 3600;
const day = 86_400;
/** Below every number that we show: what ended long ago. */
const lowest = -1e12;

/** No value takes the base colour, so it is never green. */
function steps(...from: Steps['from']): Steps {
  return { base: grey, from };
}

export const plain: Steps = { base: 'text', from: [] };
/** A number that is neither good nor bad. */
export const inTiles: Steps = { base: 'transparent', from: [] };
export const neutral = steps([0, blue]);
export const noneIsGood = steps([0, green], [1, red]);
export const fewAreFine = steps([0, green], [1, orange]);

/** As urgent as the problem is. */
export function noneOf(kind: string): Steps {
  return steps([0, green], [1, urgencies[problemOf(kind).urgency].color]);
}

/** As the alert CloudSnapshotOld has it; a clock that is a little behind is no problem. */
export const ageOfNumbers = steps([-minute, green], [3 * minute, orange], [5 * minute, red]);

/** As the alert CloudSyncOld has it. */
export const ageOfSyncs = steps([lowest, green], [hour, orange], [2 * hour, red]);

/** As the alert CloudTokenNotRenewed has it; the exporter renews five minutes before the end. */
export const tokenLeft = steps([lowest, red], [3 * minute, orange], [5 * minute, green]);

/** As the alert CloudPasswordExpiring has it. */
export const passwordLeft = steps([lowest, red], [2 * day, orange], [14 * day, green]);

/** How much of what may be promised is promised, or written of what there is. */
export const fullness = steps([0, green], [0.8, mustard], [0.9, orange], [1, red]);

/** Something that should be there when somebody asks for it. */
export const noneIsShort = steps([0, orange], [1, blue]);

/** A day until something is full or has doubled is soon; a quarter is far. */
export const timeLeft = steps([0, red], [30 * day, orange], [90 * day, blue]);

/** Words for a number in a cell. */
export type Words = Readonly<Record<string, { readonly text: string; readonly color: string }>>;

export const upOrDown: Words = { '0': { text: 'down', color: red }, '1': { text: 'up', color: green } };
export const enabledOrNot: Words = {
  '0': { text: 'disabled', color: orange },
  '1': { text: 'enabled', color: green },
};
export const yesOrNo: Words = { '0': { text: 'no', color: red }, '1': { text: 'yes', color: green } };
export const severities: Words = {
  '3': { text: 'critical', color: red },
  '2': { text: 'warning', color: orange },
  '1': { text: 'info', color: grey },
};

/** A table is calm: only what is not as it should be stands on a colour. */
export function inCells(colour: Colour): Colour {
  return colour === green || colour === grey || colour === blue || colour === 'text' ? 'transparent' : colour;
}

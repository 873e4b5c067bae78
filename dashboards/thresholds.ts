/** Where a number changes its colour; the first colour is that of everything below the first number. */
export interface Steps {
  readonly first: Colour;
  readonly above: readonly (readonly [from: number, colour: Colour])[];
}

export type Colour = 'green' | 'yellow' | 'orange' | 'red' | 'blue' | 'purple' | 'text';

const minute = 60;
const day = 86_400;

export const plain: Steps = { first: 'text', above: [] };
export const noneIsGood: Steps = { first: 'green', above: [[1, 'red']] };
export const fewAreFine: Steps = { first: 'green', above: [[1, 'yellow']] };

/** As the alert CloudSnapshotOld has it. */
export const ageOfNumbers: Steps = {
  first: 'green',
  above: [
    [3 * minute, 'yellow'],
    [5 * minute, 'red'],
  ],
};

/** As the alert CloudTokenNotRenewed has it; the exporter renews five minutes before the end. */
export const tokenLeft: Steps = {
  first: 'red',
  above: [
    [3 * minute, 'yellow'],
    [5 * minute, 'green'],
  ],
};

/** As the alert CloudPasswordExpiring has it. */
export const passwordLeft: Steps = {
  first: 'red',
  above: [
    [2 * day, 'yellow'],
    [14 * day, 'green'],
  ],
};

export const shareOfFleet: Steps = {
  first: 'green',
  above: [
    [0.25, 'yellow'],
    [0.5, 'orange'],
  ],
};

/** Grafana's dark and light themes both show these well. */
export const stateColours: Readonly<Record<string, Colour>> = {
  running: 'green',
  stopped: 'blue',
  transition: 'yellow',
  failed: 'red',
  unknown: 'purple',
};

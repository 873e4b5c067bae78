import { grey, urgencyColour, type Colour } from './colours.ts';

/** From which number on a colour is shown. What is below all of them, and what has no value, has the base colour. */
export interface Steps {
  readonly base: Colour;
  readonly from: readonly (readonly [number: number, colour: Colour])[];
}

const minute = 60;
const day = 86_400;
/** Below every number that we show: what ended long ago. */
const lowest = -1e12;

/** No value takes the base colour, so it is never green. */
function steps(...from: Steps['from']): Steps {
  return { base: grey, from };
}

export const plain: Steps = { base: 'text', from: [] };
export const neutral = steps([0, 'blue']);
export const noneIsGood = steps([0, 'green'], [1, 'red']);
export const fewAreFine = steps([0, 'green'], [1, 'yellow']);

/** As urgent as the problem is. */
export function noneOf(problem: string): Steps {
  return steps([0, 'green'], [1, urgencyColour(problem)]);
}

/** As the alert CloudSnapshotOld has it; a clock that is a little behind is no problem. */
export const ageOfNumbers = steps([-minute, 'green'], [3 * minute, 'yellow'], [5 * minute, 'red']);

/** As the alert CloudTokenNotRenewed has it; the exporter renews five minutes before the end. */
export const tokenLeft = steps([lowest, 'red'], [3 * minute, 'yellow'], [5 * minute, 'green']);

/** As the alert CloudPasswordExpiring has it. */
export const passwordLeft = steps([lowest, 'red'], [2 * day, 'yellow'], [14 * day, 'green']);

export const shareOfFleet = steps([0, 'green'], [0.25, 'yellow'], [0.5, 'orange']);

/** How much of what may be promised is promised. */
export const fullness = steps([0, 'green'], [0.8, 'yellow'], [0.9, 'orange'], [1, 'red']);

/** What is left once the largest host is gone: below zero its servers find no other place. */
export const spare = steps([lowest, 'red'], [0, 'green']);

/** A day until something is full or has doubled is soon; a quarter is far. */
export const timeLeft = steps([0, 'red'], [30 * day, 'orange'], [90 * day, 'blue']);

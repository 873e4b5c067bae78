import { toldInFull, type Telling } from '../platform/suspicion.ts';
import type { Note } from './counted.ts';
import { always, isWithin, type Validity } from './validity.ts';

/** What there is to say of few servers beside their numbers. */
export interface Aside {
  readonly isHostDown: boolean;
  readonly note: Note | undefined;
  readonly telling: Telling;
  readonly validity: Validity;
}

/** Asides by number. Most servers have none, which is the number 0. */
export interface Asides {
  put(aside: Aside): number;
  drop(number: number): void;
  get(number: number): Aside;
  noteOf(number: number): Note | undefined;
  tellingOf(number: number): Telling;
  isValid(number: number, now: number): boolean;
}

/** A list for each thing that is said: an object for each server takes four times as much. */
export function createAsides(): Asides {
  const free: number[] = [];
  const notes: (Note | undefined)[] = [undefined];
  const tellings: Telling[] = [toldInFull];
  const areHostsDown: boolean[] = [false];
  const froms: number[] = [always.from];
  const untils: number[] = [always.until];

  return {
    noteOf: (number) => notes[number],
    tellingOf: (number) => tellings[number]!,
    isValid: (number, now) => number === 0 || isWithin(froms[number]!, untils[number]!, now),
    put({ isHostDown, note, telling, validity }) {
      if (!isHostDown && !note && telling === toldInFull && validity === always) return 0;
      const number = free.pop() ?? notes.length;
      notes[number] = note;
      tellings[number] = telling;
      areHostsDown[number] = isHostDown;
      froms[number] = validity.from;
      untils[number] = validity.until;
      return number;
    },
    drop(number) {
      if (number === 0) return;
      notes[number] = undefined;
      tellings[number] = toldInFull;
      free.push(number);
    },
    get(number) {
      const from = froms[number]!;
      const until = untils[number]!;
      return {
        isHostDown: areHostsDown[number]!,
        note: notes[number],
        telling: tellings[number]!,
        validity: from === always.from && until === always.until ? always : { from, until },
      };
    },
  };
}

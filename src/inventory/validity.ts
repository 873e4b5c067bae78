import type { Server } from '../platform/server.ts';

/** For how long time alone does not change how a server counts, in milliseconds of Unix time. */
export interface Validity {
  readonly from: number;
  /** From this moment on it does not hold any more. */
  readonly until: number;
}

/** One for all servers that time does not change. */
export const always: Validity = { from: -Infinity, until: Infinity };

/** Calls `turn` with each moment from which on something about a server is otherwise than before. */
export type TellTurns = (server: Server, turn: (moment: number) => void) => void;

/** For how long all that these tell of a server holds. */
export function createValidity(tellers: readonly TellTurns[]): (server: Server, now: number) => Validity {
  let [at, from, until] = [0, always.from, always.until];
  // Once for all servers, of which a large fleet has many.
  const turn = (moment: number) => {
    if (moment <= at) from = Math.max(from, moment);
    else until = Math.min(until, moment);
  };
  return (server, now) => {
    [at, from, until] = [now, always.from, always.until];
    for (const tell of tellers) tell(server, turn);
    return from === always.from && until === always.until ? always : { from, until };
  };
}

/** Clocks are set back, too. */
export function isValid(validity: Validity, now: number): boolean {
  return validity === always || isWithin(validity.from, validity.until, now);
}

export function isWithin(from: number, until: number, now: number): boolean {
  return from <= now && now < until;
}

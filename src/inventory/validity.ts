/** For how long time alone does not change how a server counts, in milliseconds of Unix time. */
export interface Validity {
  readonly from: number;
  /** From this moment on it does not hold any more. */
  readonly until: number;
}

/** One for all servers that time does not change. */
export const always: Validity = { from: -Infinity, until: Infinity };

/** `turns` are the moments from which on something is otherwise than before. */
export function validityAt(now: number, turns: readonly number[]): Validity {
  if (turns.length === 0) return always;
  return {
    from: Math.max(-Infinity, ...turns.filter((turn) => turn <= now)),
    until: Math.min(Infinity, ...turns.filter((turn) => turn > now)),
  };
}

/** Clocks are set back, too. */
export function isValid(validity: Validity, now: number): boolean {
  return validity === always || isWithin(validity.from, validity.until, now);
}

export function isWithin(from: number, until: number, now: number): boolean {
  return from <= now && now < until;
}

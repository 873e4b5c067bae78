export type Weighted<Value> = readonly (readonly [value: Value, weight: number])[];

export interface Random {
  next(): number;
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  weighted<Value>(values: Weighted<Value>): Value;
  hex(digits: number): string;
  uuid(): string;
}

/** mulberry32: the same parts always give the same sequence, so that a fleet is the same wherever it is made. */
export function createRandom(...parts: readonly number[]): Random {
  let state = parts.reduce((mixed, part) => scramble(mixed ^ (part | 0)), 0x9e3779b9);

  function word(): number {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state);
  }

  function next(): number {
    return word() / 4294967296;
  }

  /** Written into bytes first: a string that is built piece by piece keeps all its pieces in memory. */
  function hex(digits: number): string {
    const text = Buffer.allocUnsafe(digits);
    writeHex(text);
    return text.toString('latin1');
  }

  function uuid(): string {
    const text = Buffer.allocUnsafe(36);
    writeHex(text);
    for (const dash of [8, 13, 18, 23]) text[dash] = 0x2d;
    text[14] = 0x34;
    text[19] = 0x61;
    return text.toString('latin1');
  }

  function writeHex(text: Buffer): void {
    for (let position = 0, left = 0; position < text.length; position += 1, left >>>= 4) {
      if (position % 8 === 0) left = word();
      const digit = left & 15;
      text[position] = digit < 10 ? 0x30 + digit : 0x57 + digit;
    }
  }

  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick: (values) => at(values, Math.floor(next() * values.length)),
    weighted(values) {
      let left = next() * values.reduce((sum, [, weight]) => sum + weight, 0);
      const found = values.find(([, weight]) => (left -= weight) < 0);
      return (found ?? at(values, values.length - 1))[0];
    },
    hex,
    uuid,
  };
}

function at<Value>(values: readonly Value[], position: number): Value {
  const value = values[position];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
}

function scramble(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}

export type Weighted<Value> = readonly (readonly [value: Value, weight: number])[];
export type Random = ReturnType<typeof createRandom>;

/** mulberry32: the same parts always give the same sequence, so that a fleet is the same wherever it is made. */
export function createRandom(...parts: readonly number[]) {
  let state = parts.reduce((mixed, part) => scramble(mixed ^ (part | 0)), 0x9e3779b9);

  function word(): number {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state);
  }

  const next = () => word() / 4294967296;

  function pick<Value>(values: readonly Value[]): Value {
    if (values.length === 0) throw new RangeError('nothing to pick from');
    return values[Math.floor(next() * values.length)]!;
  }

  function weighted<Value>(values: Weighted<Value>): Value {
    let left = next() * values.reduce((sum, [, weight]) => sum + weight, 0);
    return (values.find(([, weight]) => (left -= weight) < 0) ?? values.at(-1)!)[0];
  }

  function hex(digits: number): string {
    const words = Array.from({ length: Math.ceil(digits / 8) }, () => word().toString(16).padStart(8, '0'));
    const text = words.map((one) => one.split('').toReversed().join('')).join('');
    return text.slice(0, digits);
  }

  function uuid(): string {
    const digits = hex(36);
    const part = (from: number, to: number) => digits.slice(from, to);
    return `${part(0, 8)}-${part(9, 13)}-4${part(15, 18)}-a${part(20, 23)}-${part(24, 36)}`;
  }

  const below = (limit: number) => Math.floor(next() * limit);
  const chance = (probability: number) => next() < probability;
  return { next, below, chance, pick, weighted, hex, uuid };
}

export function createNamed(seed: number, name: string): Random {
  return createRandom(seed, ...Buffer.from(name));
}

function scramble(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}

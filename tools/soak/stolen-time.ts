import { readFileSync } from 'node:fs';

/** Of Linux, whatever the machine. */
const ticksPerSecond = 100;

/**
 * For how long other guests of the same host had the processors while something here wanted them, in milliseconds since
 * the machine started, of all processors together. Nobody is late by it. Zero where the system doesn't tell.
 */
export function stolenMs(): number {
  try {
    return stolenMsIn(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return 0;
  }
}

/** The eighth number of the first line, which is that of all processors. */
export function stolenMsIn(text: string): number {
  const [name, ...ticks] = text.split('\n', 1)[0]!.split(/ +/);
  return name === 'cpu' ? (Number(ticks[7] ?? 0) * 1000) / ticksPerSecond : 0;
}

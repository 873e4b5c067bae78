import { z } from 'zod';

const millisecondsPer = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationShape = /^(\d+(\.\d+)?(ms|[smhd]))+$/;

function toMilliseconds(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    sum += Number(amount) * millisecondsPer[unit as keyof typeof millisecondsPer];
  }
  return sum;
}

const durationWords = 'must be a duration such as 30s, 5m or 1h30m, or a number of seconds';

/** Written as Prometheus writes them (`90s`, `1h30m`), or as a number of seconds; read as milliseconds. */
export const duration = z
  .union(
    [
      z.string().regex(durationShape, { error: durationWords }),
      z.number().nonnegative({ error: durationWords }),
    ],
    { error: durationWords },
  )
  .transform((value) => (typeof value === 'number' ? value * 1000 : toMilliseconds(value)));

export const bytesPerUnit = {
  B: 1,
  kB: 1000,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
} as const;

const unitNames = Object.keys(bytesPerUnit) as [keyof typeof bytesPerUnit, ...(keyof typeof bytesPerUnit)[]];

/** The size of one step of a number, in bytes. */
export const sizeUnit = z
  .enum(unitNames, { error: `must be one of ${unitNames.join(', ')}` })
  .transform((name) => bytesPerUnit[name]);

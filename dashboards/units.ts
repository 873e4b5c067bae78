/** What a number is; how Grafana calls it, and with how many decimals it is shown. */
export const units = {
  count: { unit: 'locale', decimals: 0 },
  number: { unit: 'short' },
  bytes: { unit: 'bytes' },
  seconds: { unit: 's' },
  age: { unit: 's', decimals: 0 },
  share: { unit: 'percentunit', decimals: 1 },
  'requests a second': { unit: 'reqps' },
  'a second': { unit: 'cps' },
  date: { unit: 'dateTimeAsIso' },
  ago: { unit: 'dateTimeFromNow' },
  none: { unit: 'none' },
} as const satisfies Readonly<Record<string, { unit: string; decimals?: number }>>;

export type Unit = keyof typeof units;

export function decimalsOf(unit: Unit): number | undefined {
  const known: { readonly unit: string; readonly decimals?: number } = units[unit];
  return known.decimals;
}

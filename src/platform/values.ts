import { printable } from '../printable.ts';
import { timestampOf } from '../timestamp.ts';

/** One object of an answer, of which nothing is certain. */
export type Raw = Readonly<Record<string, unknown>>;

/** More than this is not a name that somebody reads, and each scrape would carry it. */
export const longestLabel = 1024;

const nothing: Raw = {};

/**
 * Half a surrogate pair has no UTF-8 form, a control character is not for a page or a terminal, and a text may be too
 * long for a label: replaced and cut here, before servers are counted, so that two names which become one are one series.
 */
export function text(value: unknown): string {
  if (typeof value !== 'string') return '';
  const short = value.length > longestLabel ? `${value.slice(0, longestLabel - 1)}…` : value;
  return printable(short.toWellFormed());
}

export function flag(value: unknown): boolean {
  return value === true || value === 'true';
}

export function object(value: unknown): Raw {
  return typeof value === 'object' && value !== null ? (value as Raw) : nothing;
}

const longestId = 256;

export function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Never cut or repaired: two servers could become one. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestId && value.isWellFormed();
}

/** How many, or how large; integers may come as digits. Undefined for what cannot be added up. */
export function quantityOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return undefined;
  // Beyond this a number is no longer exact, and sums of such would end as infinite.
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** Like a quantity, but with fractions: ratios come as 2.5. */
export function sizeOf(value: unknown): number | undefined {
  return quantityOf(typeof value === 'string' && /^\d+\.\d+$/.test(value) ? Number(value) : value);
}

/** Yes, no, or nothing said. */
export function wordOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

export function momentOf(value: unknown): number | undefined {
  return timestampOf(text(value));
}

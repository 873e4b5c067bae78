// What a record must have to be counted. By hand and not by a schema, which took two fifths of the time for reading a
// record, and records are read by the hundred thousand.

const longestId = 256;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
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

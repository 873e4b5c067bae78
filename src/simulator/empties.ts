/** As the running platform writes its objects: keys sorted, and what is null, '', [] or {} not there at all. */
export function withoutEmpties(value: object): object {
  const cleaned = Object.entries(value).map(
    ([key, inner]: [string, unknown]) => [key, clean(inner)] as const,
  );
  const kept = cleaned.filter(([, inner]) => !isEmpty(inner));
  return Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === 'object' && value !== null ? withoutEmpties(value) : value;
}

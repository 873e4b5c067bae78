const isoMoment = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i;
const zone = /(Z|[+-]\d\d:?\d\d)$/i;

/** A moment as the platform writes it, in milliseconds of Unix time. Without a zone it is UTC, as all of its clocks are. */
export function momentOf(text: string): number | undefined {
  if (text === '' || !isoMoment.test(text)) return undefined;
  const hasTime = text.length > '2026-11-15'.length;
  // With a blank, years below 100 would be taken for recent ones.
  const iso = text.replace(' ', 'T');
  const parsed = Date.parse(hasTime && !zone.test(iso) ? `${iso}Z` : iso);
  return Number.isNaN(parsed) ? undefined : parsed;
}

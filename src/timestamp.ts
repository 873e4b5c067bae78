const isoTimestamp = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i;
const zone = /(Z|[+-]\d\d:?\d\d)$/i;
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * A timestamp as the platform or HTTP writes it, in milliseconds of Unix time. Without a zone it is UTC, as all of the
 * platform's clocks are. What is before 1970 was never set: Go writes that as the year 1.
 */
export function timestampOf(text: string): number | undefined {
  if (!isoTimestamp.test(text)) return httpDate.test(text) ? sinceUnixTime(text) : undefined;
  const hasTime = text.length > '2026-11-15'.length;
  // With a blank, years below 100 would be taken for recent ones.
  const iso = text.replace(' ', 'T');
  return sinceUnixTime(hasTime && !zone.test(iso) ? `${iso}Z` : iso);
}

function sinceUnixTime(text: string): number | undefined {
  const parsed = Date.parse(text);
  return parsed >= 0 ? parsed : undefined;
}

/** The platform's own form: UTC with six fractional digits. */
export function timestamp(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000Z');
}

/** As the platform's database keeps its times: in whole seconds. */
export function stamp(atMs: number): string {
  return timestamp(Math.floor(atMs / 1000) * 1000);
}

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

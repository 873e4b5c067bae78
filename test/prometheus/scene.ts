import type { RunningPrometheus } from '../support/real-programs.ts';

/** Something to scrape, and what a Prometheus that has these jobs, among others, must find there. */
export interface Scene {
  readonly jobs: readonly object[];
  check(prometheus: RunningPrometheus): Promise<void>;
}

/**
 * The moment of a scrape in which this series was 1, in seconds. What came with it can be asked for at that moment, even
 * where a busy machine has missed the next scrape.
 */
export async function momentOf(prometheus: RunningPrometheus, series: string): Promise<number> {
  const [row] = await prometheus.until(
    () => prometheus.query(`timestamp(${series}) and ${series} == 1`),
    (rows) => rows.length > 0,
  );
  return Number(row!.value[1]);
}

/** Host and port, as a scrape configuration wants it. */
export function targetOf({ url }: { readonly url: string }): string {
  return new URL(url).host;
}

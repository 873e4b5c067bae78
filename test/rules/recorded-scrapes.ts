import { parseExposition, type ParsedSample } from '../support/exposition.ts';

/** A series as promtool's rule tests read it. */
export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

export interface RecordedScrapes {
  /** Keeps what one exporter said at a moment, which must be the latest so far. */
  add(moment: number, instance: string, text: string): void;
  /** Everything that was kept, with the gaps and ends that Prometheus would see. */
  series(): InputSeries[];
}

const job = 'cloud-platform-exporter';

/**
 * Turns scrapes of real exporters into the input of a rule test. The time of such a test begins at 0, so
 * times are told from the first scrape on.
 */
export function recordScrapes(firstScrapeMs: number): RecordedScrapes {
  const rows = new Map<string, (number | undefined)[]>();
  let moments = 0;

  function keep(moment: number, name: string, labels: Readonly<Record<string, string>>, value: number): void {
    const text = Object.entries(labels).map(([label, held]) => `${label}=${JSON.stringify(held)}`);
    const key = `${name}{${text.join(', ')}}`;
    const row = rows.get(key) ?? [];
    row[moment] = value;
    rows.set(key, row);
  }

  function valueOf({ name, value }: ParsedSample): number {
    const isTime = name.endsWith('_timestamp_seconds') && value !== 0;
    return isTime ? value - firstScrapeMs / 1000 : value;
  }

  return {
    add(moment, instance, text) {
      moments = moment + 1;
      keep(moment, 'up', { job, instance }, 1);
      const { samples } = parseExposition(text);
      for (const sample of samples.filter(({ name }) => isOfUse(name)))
        keep(moment, sample.name, { ...sample.labels, job, instance }, valueOf(sample));
    },
    series: () =>
      [...rows].map(([series, row]) => ({
        series,
        values: Array.from({ length: moments }, (_, moment) => wordFor(row, moment)).join(' '),
      })),
  };
}

/** No rule looks at the process, at single requests or at how long they took. */
function isOfUse(name: string): boolean {
  return name.startsWith('cloud_') && !name.includes('_duration_') && !name.startsWith('cloud_exporter_api_');
}

function wordFor(row: readonly (number | undefined)[], moment: number): string {
  const value = row[moment];
  if (value !== undefined) return String(value);
  return moment > 0 && row[moment - 1] !== undefined ? 'stale' : '_';
}

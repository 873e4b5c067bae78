/** One number of one series at one moment. */
export interface Sample {
  readonly series: string;
  readonly value: string;
  readonly atMs: number;
}

export interface Target {
  readonly job: string;
  readonly instance: string;
}

/** What a scrape of this text stores; no text is a target that does not answer. */
export function samplesOf(text: string, { job, instance }: Target, atMs: number): Sample[] {
  const target = `job="${job}",instance="${instance}"`;
  const own = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const samples = own.map((line) => {
    const [, name, labels = '', value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
    return { series: `${name}{${labels === '' ? '' : `${labels},`}${target}}`, value: value!, atMs };
  });
  const added = { up: own.length > 0 ? 1 : 0, scrape_duration_seconds: 0.2, scrape_timeout_seconds: 30 };
  return [
    ...samples,
    ...Object.entries({ ...added, scrape_samples_scraped: own.length }).map(([name, value]) => ({
      series: `${name}{${target}}`,
      value: String(value),
      atMs,
    })),
  ];
}

/** The format in which Prometheus' own tool takes history. */
export function openMetricsOf(samples: readonly Sample[]): string {
  const lines = samples.map(({ series, value, atMs }) => `${series} ${value} ${atMs / 1000}\n`);
  return `${lines.join('')}# EOF\n`;
}

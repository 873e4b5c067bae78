/** What VictoriaMetrics knows. */
export interface Store {
  /** The series of an instant query, with their values. */
  query(expression: string): Promise<readonly Found[]>;
  /** The values of a range query, from then until now. */
  range(expression: string, sinceMs: number, stepSeconds: number): Promise<readonly FoundRange[]>;
}

export interface Found {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface FoundRange {
  readonly labels: Readonly<Record<string, string>>;
  readonly values: readonly number[];
}

type Point = readonly [atSeconds: number, value: string];
interface Series {
  readonly metric: Record<string, string>;
  readonly value: Point;
  readonly values: readonly Point[];
}

/** A store that is busy with rules, or hears of many new series, refuses other queries after some minutes. */
const mostAttempts = 5;

/** `lookbackSeconds` is how old a sample may be to count, as for the rules. */
export function openStore(url: string, lookbackSeconds: number): Store {
  async function ask(path: string, parameters: Record<string, string>): Promise<readonly Series[]> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        body: new URLSearchParams(parameters),
      }).catch((error: unknown) => {
        if (attempt === mostAttempts) throw error;
      });
      if (response === undefined) continue;
      const text = await response.text();
      if (response.ok) return (JSON.parse(text) as { data: { result: Series[] } }).data.result;
      const isBusy = response.status === 503 || text.includes('timeout exceeded');
      if (!isBusy || attempt === mostAttempts)
        throw new Error(`the store answered ${response.status}: ${text.slice(0, 500)}`);
    }
  }

  return {
    async query(expression) {
      const series = await ask('/api/v1/query', {
        query: expression,
        step: `${lookbackSeconds}s`,
        nocache: '1',
      });
      return series.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async range(expression, sinceMs, stepSeconds) {
      const series = await ask('/api/v1/query_range', {
        query: expression,
        start: String(sinceMs / 1000),
        end: String(Date.now() / 1000),
        step: `${stepSeconds}s`,
        nocache: '1',
      });
      return series.map(({ metric, values }) => ({
        labels: metric,
        values: values.map(([, value]) => Number(value)),
      }));
    },
  };
}

/** The sum of a program's metrics about itself whose lines match. */
export async function ownMetric(url: string, line: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = text.split('\n').filter((one) => line.test(one));
  return found.reduce((sum, one) => sum + Number(one.slice(one.lastIndexOf(' '))), 0);
}

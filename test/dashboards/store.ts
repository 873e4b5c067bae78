/** A Prometheus, or what speaks like it. */
export interface Store {
  /** How many series the answer has that hold a number; fails with the store's own words. */
  count(query: { expr: string; instant: boolean }): Promise<number>;
  values(selector: string, label: string): Promise<string[]>;
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: readonly { value?: Point; values?: Point[] }[] } | string[];
}
type Point = readonly [at: number, value: string];

const rangeSeconds = 20;

export function openStore(url: string): Store {
  async function ask(path: string, parameters: Record<string, string>): Promise<Answer> {
    const response = await fetch(`${url}${path}?${new URLSearchParams(parameters)}`);
    const answer = (await response.json()) as Answer;
    if (answer.status !== 'success') throw new Error(answer.error ?? `${response.status}`);
    return answer;
  }

  return {
    async count({ expr, instant }) {
      const now = Date.now() / 1000;
      const answer = instant
        ? await ask('/api/v1/query', { query: expr, time: String(now) })
        : await ask('/api/v1/query_range', {
            query: expr,
            start: String(now - rangeSeconds),
            end: String(now),
            step: '2',
          });
      const { result } = answer.data as Exclude<Answer['data'], string[] | undefined>;
      const points = ({ value, values = [] }: (typeof result)[number]) => (value ? [value] : values);
      return result.filter((series) => points(series).some(([, value]) => value !== 'NaN')).length;
    },
    async values(selector, label) {
      const answer = await ask(`/api/v1/label/${label}/values`, { 'match[]': selector });
      return answer.data as string[];
    },
  };
}

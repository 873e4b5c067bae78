import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readRules, type Rule } from '../catalogue.ts';
import { readExpression } from '../promql.ts';
import { lookBackSeconds, openHistory } from './open-history.ts';
import { openMetricsOf, type Sample } from './samples.ts';

/** Paths of Prometheus and of its tool. */
export interface Programs {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Writes history as blocks, first what was scraped and then, round by round, what the rules make of it: all of that. */
export async function storeHistory(
  folder: string,
  samples: readonly Sample[],
  { prometheus, promtool }: Programs,
): Promise<readonly Sample[]> {
  const all = [...samples];
  const write = async (name: string, part: readonly Sample[]) => {
    if (part.length === 0) return;
    const file = join(folder, `${name}.om`);
    await writeFile(file, openMetricsOf(part));
    const command = ['tsdb', 'create-blocks-from', 'openmetrics', file, join(folder, 'prometheus')];
    await promisify(execFile)(promtool, command, { maxBuffer: 2 ** 28 });
  };
  const times = [...new Set(samples.map(({ atMs }) => atMs))].toSorted((one, other) => one - other);
  // The tool reads its input once for each block that it writes: in pieces it has less to read.
  for (const [startMs, endMs] of stretchesOf(times)) {
    await write(
      `scraped-${startMs}`,
      samples.filter(({ atMs }) => atMs >= startMs && atMs <= endMs),
    );
  }
  const recorded = [...readRules('thresholds'), ...readRules('recording')];
  for (const [round, rules] of roundsOf(recorded).entries()) {
    const store = await openHistory(prometheus, folder);
    const made = await evaluate(store.url, rules, times);
    await store.stop();
    await write(`recorded-${round}`, made);
    for (const sample of made) all.push(sample);
  }
  return all;
}

/** A rule that uses what others record comes after them. */
function roundsOf(rules: readonly Rule[]): Rule[][] {
  // Some remember what they recorded before.
  const uses = ({ record, expr }: Rule) =>
    readExpression(expr).selectors.flatMap(({ metric }) => (metric === record ? [] : [metric]));
  const rounds: Rule[][] = [];
  let left = [...rules];
  while (left.length > 0) {
    const missing = new Set(left.map(({ record }) => record));
    const round = left.filter((rule) => !uses(rule).some((metric) => missing.has(metric)));
    if (round.length === 0) throw new Error('recording rules that need each other');
    rounds.push(round);
    left = left.filter((rule) => !round.includes(rule));
  }
  return rounds;
}

async function evaluate(url: string, rules: readonly Rule[], times: readonly number[]): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const { record, expr, labels: added = {} } of rules) {
    for (const [startMs, endMs] of stretchesOf(times)) {
      const range = { start: String(startMs / 1000), end: String(endMs / 1000), step: '60' };
      const response = await fetch(
        `${url}/api/v1/query_range?${new URLSearchParams({ query: expr, ...range })}`,
      );
      const { data, error } = (await response.json()) as Answer;
      if (!data) throw new Error(`${record}: ${error}`);
      for (const { metric, values } of data.result) {
        const { __name__: _, ...own } = metric;
        const labels = Object.entries({ ...own, ...added }).map(
          ([name, value]) => `${name}=${JSON.stringify(value)}`,
        );
        const series = `${record}{${labels.join(',')}}`;
        for (const [seconds, value] of values) samples.push({ series, value, atMs: seconds * 1000 });
      }
    }
  }
  return samples.toSorted((one, other) => one.atMs - other.atMs);
}

interface Answer {
  readonly error?: string;
  readonly data?: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

/** Times without a long pause between them, as first and last. */
function stretchesOf(times: readonly number[]): [number, number][] {
  const stretches: [number, number][] = [];
  for (const time of times) {
    const last = stretches.at(-1);
    if (last && time - last[1] <= lookBackSeconds * 1000) last[1] = time;
    else stretches.push([time, time]);
  }
  return stretches;
}

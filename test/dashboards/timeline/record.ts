import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../support/run.ts';
import { readRules, type Rule } from '../catalogue.ts';
import { readExpression } from '../promql.ts';
import { ask, openHistory } from './open-history.ts';

const stepMs = 60_000;
const longestPauseMs = 10 * stepMs;

/** One number of one series at one moment. */
export interface Sample {
  readonly series: string;
  readonly value: string;
  readonly atMs: number;
}

/** Writes history as blocks, first what was scraped and then, round by round, what the rules make of it: all of that. */
export async function storeHistory(folder: string, samples: readonly Sample[]): Promise<readonly Sample[]> {
  const all = [...samples];
  const write = async (part: readonly Sample[]) => {
    if (part.length === 0) return;
    const file = join(folder, 'samples.om');
    const lines = part.map(({ series, value, atMs }) => `${series} ${value} ${atMs / 1000}\n`);
    await writeFile(file, `${lines.join('')}# EOF\n`);
    const command = ['tsdb', 'create-blocks-from', 'openmetrics', file, join(folder, 'prometheus')];
    await run('promtool', command, { maxBuffer: 2 ** 28 });
  };
  const stretches = stretchesOf([...new Set(samples.map(({ atMs }) => atMs))].toSorted((a, b) => a - b));
  // The tool reads its input once for each block that it writes: in pieces it has less to read.
  for (const [startMs, endMs] of stretches)
    await write(samples.filter(({ atMs }) => atMs >= startMs && atMs <= endMs));
  for (const rules of roundsOf([...readRules('thresholds'), ...readRules('recording')])) {
    const store = await openHistory(folder);
    const made: Sample[] = [];
    for (const rule of rules)
      for (const stretch of stretches) made.push(...(await evaluate(store.url, rule, stretch)));
    await store.stop();
    await write(made.toSorted((one, other) => one.atMs - other.atMs));
    for (const sample of made) all.push(sample);
  }
  const alerts: Sample[] = [];
  const store = await openHistory(folder);
  for (const rule of readRules('alerts'))
    for (const stretch of stretches) alerts.push(...firing(rule, await evaluate(store.url, rule, stretch)));
  await store.stop();
  await write(alerts.toSorted((one, other) => one.atMs - other.atMs));
  return [...all, ...alerts];
}

/** As Prometheus stores alerts: from when on each was true, and that it fires once that is long enough. */
function firing({ alert, for: wait = '0m' }: Rule, samples: readonly Sample[]): Sample[] {
  const stretches = new Map<string, { fromMs: number; toMs: number }>();
  return samples.flatMap(({ series, atMs }) => {
    const name = `{${[`alertname="${alert}"`, ...(/\{(.+)\}$/.exec(series)?.slice(1) ?? [])].join(',')}`;
    const before = stretches.get(name);
    const fromMs = before && atMs - before.toMs <= longestPauseMs ? before.fromMs : atMs;
    stretches.set(name, { fromMs, toMs: atMs });
    if (atMs - fromMs < Number.parseInt(wait) * (wait.endsWith('h') ? 60 : 1) * stepMs) return [];
    return [
      { series: `ALERTS${name},alertstate="firing"}`, value: '1', atMs },
      { series: `ALERTS_FOR_STATE${name}}`, value: String(fromMs / 1000), atMs },
    ];
  });
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

type Stretch = [startMs: number, endMs: number];

interface Answer {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly [seconds: number, value: string][];
}

async function evaluate(url: string, { record, expr, labels: added }: Rule, [startMs, endMs]: Stretch) {
  const range = { start: String(startMs / 1000), end: String(endMs / 1000), step: String(stepMs / 1000) };
  const answer = await ask<Answer>(url, 'query_range', { query: expr, ...range });
  return answer.flatMap(({ metric, values }) => {
    const { __name__: _, ...own } = metric;
    const labels = Object.entries({ ...own, ...added }).map(
      ([name, text]) => `${name}=${JSON.stringify(text)}`,
    );
    const series = `${record}{${labels.join(',')}}`;
    return values.map(([seconds, value]) => ({ series, value, atMs: seconds * 1000 }));
  });
}

/** Times without a long pause between them, as first and last. */
function stretchesOf(times: readonly number[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const time of times) {
    const last = stretches.at(-1);
    if (last && time - last[1] <= longestPauseMs) last[1] = time;
    else stretches.push([time, time]);
  }
  return stretches;
}

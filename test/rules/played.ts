import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathOf } from '../support/real-parts.ts';
import { run } from '../support/run.ts';
import { temporaryFolder } from '../support/simulated.ts';

const files = ['thresholds', 'recording', 'alerts'] as const;
/** In the order in which one needs the other. */
const groups = {
  thresholds: ['thresholds'],
  recording: ['recording', 'capacity', 'hourly'],
  alerts: ['exporter', 'collection', 'fleet', 'room', 'growth'],
};

export interface Play {
  readonly minutes: number;
  readonly step: number;
  readonly series: readonly { readonly series: string; readonly values: string }[];
  readonly without?: (typeof files)[number] | undefined;
}

/** An alert that fired, in minutes from the first scrape on. */
export interface Fired {
  readonly labels: Readonly<Record<string, string>>;
  readonly from: number;
  readonly to: number;
}

/** Lets promtool evaluate our rules over these series, as long as they are, and returns what fired in each play. */
export async function play(plays: readonly Play[]): Promise<Fired[][]> {
  const folder = await temporaryFolder();
  const tests = plays.map((_play, index) => join(folder, `${index}.yml`));
  // JSON is YAML.
  for (const [index, file] of tests.entries()) await writeFile(file, JSON.stringify(testOf(plays[index]!)));
  // promtool tells what it found only where something else was expected; here nothing is.
  const { stderr } = await run(pathOf('promtool'), ['test', 'rules', ...tests], { maxBuffer: 2 ** 28 }).catch(
    (error: { stderr: string }) => error,
  );
  const found = stderr.split('FAILED:').slice(1).map(firedIn);
  if (found.length !== plays.length) throw new Error(`promtool says otherwise: ${stderr}`);
  return found;
}

function testOf({ minutes, step, series, without }: Play) {
  const ask = (bound: 'min' | 'max') => ({
    expr: `${bound}_over_time(timestamp(ALERTS{alertstate="firing"})[${minutes}m:${step}m])`,
    eval_time: `${minutes}m`,
    exp_samples: [],
  });
  const loaded = files.filter((name) => name !== without);
  return {
    rule_files: loaded.map((name) => resolve(`dashboards/rules/${name}.yml`)),
    evaluation_interval: `${step}m`,
    group_eval_order: loaded.flatMap((name) =>
      groups[name].map((group) => `cloud-platform-exporter.${group}`),
    ),
    tests: [{ interval: `${step}m`, input_series: series, promql_expr_test: [ask('min'), ask('max')] }],
  };
}

function firedIn(text: string): Fired[] {
  const [from, to] = [...text.matchAll(/^ +got: (.*)$/gm)].map(([, found = '']) => samplesOf(found));
  if (!from || !to) throw new Error(`promtool says otherwise: ${text}`);
  return [...from].map(([key, { labels, minute }]) => ({ labels, from: minute, to: to.get(key)!.minute }));
}

function samplesOf(text: string) {
  const samples = text.matchAll(/\{((?:\w+="(?:[^"\\]|\\.)*"(?:, )?)+)\} ([\d.E+-]+)/g);
  return new Map(
    [...samples].map(([, inner = '', seconds]) => {
      const pairs = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
        ([, name, value]): [string, string] => [name!, JSON.parse(`"${value}"`) as string],
      );
      const { alertstate: _state, ...labels } = Object.fromEntries(pairs);
      return [inner, { labels, minute: Number(seconds) / 60 }];
    }),
  );
}

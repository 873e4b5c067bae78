import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Rule, RuleFile } from '../dashboards/catalogue.ts';

type Tree = Record<string, unknown>;

async function readYaml<Shape>(path: string): Promise<Shape> {
  return parse(await readFile(path, 'utf8')) as Shape;
}

/** Durations in place of those of an alert; `holding` is left out for who does not know it. */
export interface Haste {
  readonly waiting: (alert: Rule) => string;
  readonly holding: string | undefined;
}

/** Our rules in shorter time, written where the configuration expects them. */
export async function hurryRules(folder: string, { waiting, holding }: Haste): Promise<string[]> {
  await mkdir(join(folder, 'rules'), { recursive: true });
  const hurry = ({ keep_firing_for: held, ...rule }: Rule): Rule => ({
    ...rule,
    ...(rule.alert !== undefined && { for: waiting(rule) }),
    ...(held !== undefined && holding !== undefined && { keep_firing_for: holding }),
  });
  const names = ['thresholds.yml', 'recording.yml', 'alerts.yml'];
  for (const name of names) {
    const { groups } = await readYaml<RuleFile>(`dashboards/rules/${name}`);
    const hurried = groups.map(({ name: group, rules }) => ({ name: group, rules: rules.map(hurry) }));
    await writeFile(join(folder, 'rules', name), stringify({ groups: hurried }));
  }
  return names.map((name) => join(folder, 'rules', name));
}

interface PrometheusConfiguration extends Tree {
  readonly scrape_configs: readonly Tree[];
}

/** Our scrape configuration for this exporter, every other second. */
export async function hurryPrometheus(targets: {
  exporter: string;
  alertmanagers: readonly string[];
}): Promise<PrometheusConfiguration> {
  const config = await readYaml<PrometheusConfiguration>('deploy/prometheus/prometheus.yml');
  const often = { scrape_interval: '2s', scrape_timeout: '2s' };
  return {
    ...config,
    global: { ...often, evaluation_interval: '1s' },
    alerting: { alertmanagers: [{ static_configs: [{ targets: targets.alertmanagers }] }] },
    scrape_configs: config.scrape_configs.map((job) =>
      Object.assign({}, job, often, { static_configs: [{ targets: [targets.exporter] }] }),
    ),
  };
}

/** The part of it that VictoriaMetrics takes, in a file. */
export async function scrapesOnly(
  folder: string,
  { scrape_configs: jobs }: PrometheusConfiguration,
): Promise<string> {
  const notTaken = new Set(['label_limit', 'label_value_length_limit', 'body_size_limit']);
  const taken = jobs.map((job) =>
    Object.fromEntries(Object.entries(job).filter(([name]) => !notTaken.has(name))),
  );
  const file = join(folder, 'scrape.yml');
  await writeFile(file, stringify({ scrape_configs: taken }));
  return file;
}

interface Route extends Tree {
  readonly routes?: readonly Route[];
}

/** Our Alertmanager configuration, which tells this address at once, under the name of each receiver. */
export async function hurryAlertmanager(folder: string, address: string): Promise<string> {
  const config = await readYaml<Tree & { route: Route; receivers: { name: string }[] }>(
    'deploy/alertmanager/alertmanager.yml',
  );
  const hurry = (route: Route): Route => ({
    ...route,
    group_wait: '1s',
    group_interval: '1s',
    repeat_interval: '1h',
    ...(route.routes && { routes: route.routes.map(hurry) }),
  });
  const receivers = config.receivers.map(({ name }) => ({
    name,
    webhook_configs: [{ url: `${address}/${name}`, send_resolved: true }],
  }));
  const file = join(folder, 'alertmanager.yml');
  await writeFile(file, stringify({ ...config, route: hurry(config.route), receivers }));
  return file;
}

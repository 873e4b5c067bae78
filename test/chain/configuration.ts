import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Rule, RuleFile } from '../dashboards/catalogue.ts';

type Tree = Record<string, unknown>;

const readYaml = async <Shape>(path: string) => parse(await readFile(path, 'utf8')) as Shape;

/** Seconds in place of minutes, and more of them only where one alert must come after another. */
function waiting({ alert, labels }: Rule): string {
  // Says how busy the machine is that runs the test.
  if (labels?.['what'] === 'slow') return '1h';
  if (alert === 'CloudDown' && labels!['severity'] === 'critical') return '6s';
  return alert === 'CloudNotObserved' ? '10s' : '1s';
}

/** Our rules in shorter time, written where the configuration expects them. */
export async function hurryRules(folder: string): Promise<void> {
  await mkdir(join(folder, 'rules'), { recursive: true });
  const hurry = ({ keep_firing_for: held, ...rule }: Rule): Rule => ({
    ...rule,
    ...(rule.alert !== undefined && { for: waiting(rule) }),
    ...(held !== undefined && { keep_firing_for: '1m' }),
  });
  for (const name of ['thresholds.yml', 'recording.yml', 'alerts.yml']) {
    const { groups } = await readYaml<RuleFile>(`dashboards/rules/${name}`);
    const hurried = groups.map(({ name: group, rules }) => ({ name: group, rules: rules.map(hurry) }));
    await writeFile(join(folder, 'rules', name), stringify({ groups: hurried }));
  }
}

/** Our scrape configuration for this exporter, every other second, which is called as in Kubernetes. */
export async function hurryPrometheus(targets: Record<'exporter' | 'alertmanager', string>) {
  const config = await readYaml<{ scrape_configs: Tree[] }>('deploy/prometheus/prometheus.yml');
  const labels = { instance: `exporter.monitoring.svc:${targets.exporter.split(':').at(-1)!}` };
  const often = { scrape_interval: '2s', scrape_timeout: '2s' };
  return {
    ...config,
    global: { ...often, evaluation_interval: '1s' },
    alerting: { alertmanagers: [{ static_configs: [{ targets: [targets.alertmanager] }] }] },
    scrape_configs: config.scrape_configs.map((job) =>
      Object.assign({}, job, often, { static_configs: [{ targets: [targets.exporter], labels }] }),
    ),
  };
}

type Route = Tree & { readonly routes?: readonly Route[] };

/** Our Alertmanager configuration, which tells this address at once, under the name of each receiver. */
export async function hurryAlertmanager(folder: string, address: string): Promise<string> {
  type Configuration = Tree & { route: Route; receivers: { name: string }[] };
  const config = await readYaml<Configuration>('deploy/alertmanager/alertmanager.yml');
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

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readRules } from '../dashboards/catalogue.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { startAlertmanager } from './programs.ts';

const run = promisify(execFile);
const file = 'deploy/alertmanager/alertmanager.yml';
const alerts = readRules('alerts');

type Labels = Readonly<Record<string, string>>;
const patience = { timeout: 20_000 };

describeWith(['amtool'], 'amtool', () => {
  it('finds nothing wrong with the configuration', async () => {
    const { stdout } = await run(pathOf('amtool'), ['check-config', file]);
    expect(stdout).toContain('SUCCESS');
  });

  it.each([
    ['critical', 'on-call'],
    ['warning', 'team'],
    ['info', 'digest'],
    ['none-of-ours', 'team'],
  ])('sends what is %s to %s', async (severity, receiver) => {
    const labels = [`severity=${severity}`, 'alertname=Any', 'cloud=north'];
    const flags = ['config', 'routes', 'test', `--config.file=${file}`, `--verify.receivers=${receiver}`];
    const { stdout } = await run(pathOf('amtool'), [...flags, ...labels]);
    expect(stdout.trim()).toBe(receiver);
  });
});

describe('every inhibition', () => {
  interface Inhibition {
    readonly source_matchers: readonly string[];
    readonly target_matchers: readonly string[];
  }
  const { inhibit_rules: rules } = parse(readFileSync(file, 'utf8')) as {
    inhibit_rules: readonly Inhibition[];
  };
  const matchers = rules
    .flatMap(({ source_matchers: sources, target_matchers: targets }) => sources.concat(targets))
    .map((matcher) => /^(\w+)(=|!=|=~)"(.*)"$/.exec(matcher)!.slice(1) as [string, string, string]);
  const known = new Set(alerts.flatMap(({ alert, labels }) => [alert!, ...Object.values(labels!)]));

  it.each(matchers)('names what there is: %s %s %s', (label, _operator, value) => {
    expect(['alertname', 'severity', 'concern']).toContain(label);
    for (const name of value.split('|')) expect(known).toContain(name);
  });
});

/** Two alerts that fire at once, and whether the first silences the second. */
interface Pair {
  readonly because: string;
  readonly source: Labels;
  readonly target: Labels;
  readonly silenced: boolean;
}

/** Each pair has a cloud of its own, so that it can not meet another. */
const pairs: readonly Pair[] = [
  {
    source: { alertname: 'CloudDown' },
    target: { alertname: 'CloudServerFailed' },
    silenced: true,
    because: 'servers of a cloud that is down',
  },
  {
    source: { alertname: 'CloudDown' },
    target: { alertname: 'CloudSnapshotOld' },
    silenced: true,
    because: 'what follows from it',
  },
  {
    source: { alertname: 'CloudDown' },
    target: { alertname: 'CloudLoginRefused' },
    silenced: false,
    because: 'its cause',
  },
  {
    source: { alertname: 'CloudDown' },
    target: { alertname: 'CloudServerFailed', cloud: 'another' },
    silenced: false,
    because: 'servers of another cloud',
  },
  {
    source: { alertname: 'CloudNotObserved' },
    target: { alertname: 'CloudHostDown' },
    silenced: true,
    because: 'hosts of a cloud that nobody watches',
  },
  {
    source: { alertname: 'CloudNotObserved' },
    target: { alertname: 'CloudDown' },
    silenced: true,
    because: 'a cloud that nobody watches',
  },
  {
    source: { alertname: 'CloudExporterDown', job: 'one' },
    target: { alertname: 'CloudNotObserved', job: 'one' },
    silenced: true,
    because: 'clouds of an exporter that is down',
  },
  {
    source: { alertname: 'CloudExporterDown', job: 'two' },
    target: { alertname: 'CloudNotObserved', job: 'three' },
    silenced: false,
    because: 'clouds of another job',
  },
  {
    source: { alertname: 'CloudZoneNotRunning', zone: 'a' },
    target: { alertname: 'CloudHostDown', zone: 'a', host: 'h' },
    silenced: true,
    because: 'hosts of a zone that is down',
  },
  {
    source: { alertname: 'CloudZoneNotRunning', zone: 'a' },
    target: { alertname: 'CloudServerStuck', zone: 'b' },
    silenced: false,
    because: 'servers of another zone',
  },
  {
    source: { alertname: 'CloudHostDown', host: 'h' },
    target: { alertname: 'CloudServerUnknown', host: 'h' },
    silenced: true,
    because: 'servers of a host that is down',
  },
  {
    source: { alertname: 'CloudHostDown', host: 'h' },
    target: { alertname: 'CloudServerExpired', host: 'h' },
    silenced: false,
    because: 'what has nothing to do with it',
  },
  {
    source: { alertname: 'CloudServersFailed' },
    target: { alertname: 'CloudServerFailed' },
    silenced: true,
    because: 'each of many failures',
  },
  {
    source: { alertname: 'CloudServersExpiring', severity: 'critical', project: 'p' },
    target: { alertname: 'CloudServersExpiring', severity: 'warning', project: 'p' },
    silenced: true,
    because: 'the less severe of the same',
  },
  {
    source: { alertname: 'CloudServersExpiring', severity: 'warning', project: 'p' },
    target: { alertname: 'CloudServersExpiring', severity: 'info', project: 'p' },
    silenced: true,
    because: 'the least severe of the same',
  },
  {
    source: { alertname: 'CloudServersExpiring', severity: 'critical', project: 'p' },
    target: { alertname: 'CloudServersExpiring', severity: 'warning', project: 'q' },
    silenced: false,
    because: 'the same of another project',
  },
];

/** With the labels that the rule gives it. */
function fire(wish: Labels, cloud: string): Labels {
  const { labels } = alerts.find(({ alert }) => alert === wish['alertname'])!;
  const own = wish['alertname'] === 'CloudExporterDown' ? {} : { cloud };
  return { ...labels, ...own, ...wish };
}

describeWith(['prometheus-alertmanager'], 'a real Alertmanager with our configuration', () => {
  it('silences what another alert explains, and nothing else', async () => {
    const url = await startAlertmanager(await temporaryFolder(), file);
    const tell = async (labels: readonly Labels[]) => {
      const response = await fetch(`${url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(labels.map((one) => ({ labels: one }))),
      });
      expect(response.status).toBe(200);
    };
    const isSilenced = async (wanted: Labels) => {
      const filter = Object.entries(wanted).map(([name, value]) => ['filter', `${name}="${value}"`]);
      const response = await fetch(`${url}/api/v2/alerts?${new URLSearchParams(filter)}`);
      const [found] = (await response.json()) as { status: { inhibitedBy: string[] } }[];
      return found && found.status.inhibitedBy.length > 0;
    };
    const fired = pairs.map(({ source, target, because, silenced }, index) => ({
      because,
      silenced,
      source: fire(source, `cloud-${index}`),
      target: fire(target, `cloud-${index}`),
    }));
    await tell(fired.flatMap(({ source, target }) => [source, target]));
    const explained = fired.filter(({ silenced }) => silenced);
    const others = fired.filter(({ silenced }) => !silenced);
    for (const { because, target } of explained) {
      await expect.poll(() => isSilenced(target), { ...patience, message: because }).toBe(true);
    }
    for (const { because, target } of others) expect(await isSilenced(target), because).toBe(false);

    await tell([fire({ alertname: 'CloudExporterAbsent' }, '')]);
    for (const { target } of others) await expect.poll(() => isSilenced(target), patience).toBe(true);
  });
});

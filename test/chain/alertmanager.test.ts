import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readRules } from '../dashboards/catalogue.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { startAlertmanager } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/simulated.ts';

const run = promisify(execFile);
const file = 'deploy/alertmanager/alertmanager.yml';
const alerts = readRules('alerts');

type Labels = Readonly<Record<string, string>>;

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

  it.each(rules)(
    'is about our own alerts on both sides',
    ({ source_matchers: sources, target_matchers: targets }) => {
      for (const matchers of [sources, targets])
        expect(matchers.filter((matcher) => matcher.startsWith('concern='))).toHaveLength(1);
    },
  );
});

describe('every route', () => {
  interface Route {
    readonly repeat_interval: string;
    readonly group_by: readonly string[];
    readonly matchers?: readonly string[];
    readonly routes?: readonly Route[];
  }
  const { route } = parse(readFileSync(file, 'utf8')) as { route: Route };
  const routes = [route, ...route.routes!];

  it.each(routes)('repeats before Alertmanager forgets what it told', ({ repeat_interval: interval }) => {
    const [, count, unit] = /^(\d+)([hd])$/.exec(interval)!;
    const hours = Number(count) * (unit === 'd' ? 24 : 1);
    // The default of --data.retention.
    expect(hours).toBeLessThan(120);
  });

  it('that pages does so for each cloud and alert', () => {
    const pages = routes.filter(({ matchers }) => matchers?.includes('severity="critical"'));
    expect(pages.map(({ group_by: labels }) => labels)).toEqual([['cloud', 'alertname']]);
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
    source: { alertname: 'CloudExporterDown', instance: 'one' },
    target: { alertname: 'CloudNotObserved', severity: 'info' },
    silenced: true,
    because: 'clouds of an exporter that is down',
  },
  {
    source: { alertname: 'CloudExporterDown', instance: 'two' },
    target: { alertname: 'CloudNotObserved', severity: 'warning' },
    silenced: false,
    because: 'clouds that are lost for another reason',
  },
  {
    source: { alertname: 'CloudServersRecycled', severity: 'critical' },
    target: { alertname: 'CloudServersVanished', severity: 'critical' },
    silenced: true,
    because: 'servers that are in the recycle bin',
  },
  {
    source: { alertname: 'CloudServersRecycled', severity: 'warning' },
    target: { alertname: 'CloudServersVanished', severity: 'critical' },
    silenced: false,
    because: 'a greater loss than the recycle bin explains',
  },
  {
    source: { alertname: 'CloudZoneNearlyFull', zone: 'a', resource: 'vcpus' },
    target: { alertname: 'CloudZoneFullSoon', zone: 'a', resource: 'vcpus' },
    silenced: true,
    because: 'what is nearly full already',
  },
  {
    source: { alertname: 'CloudZoneNearlyFull', zone: 'a', resource: 'vcpus' },
    target: { alertname: 'CloudZoneFullSoon', zone: 'a', resource: 'memory' },
    silenced: false,
    because: 'another resource of the zone',
  },
  {
    source: { alertname: 'CloudHostDown', severity: 'critical', host: 'h' },
    target: { alertname: 'CloudHostDown', severity: 'warning', host: 'i' },
    silenced: false,
    because: 'another host',
  },
  {
    source: { alertname: 'CloudServersExpiring', severity: 'warning', project: 'p', billing_type: 'prepaid' },
    target: { alertname: 'CloudServersExpiring', severity: 'info', project: 'p', billing_type: 'postpaid' },
    silenced: false,
    because: 'servers that are paid for otherwise',
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
    source: { alertname: 'CloudPasswordExpiring', severity: 'critical' },
    target: { alertname: 'CloudPasswordExpiring', severity: 'warning' },
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
    source: { alertname: 'CloudServersExpiring', severity: 'warning', project: 'p' },
    target: { alertname: 'CloudServersExpiring', severity: 'info', project: 'q' },
    silenced: false,
    because: 'the same of another project',
  },
];

/** Alerts of other teams, in clouds of ours, that know nothing of our labels. */
const foreign: readonly Labels[] = [
  { alertname: 'CloudServerFailed', severity: 'warning', cloud: 'shared' },
  { alertname: 'CloudSnapshotOld', severity: 'warning', cloud: 'shared' },
  { alertname: 'CloudNotObserved', severity: 'info', cloud: 'shared' },
  { alertname: 'KubePodCrashLooping', severity: 'warning', cloud: 'shared', namespace: 'web' },
  { alertname: 'KubePodCrashLooping', severity: 'critical', cloud: 'shared', namespace: 'mail' },
  { alertname: 'DiskFull', severity: 'info' },
  { alertname: 'CloudDown', severity: 'info', cloud: 'shared' },
];

/** The same names as ours, from others: they explain nothing of ours. */
const foreignSources: readonly Labels[] = ['CloudExporterAbsent', 'CloudDown', 'CloudNotObserved'].map(
  (alertname) => ({ alertname, severity: 'critical', cloud: 'theirs' }),
);

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
      await expect.poll(() => isSilenced(target), { message: because }).toBe(true);
    }
    for (const { because, target } of others) expect(await isSilenced(target), because).toBe(false);

    const ours = fire({ alertname: 'CloudServerFailed', name: 'ours' }, 'theirs');
    await tell([...foreignSources, ours]);
    await tell([...foreign, fire({ alertname: 'CloudDown', severity: 'critical' }, 'shared')]);
    expect(await isSilenced(ours), 'by alerts of others').toBe(false);

    await tell([fire({ alertname: 'CloudExporterAbsent' }, '')]);
    for (const { target } of [...others, { target: ours }])
      await expect.poll(() => isSilenced(target)).toBe(true);
    for (const alert of foreign)
      expect(await isSilenced({ ...alert, concern: '' }), alert['alertname']).toBe(false);
  });
});

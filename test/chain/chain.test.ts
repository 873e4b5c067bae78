import { readFile } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { isWell } from '../../src/simulator/fleet/host.ts';
import { describeWith } from '../support/real-parts.ts';
import { startAlertmanager, startPrometheus } from '../support/real-programs.ts';
import { serve } from '../support/served.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { hurryAlertmanager, hurryPrometheus, hurryRules } from './configuration.ts';

/** Nothing about such a server is worth an alert. */
const calm = { status: 'running', backup_host_status: '', expired_at: null, pending_deleted: false };

/** A fleet in which all is well and nothing is full, until the test breaks something. */
function createCalmFleet(servers: number): Fleet {
  const fleet = createFleet({ servers });
  for (const { id } of fleet.hosts) fleet.changeHost(id, { ...isWell, cpu_count: 512, mem_size: 2 ** 22 });
  for (const { id } of fleet.servers) fleet.change(id, calm);
  return fleet;
}

type Labels = Readonly<Record<string, string>>;

/** What Alertmanager tells a webhook, as far as it is looked at. */
interface Notification {
  readonly receiver: string;
  readonly groupLabels: Labels;
  readonly alerts: readonly { status: 'firing' | 'resolved'; labels: Labels; annotations: Labels }[];
}

/** Somebody who is notified; `told` is everything that was told, in order. */
async function startReceiver() {
  const told: Notification[] = [];
  const { origin } = await serve((request, response) => {
    void json(request).then((body) => {
      response.end();
      told.push(body as Notification);
    });
  });
  /** The first notification of this kind, told already or told next. */
  async function hears(isWanted: (notification: Notification) => boolean): Promise<Notification> {
    await expect.poll(() => told.some(isWanted)).toBe(true);
    return told.find(isWanted)!;
  }
  return { url: origin, told, hears };
}

/** About an alert or a problem of this name. */
const isAbout =
  (name: string, cloud: string | undefined, wanted = 'firing') =>
  ({ alerts }: Notification) =>
    alerts.some(
      ({ labels, status }) =>
        [labels['alertname'], labels['problem']].includes(name) &&
        labels['cloud'] === cloud &&
        status === wanted,
    );

/** Why Alertmanager keeps quiet about an alert or a problem, by the names of what silences it. */
async function silencedBy(alertmanager: string, what: string, cloud: string): Promise<string[]> {
  const response = await fetch(`${alertmanager}/api/v2/alerts`);
  type Alert = { fingerprint: string; labels: Labels; status: { inhibitedBy: string[] } };
  const alerts = (await response.json()) as Alert[];
  const found = alerts.filter(
    ({ labels }) => [labels['alertname'], labels['problem']].includes(what) && labels['cloud'] === cloud,
  );
  const sources = new Set(found.flatMap(({ status }) => status.inhibitedBy));
  return alerts
    .filter(({ fingerprint }) => sources.has(fingerprint))
    .map(({ labels }) => labels['alertname']!);
}

function hang(fleet: Fleet): void {
  const updated_at = new Date(Date.now() - 7_200_000).toISOString();
  fleet.change(fleet.servers[9]!.id, { status: 'deploying', updated_at });
}

describeWith(['prometheus', 'prometheus-alertmanager'], 'the whole chain', () => {
  it('tells the right people of what breaks, once, and keeps quiet about what it cannot judge', async () => {
    const folder = await temporaryFolder();
    const north = await simulate({ fleet: createCalmFleet(80) });
    const south = await simulate({ fleet: createCalmFleet(60) });
    // Some of their subscriptions have long been forgotten.
    const calmly = { list_syncs: false };
    const clouds = { north: settingsFor(north, calmly), south: settingsFor(south, calmly) };
    const exporter = await runExporter(clouds, { runbook: await readFile('dashboards/runbook.md', 'utf8') });
    const people = await startReceiver();
    const alertmanager = await startAlertmanager(folder, await hurryAlertmanager(folder, people.url));
    await hurryRules(folder);
    const targets = { exporter: new URL(exporter.url).host, alertmanager: new URL(alertmanager).host };
    const [one, other] = north.fleet.servers;
    await startPrometheus(await hurryPrometheus(targets), folder);

    for (const { id } of [one!, other!]) north.fleet.setStatus(id, 'start_fail');
    const failed = await people.hears(isAbout('CloudServerProblem', 'north'));
    const groupLabels = { cloud: 'north', alertname: 'CloudServerProblem' };
    expect(failed).toMatchObject({ receiver: 'team', groupLabels });
    const names = failed.alerts.map(({ labels }) => labels['name']!);
    expect(names.toSorted()).toEqual([one!.name, other!.name].toSorted());
    const address = `http://exporter.monitoring.svc:${new URL(exporter.url).port}`;
    expect(failed.alerts[0]!.annotations['runbook_url']).toBe(`${address}/runbook#CloudServerProblem`);
    expect(await exporter.text('/runbook')).toContain('id="CloudServerProblem"');

    hang(north.fleet);
    hang(south.fleet);
    await new Promise<void>((resolve) => {
      let seen = 0;
      north.hooks.beforePage = () => {
        if (++seen === 2) resolve();
      };
    });
    const outage = north.faults.set({ operation: 'list', fault: { kind: 'status', code: 503 } });
    // On a busy machine the first scrape may end before the first collection.
    const warned = await people.hears(
      (notification) =>
        isAbout('CloudDown', 'north')(notification) &&
        notification.alerts.some(({ annotations: { description } }) =>
          description!.includes('because of upstream'),
        ),
    );
    expect(warned).toMatchObject({ receiver: 'team' });
    const paged = await people.hears(
      (notification) => notification.receiver === 'on-call' && isAbout('CloudDown', 'north')(notification),
    );
    expect(paged.groupLabels).toEqual({ cloud: 'north', alertname: 'CloudDown' });
    await expect.poll(() => silencedBy(alertmanager, 'CloudDown', 'north')).toEqual(['CloudDown']);

    await people.hears(isAbout('stuck', 'south'));
    await expect.poll(() => silencedBy(alertmanager, 'stuck', 'north')).toContain('CloudDown');
    expect(people.told.filter(isAbout('stuck', 'north'))).toEqual([]);
    expect(people.told.filter(isAbout('failed', 'north', 'resolved'))).toEqual([]);

    outage.clear();
    await people.hears(isAbout('CloudDown', 'north', 'resolved'));
    await people.hears(isAbout('stuck', 'north'));

    await exporter.stop();
    const blind = await people.hears(isAbout('CloudExporterDown', undefined));
    expect(blind).toMatchObject({ receiver: 'on-call' });
    await expect.poll(() => silencedBy(alertmanager, 'stuck', 'south')).toEqual(['CloudNotObserved']);
    await expect
      .poll(() => silencedBy(alertmanager, 'CloudNotObserved', 'south'))
      .toEqual(['CloudExporterDown']);
    expect(people.told.filter(isAbout('stuck', 'south', 'resolved'))).toEqual([]);
    expect(people.told.filter(isAbout('failed', 'north'))).not.toEqual([]);
    await people.hears(isAbout('CloudWatchdog', undefined));
    const alerts = people.told.flatMap((notification) => notification.alerts);
    expect(new Set(alerts.map(({ labels }) => labels['alertname']))).toEqual(
      new Set(['CloudDown', 'CloudExporterDown', 'CloudServerProblem', 'CloudWatchdog']),
    );
  });
});

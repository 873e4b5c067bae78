import { expect, it } from 'vitest';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { Rule } from '../dashboards/catalogue.ts';
import { describeWith } from '../support/real-parts.ts';
import { startAlertmanager, startPrometheus } from '../support/real-programs.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { createCalmFleet } from './calm-fleet.ts';
import { hurryAlertmanager, hurryPrometheus, hurryRules } from './configuration.ts';
import { startReceiver, type Notification } from './receiver.ts';

/** Seconds in place of minutes, and as long only where one alert must come after another. */
function waiting({ alert, labels }: Rule): string {
  if (alert === 'CloudDown') return labels!['severity'] === 'critical' ? '6s' : '1s';
  if (alert === 'CloudServerProblem') return '20s';
  // Tells how busy the machine is that runs the test.
  if (labels?.['what'] === 'slow') return '1h';
  if (alert === 'CloudExporterDown') return '6s';
  if (alert === 'CloudNotObserved') return '10s';
  return '1s';
}

const isAbout =
  (alertname: string, cloud: string | undefined, status = 'firing') =>
  ({ alerts }: Notification) =>
    alerts.some(
      ({ labels, status: is }) =>
        labels['alertname'] === alertname && labels['cloud'] === cloud && is === status,
    );

const isAboutProblem =
  (problem: string, cloud: string, status = 'firing') =>
  ({ alerts }: Notification) =>
    alerts.some(
      ({ labels, status: is }) => labels['problem'] === problem && labels['cloud'] === cloud && is === status,
    );

function namesOf({ alerts }: Notification): string[] {
  return alerts.map(({ labels }) => labels['name']!).toSorted();
}

/** Why Alertmanager keeps quiet about an alert or a problem, by the names of what silences it. */
async function silencedBy(alertmanager: string, what: string, cloud: string): Promise<string[]> {
  const response = await fetch(`${alertmanager}/api/v2/alerts`);
  const alerts = (await response.json()) as {
    fingerprint: string;
    labels: Record<string, string>;
    status: { inhibitedBy: string[] };
  }[];
  const found = alerts.filter(
    ({ labels }) => [labels['alertname'], labels['problem']].includes(what) && labels['cloud'] === cloud,
  );
  const sources = new Set(found.flatMap(({ status }) => status.inhibitedBy));
  return alerts
    .filter(({ fingerprint }) => sources.has(fingerprint))
    .map(({ labels }) => labels['alertname']!);
}

const hang = (fleet: Fleet) =>
  fleet.change(fleet.servers[9]!.id, {
    status: 'deploying',
    updated_at: new Date(Date.now() - 7_200_000).toISOString(),
  });

describeWith(['prometheus', 'prometheus-alertmanager'], 'the whole chain', () => {
  it('tells the right people of what breaks, once, and keeps quiet about what it cannot judge', async () => {
    const folder = await temporaryFolder();
    const north = await simulate({ fleet: createCalmFleet(80) });
    const south = await simulate({ fleet: createCalmFleet(60) });
    const exporter = await runExporter({ north: settingsFor(north), south: settingsFor(south) });
    const people = await startReceiver();
    const alertmanager = await startAlertmanager(folder, await hurryAlertmanager(folder, people.url));
    await hurryRules(folder, { waiting, holding: '1m' });
    const targets = { exporter: new URL(exporter.url).host, alertmanagers: [new URL(alertmanager).host] };
    const [one, other] = north.fleet.servers;
    await startPrometheus(await hurryPrometheus(targets), folder);

    for (const { id } of [one!, other!]) north.fleet.setStatus(id, 'start_fail');
    const failed = await people.hears(isAbout('CloudServerProblem', 'north'));
    expect(failed).toMatchObject({
      receiver: 'team',
      groupLabels: { cloud: 'north', alertname: 'CloudServerProblem' },
    });
    expect(namesOf(failed)).toEqual([one!.name, other!.name].toSorted());
    expect(failed.alerts[0]!.annotations['runbook_url']).toBe(`${exporter.url}/runbook#CloudServerProblem`);

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

    await people.hears(isAboutProblem('stuck', 'south'));
    await expect.poll(() => silencedBy(alertmanager, 'stuck', 'north')).toContain('CloudDown');
    expect(people.told.filter(isAboutProblem('stuck', 'north'))).toEqual([]);
    expect(people.told.filter(isAboutProblem('failed', 'north', 'resolved'))).toEqual([]);

    outage.clear();
    await people.hears(isAbout('CloudDown', 'north', 'resolved'));
    await people.hears(isAboutProblem('stuck', 'north'));

    await exporter.stop();
    const blind = await people.hears(isAbout('CloudExporterDown', undefined));
    expect(blind).toMatchObject({ receiver: 'on-call' });
    await expect.poll(() => silencedBy(alertmanager, 'stuck', 'south')).toEqual(['CloudNotObserved']);
    await expect
      .poll(() => silencedBy(alertmanager, 'CloudNotObserved', 'south'))
      .toEqual(['CloudExporterDown']);
    expect(people.told.filter(isAboutProblem('stuck', 'south', 'resolved'))).toEqual([]);
    expect(people.told.filter(isAboutProblem('failed', 'north'))).not.toEqual([]);
    const told = new Set(
      people.told.flatMap(({ alerts }) => alerts.map(({ labels }) => labels['alertname']!)),
    );
    expect([...told].toSorted()).toEqual([
      'CloudDown',
      'CloudExporterDown',
      'CloudServerProblem',
      'CloudWatchdog',
    ]);
  });
});

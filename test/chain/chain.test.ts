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

const isAbout =
  (name: string, wanted = 'firing') =>
  ({ alerts }: Notification) =>
    alerts.some(({ labels, status }) => labels['alertname'] === name && status === wanted);

describeWith(['prometheus', 'prometheus-alertmanager'], 'the whole chain', () => {
  it('tells the right people of what breaks, and when it is over', async () => {
    const folder = await temporaryFolder();
    const north = await simulate({ fleet: createCalmFleet(80) });
    // Some of its subscriptions have long been forgotten.
    const exporter = await runExporter({ north: settingsFor(north, { list_syncs: false }) });
    const people = await startReceiver();
    const alertmanager = await startAlertmanager(folder, await hurryAlertmanager(folder, people.url));
    await hurryRules(folder);
    const targets = { exporter: new URL(exporter.url).host, alertmanager: new URL(alertmanager).host };
    const [one, other] = north.fleet.servers;
    await startPrometheus(await hurryPrometheus(targets), folder);

    for (const { id } of [one!, other!]) north.fleet.setStatus(id, 'start_fail');
    const failed = await people.hears(isAbout('CloudServerProblem'));
    const groupLabels = { cloud: 'north', alertname: 'CloudServerProblem' };
    expect(failed).toMatchObject({ receiver: 'team', groupLabels });
    const names = failed.alerts.map(({ labels }) => labels['name']!);
    expect(names.toSorted()).toEqual([one!.name, other!.name].toSorted());
    const address = `http://exporter.monitoring.svc:${new URL(exporter.url).port}`;
    expect(failed.alerts[0]!.annotations['runbook_url']).toBe(`${address}/runbook#CloudServerProblem`);

    const outage = north.faults.set({ operation: 'list', fault: { kind: 'status', code: 503 } });
    // On a busy machine the first scrape may end before the first collection.
    const warned = await people.hears(
      (notification) =>
        isAbout('CloudDown')(notification) &&
        notification.alerts.some(({ annotations: { description } }) =>
          description!.includes('because of upstream'),
        ),
    );
    expect(warned).toMatchObject({ receiver: 'team' });
    const paged = await people.hears(
      (notification) => notification.receiver === 'on-call' && isAbout('CloudDown')(notification),
    );
    expect(paged.groupLabels).toEqual({ cloud: 'north', alertname: 'CloudDown' });

    outage.clear();
    await people.hears(isAbout('CloudDown', 'resolved'));
    await exporter.stop();
    const blind = await people.hears(isAbout('CloudExporterDown'));
    expect(blind).toMatchObject({ receiver: 'on-call' });
    await people.hears(isAbout('CloudWatchdog'));
    const alerts = people.told.flatMap((notification) => notification.alerts);
    expect(new Set(alerts.map(({ labels }) => labels['alertname']))).toEqual(
      new Set(['CloudDown', 'CloudExporterDown', 'CloudServerProblem', 'CloudWatchdog']),
    );
  });
});

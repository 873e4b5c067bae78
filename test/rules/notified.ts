import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { startAlertmanager } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/simulated.ts';
import type { Fired } from './played.ts';

export const alertmanagerFile = 'deploy/alertmanager/alertmanager.yml';

interface Route {
  readonly receiver: string;
  readonly group_wait?: string;
  readonly routes?: readonly Route[];
}
interface Group {
  readonly receiver: { readonly name: string };
  readonly alerts: readonly { readonly labels: Fired['labels']; readonly fingerprint: string }[];
}

const { route } = parse(readFileSync(alertmanagerFile, 'utf8')) as { route: Route };
const waits = new Map(
  [route, ...route.routes!].map((one) => [one.receiver, minutesOf(one.group_wait ?? route.group_wait!)]),
);

function minutesOf(text: string): number {
  const [, count, unit] = /^(\d+)([smh])$/.exec(text)!;
  return Number(count) * { s: 1 / 60, m: 1, h: 60 }[unit as 's' | 'm' | 'h'];
}

/**
 * A real Alertmanager with our routes and inhibitions is asked, for each moment at which an alert came or went,
 * whom it would notify of what. Only its waiting is added up here instead of waited for.
 */
export async function startDesk() {
  const url = await startAlertmanager(await temporaryFolder(), alertmanagerFile);
  let asked = 0;

  async function post(alerts: readonly object[]): Promise<void> {
    const answer = await fetch(`${url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    });
    expect(answer.status).toBe(200);
  }

  const groupsOf = async (filter: Record<string, string>) =>
    (await (await fetch(`${url}/api/v2/alerts/groups?${new URLSearchParams(filter)}`)).json()) as Group[];

  /** Alertmanager takes alerts in one by one: when the last of them, of a Prometheus of its own, has had its effect, all have. */
  async function takeIn(alerts: readonly object[]): Promise<void> {
    const last = {
      prometheus: 'desk',
      cloud: `desk ${++asked}`,
      concern: 'collection',
      alertname: 'CloudDown',
    };
    await post([...alerts, { labels: { ...last, severity: 'warning' } }]);
    await post([{ labels: { ...last, severity: 'critical' } }]);
    const filter = { filter: `cloud="${last.cloud}"`, inhibited: 'false' };
    await expect.poll(async () => (await groupsOf(filter)).length, { interval: 10 }).toBe(1);
  }

  /** Groups of alerts that nothing mutes, at a moment when these fire and no others. */
  async function unmuted(alerts: readonly Fired[]): Promise<Group[]> {
    await takeIn(alerts.map(({ labels }) => ({ labels })));
    const groups = await groupsOf({ inhibited: 'false' });
    const endsAt = new Date(Date.now() - 1000).toISOString();
    await takeIn(alerts.map(({ labels }) => ({ labels, startsAt: '2020-01-01T00:00:00Z', endsAt })));
    return groups.filter(({ alerts: [one] }) => !one!.labels['cloud']?.startsWith('desk '));
  }

  /** The notifications that arrive, with the minute, the receiver and the alerts that are new in it. */
  return async function notificationsOf(fired: readonly Fired[]) {
    const moments = [...new Set(fired.map(({ from }) => from))].toSorted((a, b) => a - b);
    const told = new Set<string>();
    const notifications: { minute: number; receiver: string; alerts: string[] }[] = [];
    for (const moment of moments) {
      const groups = await unmuted(fired.filter(({ from, to }) => from <= moment && moment <= to));
      for (const { receiver, alerts } of groups) {
        const { name } = receiver;
        const news = alerts.filter(({ fingerprint }) => !told.has(fingerprint));
        for (const { fingerprint } of news) told.add(fingerprint);
        const names = [...new Set(news.map(({ labels }) => labels['alertname']!))].toSorted();
        if (names.length > 0)
          notifications.push({ minute: moment + waits.get(name)!, receiver: name, alerts: names });
      }
    }
    return notifications;
  };
}

import { describe, expect, it } from 'vitest';
import { describeWith } from '../support/real-parts.ts';
import { causes } from './causes.ts';
import { startDesk } from './notified.ts';
import { play } from './played.ts';
import { inputOf } from './series.ts';

describeWith(['promtool', 'prometheus-alertmanager'], 'what happens', () => {
  it('is told to the right people, once, and to nobody else', async () => {
    const plays = causes.map(({ series, minutes = 90, step = 1, without }) => ({
      minutes,
      step,
      without,
      series: inputOf(series, minutes, step),
    }));
    const fired = await play(plays);
    const notificationsOf = await startDesk();
    const seen: unknown[] = [];
    for (const [index, { happens, at = 30, minutes = 90, lasts }] of causes.entries()) {
      const alerts = fired[index]!.filter(({ labels }) => labels['alertname'] !== 'CloudWatchdog');
      const told = await notificationsOf(alerts);
      seen.push({
        happens,
        tells: told.map(({ minute, receiver, alerts: names }) => `${Math.ceil(minute - at)}m ${receiver}: ${names.join(', ')}`),
        ...(lasts && {
          lasts: [...new Set(alerts.filter(({ to }) => to >= minutes).map(({ labels }) => labels['alertname']!))],
        }),
      });
    }
    expect(seen).toEqual(causes.map(({ happens, tells, lasts }) => ({ happens, tells, ...(lasts && { lasts }) })));
  }, 120_000);
});

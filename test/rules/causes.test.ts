import { expect, it } from 'vitest';
import { describeWith } from '../support/real-parts.ts';
import { causes, type Cause } from './causes.ts';
import { startDesk } from './notified.ts';
import { play, type Fired, type Play } from './played.ts';
import { inputOf, told } from './series.ts';

const nameOf = (cause: Cause) => `cloud-${causes.indexOf(cause)}`;

/** Clouds that have nothing to do with each other are read by one exporter: it is the rules that take time. */
function worlds(): { readonly inIt: readonly Cause[]; readonly play: Play }[] {
  const steps = new Set(causes.filter(({ of }) => of).map(({ step }) => step));
  const shared = [...steps].map((step) => {
    const inIt = causes.filter((cause) => cause.of && cause.step === step);
    const minutes = Math.max(...inIt.map((cause) => cause.minutes));
    const series = told('a', Object.assign({}, ...inIt.map((cause) => cause.of!(nameOf(cause)))));
    return { inIt, play: { minutes, step, series: inputOf(series, minutes, step) } };
  });
  const own = causes.flatMap((cause) => {
    const { series, minutes, step, without } = cause;
    return series
      ? [{ inIt: [cause], play: { minutes, step, without, series: inputOf(series, minutes, step) } }]
      : [];
  });
  return [...shared, ...own];
}

describeWith(['promtool', 'prometheus-alertmanager'], 'what happens', () => {
  it('is told to the right people, once, and to nobody else', async () => {
    const all = worlds();
    const fired = await play(all.map((world) => world.play));
    const notificationsOf = await startDesk();
    const found = new Map<Cause, object>();
    for (const [index, { inIt }] of all.entries())
      for (const cause of inIt) {
        const isMeant = ({ labels }: Fired) =>
          labels['alertname'] !== 'CloudWatchdog' && (!cause.of || labels['cloud'] === nameOf(cause));
        found.set(cause, await outcomeOf(cause, fired[index]!.filter(isMeant)));
      }

    async function outcomeOf({ happens, at, minutes, lasts }: Cause, alerts: Fired[]) {
      const tells = (await notificationsOf(alerts.filter(({ from }) => from <= minutes))).map(
        ({ minute, receiver, alerts: names }) =>
          `${Math.ceil(minute - at)}m ${receiver}: ${names.join(', ')}`,
      );
      const still = alerts.filter(({ to }) => to >= minutes).map(({ labels }) => labels['alertname']!);
      return { happens, tells, ...(lasts && { lasts: [...new Set(still)] }) };
    }
    expect(causes.map((cause) => found.get(cause))).toEqual(
      causes.map(({ happens, tells, lasts }) => ({ happens, tells, ...(lasts && { lasts }) })),
    );
  });
});

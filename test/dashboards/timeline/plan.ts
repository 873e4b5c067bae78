import type { Fleet } from '../../../src/simulator/fleet/fleet.ts';
import { troubledZone } from '../troubled-fleet.ts';

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

export type Fleets = Readonly<Record<string, Fleet>>;

/** One scrape, and what is different at that time. */
export interface Step {
  readonly atMs: number;
  /** Clouds that can not be read. */
  readonly down?: readonly string[];
  /** How many exporters answer: one, unless said. */
  readonly exporters?: number;
  /** The second exporter answers from so many steps ago, though its cloud has changed since. */
  readonly lag?: number;
  /** What happens in the fleets before it. */
  readonly live?: (fleets: Fleets) => void;
}

/** So many servers each cloud wins in 90, 30, 7 days and one day. */
export const growth = { 90: 12, 30: 9, 7: 6, 1: 3 } as const;

/** Every minute of some minutes, up to a moment. What happens, happens before the first. */
export function minutesBefore(
  endMs: number,
  minutes: number,
  { live, ...step }: Omit<Step, 'atMs'> = {},
): Step[] {
  return Array.from({ length: minutes }, (_, index) => ({
    ...step,
    ...(index === 0 && live && { live }),
    atMs: endMs - (minutes - 1 - index) * minuteMs,
  }));
}

const grow = (servers: number) => (fleets: Fleets) => {
  for (const fleet of Object.values(fleets)) fleet.create(servers, { status: 'running' });
};

/** A project with one server, which is gone in the end. */
const shortLived = { name: 'short-lived', project: 'leaving', tenant_id: 'leaving', status: 'running' };
const enter = ({ lab }: Fleets) => lab!.create(1, shortLived);
const leave = ({ lab }: Fleets) =>
  lab!.remove(lab!.servers.filter(({ name }) => name === shortLived.name).map(({ id }) => id));

/** Servers stop, start, fail and come; in the next minutes a lagging exporter knows nothing of it. */
function shuffle(fleets: Fleets): void {
  for (const fleet of Object.values(fleets)) {
    const running = fleet.servers.filter(({ status, zone }) => status === 'running' && zone !== troubledZone);
    for (const [index, { id }] of running.slice(0, 10).entries())
      fleet.change(id, { status: index % 2 === 0 ? 'ready' : 'start_fail' });
  }
}

export type Moments = ReturnType<typeof planStates>['moments'];

/** All states that a board can find, one after the other, days apart, so that none sees the other. */
export function planStates(endMs: number) {
  const before = (days: number) => endMs - days * dayMs;
  const moments = {
    /** Before everything: Prometheus has stored nothing. */
    empty: before(120),
    /** Two of three clouds are read; the third has been down for longer than max_stale. */
    cloudDown: before(60),
    exporterGone: before(50),
    /** Two exporters, of which one serves what was three minutes ago; the fleets have changed since. */
    pair: before(35),
    /** Three clouds are read, with 90 days of history. */
    healthy: endMs,
  };
  const { cloudDown, exporterGone, pair } = moments;
  const growAndLeave = (fleets: Fleets) => {
    grow(growth[1])(fleets);
    leave(fleets);
  };
  const steps: readonly Step[] = [
    ...minutesBefore(before(90), 2, { live: enter }),
    ...minutesBefore(cloudDown - 20 * minuteMs, 5),
    ...minutesBefore(cloudDown, 20, { down: ['lab'] }),
    ...minutesBefore(exporterGone - 20 * minuteMs, 5),
    ...minutesBefore(exporterGone, 20, { exporters: 0 }),
    ...minutesBefore(pair - 2 * minuteMs, 6, { exporters: 2, lag: 3 }),
    ...minutesBefore(pair, 2, { exporters: 2, lag: 3, live: shuffle }),
    ...minutesBefore(before(30), 2, { live: grow(growth[90] - growth[30]) }),
    ...minutesBefore(before(7), 2, { live: grow(growth[30] - growth[7]) }),
    ...minutesBefore(before(1), 2, { live: grow(growth[7] - growth[1]) }),
    ...minutesBefore(endMs, 15, { live: growAndLeave }),
  ];
  return { moments, steps };
}

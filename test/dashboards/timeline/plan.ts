import type { Fleet } from '../../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../../src/simulator/fleet/record.ts';
import { troubledZone } from '../troubled-fleet.ts';

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

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
  readonly live?: (fleets: Readonly<Record<string, Fleet>>) => void;
}

export interface Moments {
  /** Before everything: Prometheus has stored nothing. */
  readonly empty: number;
  /** Two of three clouds are read; the third has been down for longer than max_stale. */
  readonly cloudDown: number;
  readonly exporterGone: number;
  /** A minute before a second exporter came, and a while after; both tell the same. */
  readonly oneExporter: number;
  readonly twoExporters: number;
  /** Two exporters, of which one serves what was three minutes ago; the fleets have changed since. */
  readonly pair: number;
  /** Three clouds are read, with 90 days of history. */
  readonly healthy: number;
}

/** So many servers each cloud wins in 90, 30, 7 days and one day. */
export const growth = { 90: 12, 30: 9, 7: 6, 1: 3 } as const;

/** Every minute of some minutes, up to a moment. */
function minutesBefore(endMs: number, minutes: number, step: Omit<Step, 'atMs'> = {}): Step[] {
  return Array.from({ length: minutes }, (_, index) => ({
    ...step,
    atMs: endMs - (minutes - 1 - index) * minuteMs,
  }));
}

function grow(servers: number): NonNullable<Step['live']> {
  return (fleets) => {
    for (const fleet of Object.values(fleets)) fleet.create(servers, { status: 'running' });
  };
}

/** A project with one server, which is gone in the end. */
const shortLived = { name: 'short-lived', project: 'leaving', tenant_id: 'leaving', status: 'running' };

function enter(fleets: Readonly<Record<string, Fleet>>): void {
  fleets['lab']!.create(1, shortLived);
}

function leave(fleets: Readonly<Record<string, Fleet>>): void {
  const { servers } = fleets['lab']!;
  fleets['lab']!.remove(servers.filter(({ name }) => name === shortLived.name).map(({ id }) => id));
}

/** Servers stop, start, fail and come; in the next minutes a lagging exporter knows nothing of it. */
function shuffle(fleets: Readonly<Record<string, Fleet>>): void {
  for (const fleet of Object.values(fleets)) {
    const running = fleet.servers.filter(({ status, zone }) => status === 'running' && zone !== troubledZone);
    for (const [index, { id }] of running.slice(0, 10).entries())
      fleet.change(id, { status: index % 2 === 0 ? 'ready' : 'start_fail' });
  }
}

function both(one: NonNullable<Step['live']>, other: NonNullable<Step['live']>): Step['live'] {
  return (fleets) => {
    one(fleets);
    other(fleets);
  };
}

function withFirst(steps: Step[], live: Step['live']): Step[] {
  const [first, ...rest] = steps;
  return [{ ...first!, ...(live && { live }) }, ...rest];
}

/** All states that a board can find, one after the other, days apart, so that none sees the other. */
export function planStates(endMs: number): { moments: Moments; steps: readonly Step[] } {
  const moments: Moments = {
    empty: endMs - 120 * dayMs,
    cloudDown: endMs - 60 * dayMs,
    exporterGone: endMs - 50 * dayMs,
    oneExporter: endMs - 40 * dayMs,
    twoExporters: endMs - 40 * dayMs + 10 * minuteMs,
    pair: endMs - 35 * dayMs,
    healthy: endMs,
  };
  const { cloudDown, exporterGone, oneExporter, twoExporters, pair, healthy } = moments;
  const steps = [
    ...withFirst(minutesBefore(healthy - 90 * dayMs, 2), enter),
    ...minutesBefore(cloudDown - 20 * minuteMs, 5),
    ...minutesBefore(cloudDown, 20, { down: ['lab'] }),
    ...minutesBefore(exporterGone - 20 * minuteMs, 5),
    ...minutesBefore(exporterGone, 20, { exporters: 0 }),
    ...minutesBefore(oneExporter, 5),
    ...minutesBefore(twoExporters, 9, { exporters: 2 }),
    ...minutesBefore(pair - 2 * minuteMs, 6, { exporters: 2, lag: 3 }),
    ...withFirst(minutesBefore(pair, 2, { exporters: 2, lag: 3 }), shuffle),
    ...withFirst(minutesBefore(healthy - 30 * dayMs, 2), grow(growth[90] - growth[30])),
    ...withFirst(minutesBefore(healthy - 7 * dayMs, 2), grow(growth[30] - growth[7])),
    ...withFirst(minutesBefore(healthy - dayMs, 2), grow(growth[7] - growth[1])),
    ...withFirst(minutesBefore(healthy, 15), both(grow(growth[1]), leave)),
  ];
  return { moments, steps };
}

/** The same, with three months of growth and a lively last hour, to be drawn. */
export function planPictures(endMs: number): { moments: Moments; steps: readonly Step[] } {
  const { moments, steps } = planStates(endMs);
  const growing: Step[] = Array.from({ length: 30 }, (_, index) => ({
    atMs: endMs - (30 - index) * 3 * dayMs,
    live: ({ lab, paris }) => {
      lab!.create(2, { status: 'running' });
      if (index % 2 === 0) paris!.create(1, { status: 'running' });
    },
  }));
  // What is in trouble in one zone stays so, however lively the others are.
  let troubled: readonly ServerRecord[] | undefined;
  const live = ({ demo }: Readonly<Record<string, Fleet>>, atMs: number) => {
    troubled ??= demo!.servers.filter(({ zone }) => zone === troubledZone);
    demo!.live(atMs);
    for (const server of troubled) if (demo!.find(server.id)) demo!.change(server.id, server);
  };
  const lively = minutesBefore(endMs, 60).map(({ atMs }) => ({
    atMs,
    live: (fleets: Readonly<Record<string, Fleet>>) => live(fleets, atMs),
  }));
  const quiet = steps.filter(({ atMs }) => atMs <= endMs - dayMs);
  const taken = new Set(quiet.map(({ atMs }) => atMs));
  const more = [...growing, ...lively].filter(({ atMs }) => !taken.has(atMs));
  const all = [...quiet, ...more].toSorted((one, other) => one.atMs - other.atMs);
  return { moments, steps: all };
}

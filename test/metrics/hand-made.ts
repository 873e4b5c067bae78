import type { CloudView } from '../../src/inventory/collector.ts';
import { problemKinds } from '../../src/inventory/problems.ts';
import { nothingKnown } from '../../src/inventory/known.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import type { Format } from '../../src/metrics/exposition.ts';
import { fleetTables } from '../../src/metrics/fleet.ts';
import { createMetricsPage } from '../../src/metrics/page.ts';
import type { LabelledSums } from '../../src/inventory/labelled-sums.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';

/** Label values, and by the name of a measure one number for each of these. */
export function labelled(
  sums: Readonly<Record<string, readonly number[]>> = {},
  labels: readonly (readonly string[])[] = [],
): LabelledSums {
  const arrays = Object.entries(sums).map(([name, numbers]) => [name, Float64Array.from(numbers)]);
  return { labels, sums: Object.fromEntries(arrays) as LabelledSums['sums'] };
}

/** By state, with the same numbers for each of these labels. */
export function sumsByState(labels: readonly (readonly string[])[], numbers = [1, 2, 3, 4, 5]): LabelledSums {
  const named = Object.keys(fleetTables[1]!.columns).map((name, index) => [
    name,
    labels.map(() => numbers[index]!),
  ]);
  return labelled(Object.fromEntries(named) as Record<string, number[]>, labels);
}

/** Of the fleet: nothing, but for these. */
export function sumsOf(more: Snapshot['sums']): Snapshot['sums'] {
  return { status: labelled(), state: labelled(), devices: labelled(), expiring: labelled(), ...more };
}

/** A snapshot in which nothing was counted, but for what a test is about. */
export function snapshotOf(more: Partial<Snapshot> = {}): Snapshot {
  return {
    cloud: 'one',
    takenAt: Date.UTC(2026, 0, 1),
    extraLabels: [],
    infoLabels: [],
    bytesPer: { memory: 2 ** 20, disk: 2 ** 20 },
    sums: sumsOf({}),
    mergedSets: 0,
    projects: 0,
    problems: { counts: new Map(problemKinds.map((kind) => [kind, 0])), named: [] },
    hosts: undefined,
    storages: undefined,
    networks: undefined,
    syncs: undefined,
    lists: new Map(),
    detailsAt: undefined,
    seriesLimit: 1_000_000,
    servers: undefined,
    exportsServers: false,
    ...more,
  };
}

export function viewOf(snapshot: Snapshot | undefined, more: Partial<CloudView> = {}): CloudView {
  return {
    cloud: snapshot?.cloud ?? 'one',
    up: snapshot !== undefined,
    durationSeconds: undefined,
    failure: undefined,
    snapshot,
    snapshotAgeMs: 0,
    lastSuccessAt: 0,
    token: undefined,
    incomplete: nothingKnown().incomplete,
    scope: undefined,
    ...more,
  };
}

const readServer = createServerReader([]);

/** A server as it is read from a record with these fields. */
export function serverOf(record: object): Server {
  return readServer({ id: 'x', vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1, ...record }) as Server;
}

export async function textOf(views: readonly CloudView[], format: Format = 'text'): Promise<string> {
  const pieces: Buffer[] = [];
  const page = createMetricsPage({ yieldToEventLoop: () => Promise.resolve() });
  for await (const piece of page.write(views, format)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

import type { CloudView } from '../../src/inventory/collector.ts';
import { problemKinds } from '../../src/inventory/problems.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import type { Format } from '../../src/metrics/exposition.ts';
import { createMetricsPage } from '../../src/metrics/page.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';

/** A snapshot in which nothing was counted, but for what a test is about. */
export function snapshotOf(more: Partial<Snapshot> = {}): Snapshot {
  return {
    cloud: 'one',
    takenAt: Date.UTC(2026, 0, 1),
    extraLabels: [],
    infoLabels: [],
    bytesPer: { memory: 2 ** 20, disk: 2 ** 20 },
    groups: [],
    parts: [[], [], []],
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
    listCounts: { suspectPages: new Map(), drifted: undefined },
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

import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createCounting } from '../../src/inventory/counting.ts';
import { createHostJoin } from '../../src/inventory/host-join.ts';
import { createLedger } from '../../src/inventory/ledger.ts';
import { createListCounter } from '../../src/inventory/list-counts.ts';
import { createSnapshotSink, type Snapshot } from '../../src/inventory/snapshot.ts';
import type { Family } from '../../src/metrics/family.ts';
import { fleetBreakdowns, fleetFamilies, fleetMeasures } from '../../src/metrics/fleet.ts';
import { hostFamilies, hostMeasures } from '../../src/metrics/hosts.ts';
import { createMetricsPage } from '../../src/metrics/page.ts';
import { problemFamilies } from '../../src/metrics/problems.ts';
import { createServerText } from '../../src/metrics/server-text.ts';
import { serverFamilies } from '../../src/metrics/servers.ts';
import { readHost } from '../../src/platform/host.ts';
import { createServerReader } from '../../src/platform/server.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';

/** Families of single servers as families of a snapshot, which has the servers here beside their text. */
const asFamilies = serverFamilies.map(({ values, measure, kind: _kind, ...head }): Family<Snapshot> => ({
  ...head,
  labels: ['cloud', 'id', ...head.labels.filter((name) => name !== 'cloud' && name !== 'id')],
  *samples(snapshot) {
    for (const server of snapshot.servers ?? []) {
      const value = measure(server, snapshot);
      if (value !== undefined) yield [[snapshot.cloud, server.id, ...values(server)], value];
    }
  },
}));
const families: readonly Family<Snapshot>[] = [
  ...fleetFamilies,
  ...problemFamilies,
  ...hostFamilies,
  ...asFamilies,
];

/** Servers of a simulated fleet, some with names that need escapes. */
function takeSnapshot(servers: number): Promise<Snapshot> {
  const now = Date.now();
  const settings = {
    cloud: 'odd "cloud" \\ name\nof two lines',
    extraLabels: ['team'],
    bytesPer: { memory: 2 ** 20, disk: 2 ** 20 },
    problems: { limit: 50, stuckAfterMs: 3_600_000, expiringWithinMs: 7 * 86_400_000 },
    seriesLimit: 1_000_000,
    groupLimit: 1_000_000,
    measures: fleetMeasures,
    breakdowns: fleetBreakdowns,
    hostMeasures,
  };
  const writer = createServerText(settings);
  const ledger = createLedger({ withHosts: true });
  const sink = createSnapshotSink(settings, {
    ledger,
    joinHosts: createHostJoin(),
    keepServers: true,
    writer,
  });
  const counting = createCounting(settings, { keepsServers: true });
  const read = createServerReader(['metadata.user:team']);
  const fleet = createFleet({ servers });
  const found = fleet.servers.map((record) => read(structuredClone(record)));
  const counted = found.flatMap((server) => (typeof server === 'string' ? [] : counting.count(server, now)));
  for (const one of counted) sink.add(one, 0);
  const hosts = fleet.hosts.flatMap((record) => {
    const host = readHost(record);
    return host ? [{ host, region: record.region, zone: record.zone }] : [];
  });
  const listing = { reported: servers, received: servers, rejected: new Map(), pages: 1 };
  sink.keep({ left: [], everyone: () => counted });
  return sink.finish({ takenAt: now, listing, hostList: hosts });
}

async function promClientText(snapshot: Snapshot): Promise<string> {
  const registers = [new Registry()];
  for (const { name, help, labels, extraLabels, samples } of families) {
    const labelNames = [...labels, ...(extraLabels?.(snapshot) ?? [])];
    const gauge = new Gauge({ name, help, labelNames, registers });
    for (const [values, value] of samples(snapshot)) {
      gauge.set(Object.fromEntries(labelNames.map((label, index) => [label, values[index]!])), value);
    }
  }
  return registers[0]!.metrics();
}

async function ownText(snapshot: Snapshot): Promise<string> {
  const { cloud } = snapshot;
  const view = {
    cloud,
    up: true,
    durationSeconds: 1,
    failure: undefined,
    snapshot,
    snapshotAgeMs: 0,
    lastSuccessAt: 0,
    token: undefined,
    listCounts: createListCounter().counts,
  };
  const chunks: Buffer[] = [];
  for await (const chunk of createMetricsPage().write([view], 'text')) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** The lines of these families, sorted: the order is the one thing in which two writers may differ. */
function sortedLines(text: string): string[] {
  const known = new Set(families.map(({ name }) => name));
  const nameOf = (line: string) => /^(?:# (?:HELP|TYPE) )?(\w+)/.exec(line)?.[1] ?? '';
  return text
    .split('\n')
    .filter((line) => known.has(nameOf(line)))
    .toSorted();
}

describe('the exposition', () => {
  it('is, but for its order, what prom-client writes for the same samples', async () => {
    const snapshot = await takeSnapshot(700);
    const lines = sortedLines(await ownText(snapshot));
    expect(lines.length).toBeGreaterThan(700 * serverFamilies.length * 0.9);
    expect(lines).toEqual(sortedLines(await promClientText(snapshot)));
  });
});

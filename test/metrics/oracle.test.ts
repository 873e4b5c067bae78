import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import { fleetTables } from '../../src/metrics/fleet.ts';
import { serverTables } from '../../src/metrics/servers.ts';
import { placeOf } from '../../src/inventory/places.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { snapshotOf, textOf, viewOf } from './hand-made.ts';

// prom-client writes a header for what has no samples too, so these all have some.
const tables = [...fleetTables.slice(0, 2), ...serverTables];

/** Servers of a simulated fleet, each a group of its own. */
function takeSnapshot(count: number): Snapshot {
  const read = createServerReader(['metadata.user:team']);
  const servers = createFleet({ servers: count }).servers.map(
    (record) => read(structuredClone(record)) as Server,
  );
  return snapshotOf({
    cloud: 'odd "cloud" \\ name\nof two lines',
    extraLabels: ['team'],
    statuses: servers.map((server) => ({
      place: placeOf(server, server, server),
      state: server.state,
      status: server.id,
      servers: 1,
    })),
    groups: servers.map((server, index) => ({
      place: [...placeOf(server, server, server).slice(0, -1), server.id],
      state: server.state,
      sums: [index % 3, server.vcpus, server.memory / 3, server.disk, server.disks],
    })),
    servers,
    exportsServers: true,
  });
}

async function promClientText(snapshot: Snapshot): Promise<string> {
  const registers = [new Registry()];
  for (const { families, labels, samples } of tables) {
    const labelNames = ['cloud', ...labels(snapshot)];
    const gauges = families.map(({ name, help }) => new Gauge({ name, help, labelNames, registers }));
    for (const [place, values, numbers] of samples(snapshot)) {
      const all = [snapshot.cloud, ...place, ...values];
      const named = Object.fromEntries(labelNames.map((label, index) => [label, all[index]!]));
      for (const [index, number] of numbers.entries())
        if (number !== undefined) gauges[index]!.set(named, number);
    }
  }
  return registers[0]!.metrics();
}

/** The lines of these families, sorted: the order is the one thing in which two writers may differ. */
function sortedLines(text: string): string[] {
  const known = new Set(tables.flatMap(({ families }) => families.map(({ name }) => name)));
  const nameOf = (line: string) => /^(?:# (?:HELP|TYPE) )?(\w+)/.exec(line)?.[1] ?? '';
  return text
    .split('\n')
    .filter((line) => known.has(nameOf(line)))
    .toSorted();
}

describe('the exposition', () => {
  it('is, but for its order, what prom-client writes for the same samples', async () => {
    const snapshot = takeSnapshot(500);
    const lines = sortedLines(await textOf([viewOf(snapshot)]));
    expect(lines.length).toBeGreaterThan(500 * 13);
    expect(lines).toEqual(sortedLines(await promClientText(snapshot)));
  });
});

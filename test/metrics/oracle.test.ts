import { Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { placeOf } from '../../src/inventory/places.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import { fleetTables } from '../../src/metrics/fleet.ts';
import { serverTables } from '../../src/metrics/servers.ts';
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
  const statuses = servers.map((server) => ({
    place: placeOf(server, server, server),
    values: [server.id, server.state],
    sums: [1],
  }));
  const groups = servers.map((server, index) => ({
    place: [...placeOf(server, server, server).slice(0, -1), server.id],
    values: [server.state],
    sums: [index % 3, server.vcpus, server.memory / 3, server.disk, server.disks],
  }));
  const cloud = 'odd "cloud" \\ name\nof two lines';
  return snapshotOf({
    cloud,
    extraLabels: ['team'],
    groups,
    parts: [statuses],
    servers,
    exportsServers: true,
  });
}

async function promClientText(snapshot: Snapshot): Promise<string> {
  const registers = [new Registry()];
  for (const table of tables) {
    const labelNames = ['cloud', ...table.labels(snapshot)];
    for (const [index, { name, help }] of table.families.entries()) {
      const gauge = new Gauge({ name, help, labelNames, registers });
      for (const row of table.rows(snapshot)) {
        const all = [snapshot.cloud, ...table.placeOf(row), ...table.valuesOf(row)];
        const number = table.numberOf(row, index, snapshot);
        if (number !== undefined)
          gauge.set(Object.fromEntries(labelNames.map((label, at) => [label, all[at]!])), number);
      }
    }
  }
  return registers[0]!.metrics();
}

/** The lines of these families, sorted: the order is the one thing in which two writers may differ. */
function sortedLines(text: string): string[] {
  const known = new Set(tables.flatMap(({ families }) => families.map(({ name }) => name)));
  const nameOf = (line: string) => /^(?:# (?:HELP|TYPE) )?(\w+)/.exec(line)?.[1] ?? '';
  const lines = text.split('\n').filter((line) => known.has(nameOf(line)));
  return lines.toSorted();
}

it('the exposition is, but for its order, what prom-client writes for the same samples', async () => {
  const snapshot = takeSnapshot(500);
  const lines = sortedLines(await textOf([viewOf(snapshot)]));
  expect(lines.length).toBeGreaterThan(500 * 13);
  expect(lines).toEqual(sortedLines(await promClientText(snapshot)));
});

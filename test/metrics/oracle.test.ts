import { Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { locationOf } from '../../src/inventory/location.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import { fleetTables } from '../../src/metrics/fleet.ts';
import { serverTables } from '../../src/metrics/servers.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { labelled, snapshotOf, textOf, viewOf } from './hand-made.ts';

// prom-client writes a header for what has no samples too, so these all have some.
const tables = [...fleetTables.slice(0, 2), ...serverTables];

/** Servers of a simulated fleet, each a group of its own. */
function takeSnapshot(count: number): Snapshot {
  const read = createServerReader(['metadata.user:team']);
  const servers = createFleet({ servers: count }).servers.map(
    (record) => read(structuredClone(record)) as Server,
  );
  const places = servers.map((server) => locationOf(server, server, server));
  const byStatus = labelled(
    { servers: servers.map(() => 1) },
    servers.map(({ id, state }, index) => [...places[index]!, id, state]),
  );
  const byState = labelled(
    {
      cloud_servers_gpu: servers.map((_server, index) => index % 3),
      cloud_servers_vcpus: servers.map(({ vcpus }) => vcpus),
      cloud_servers_memory_bytes: servers.map(({ memory }) => memory / 3),
      cloud_servers_disk_bytes: servers.map(({ disk }) => disk),
      cloud_servers_disks: servers.map(({ disks }) => disks),
    },
    servers.map(({ id, state }, index) => [...places[index]!.slice(0, -1), id, state]),
  );
  const cloud = 'odd "cloud" \\ name\nof two lines';
  return snapshotOf({
    cloud,
    extraLabels: ['team'],
    byStatus,
    byState,
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
      for (const [at, row] of table.rows(snapshot).entries()) {
        const all = [snapshot.cloud, ...table.valuesOf(row)];
        const number = table.numberOf(row, at, index, snapshot);
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

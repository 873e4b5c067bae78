import { expect } from 'vitest';
import type { Truth, TruthRow } from '../simulator/truth.ts';
import type { Parsed, ParsedSample } from './exposition.ts';

export const mebibyte = 1024 ** 2;
export const place = ['region', 'zone', 'hypervisor', 'project_domain', 'project'] as const;

/** What is known of a series; undefined where there is nothing to say. */
export type FactOf<Row> = (row: Row) => number | boolean | undefined;
type Labels = readonly string[];

/** Of each sum the labels of a series, and what a row adds to it. */
export const sums: Readonly<Record<string, readonly [Labels, FactOf<TruthRow>]>> = {
  cloud_servers: [[...place, 'status'], (row) => row.servers],
  // Told only where there are some.
  cloud_servers_gpu: [place, (row) => row.gpuServers || undefined],
  cloud_servers_vcpus: [place, (row) => row.vcpus],
  cloud_servers_memory_bytes: [place, (row) => row.memoryMiB * mebibyte],
  cloud_servers_disk_bytes: [place, (row) => row.diskMiB * mebibyte],
  cloud_servers_disks: [place, (row) => row.disks],
};

/** Every sum of the exposition, series by series, against the simulated cloud's own. */
export function expectTruth(parsed: Parsed, { rows, devices, total }: Truth, cloud: string): void {
  for (const [name, [labels, factOf]] of Object.entries(sums))
    expectSeries(parsed, name, labels, rows, factOf, { cloud });
  const inRecycleBin = ({ pendingDeletion }: TruthRow) => pendingDeletion || undefined;
  expectSeries(parsed, 'cloud_servers', place, rows, inRecycleBin, { cloud, state: 'pending_deletion' });
  const ofDevices = [...place, 'dev_type', 'model'];
  expectSeries(parsed, 'cloud_servers_devices', ofDevices, devices, ({ count }) => count, { cloud });
  expect(parsed.value('cloud_list_received', { cloud, resource: 'servers' })).toBe(total);
  const projects = new Set(rows.map((row) => JSON.stringify([row.project_domain, row.project])));
  expect(parsed.value('cloud_projects_visible', { cloud })).toBe(projects.size);
}

/** Added up by these labels, of which series and rows have all: servers of one status may be of two states. */
export function expectSeries<Row extends object>(
  parsed: Parsed,
  name: string,
  labels: Labels,
  rows: readonly Row[],
  factOf: FactOf<Row>,
  wanted: Readonly<Record<string, string>> = {},
): void {
  const samples = parsed
    .of(name)
    .filter((sample) => Object.entries(wanted).every(([label, value]) => sample.labels[label] === value));
  const [told, known] = [addUpSamples(labels, samples), addUp(labels, rows, factOf)];
  expect(Object.fromEntries(told), name).toEqual(Object.fromEntries(known));
}

/** By the values of these labels. */
export function addUp<Row extends object>(labels: Labels, rows: readonly Row[], factOf: FactOf<Row>) {
  const added = new Map<string, number>();
  for (const row of rows) {
    const fact = factOf(row);
    if (fact === undefined) continue;
    const key = JSON.stringify(labels.map((label) => (row as Record<string, unknown>)[label]));
    added.set(key, (added.get(key) ?? 0) + Number(fact));
  }
  return added;
}

export function addUpSamples(labels: Labels, samples: readonly ParsedSample[]): Map<string, number> {
  const rows = samples.map((sample) => ({ ...sample.labels, told: sample.value }));
  return addUp(labels, rows, ({ told }) => told);
}

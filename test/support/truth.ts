import { expect } from 'vitest';
import type { Truth, TruthRow } from '../simulator/truth.ts';
import type { Parsed } from './exposition.ts';

export const mebibyte = 1024 ** 2;
const place = ['region', 'zone', 'hypervisor', 'project_domain', 'project'] as const;

/** What is known of a series; undefined where there is nothing to say. */
export type FactOf<Row> = (row: Row) => number | boolean | undefined;

const sums: Readonly<Record<string, FactOf<TruthRow>>> = {
  // Told only where there are some.
  cloud_servers_gpu: (row) => row.gpuServers || undefined,
  cloud_servers_vcpus: (row) => row.vcpus,
  cloud_servers_memory_bytes: (row) => row.memoryMiB * mebibyte,
  cloud_servers_disk_bytes: (row) => row.diskMiB * mebibyte,
  cloud_servers_disks: (row) => row.disks,
};

/** Every sum of the exposition, series by series, against the simulated cloud's own. */
export function expectTruth(parsed: Parsed, { rows, devices, total }: Truth, cloud: string): void {
  const expectSums = <Row extends object>(
    name: string,
    its: readonly Row[],
    factOf: FactOf<Row>,
    more: readonly string[] = [],
    state = {},
  ) => expectSeries(parsed, name, [...place, ...more], its, factOf, { cloud, ...state });
  expectSums('cloud_servers', rows, ({ servers }) => servers, ['status']);
  const inRecycleBin = ({ pendingDeletion }: TruthRow) => pendingDeletion || undefined;
  expectSums('cloud_servers', rows, inRecycleBin, [], { state: 'pending_deletion' });
  for (const [name, factOf] of Object.entries(sums)) expectSums(name, rows, factOf);
  expectSums('cloud_servers_devices', devices, ({ count }) => count, ['dev_type', 'model']);
  expect(parsed.value('cloud_list_received', { cloud, resource: 'servers' })).toBe(total);
  const projects = new Set(rows.map((row) => JSON.stringify([row.project_domain, row.project])));
  expect(parsed.value('cloud_projects_visible', { cloud })).toBe(projects.size);
}

/** Added up by these labels, of which series and rows have all: servers of one status may be of two states. */
export function expectSeries<Row extends object>(
  parsed: Parsed,
  name: string,
  labels: readonly string[],
  rows: readonly Row[],
  factOf: FactOf<Row>,
  wanted: Readonly<Record<string, string>> = {},
): void {
  const keyOf = (row: object) =>
    JSON.stringify(labels.map((label) => (row as Record<string, unknown>)[label]));
  const samples = parsed
    .of(name)
    .filter((sample) => Object.entries(wanted).every(([label, value]) => sample.labels[label] === value));
  const told = samples.map((sample) => [keyOf(sample.labels), sample.value] as const);
  const known = rows.flatMap((row) => {
    const fact = factOf(row);
    return fact === undefined ? [] : [[keyOf(row), Number(fact)] as const];
  });
  expect(added(told), name).toEqual(added(known));
}

function added(pairs: readonly (readonly [string, number])[]): [string, number][] {
  const sumByKey = new Map<string, number>();
  for (const [key, value] of pairs) sumByKey.set(key, (sumByKey.get(key) ?? 0) + value);
  return [...sumByKey].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

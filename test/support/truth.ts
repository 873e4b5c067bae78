import { expect } from 'vitest';
import type { Truth } from '../simulator/truth.ts';
import type { Parsed } from './exposition.ts';

const mebibyte = 1024 ** 2;
const place = ['region', 'zone', 'hypervisor', 'project_domain', 'project'] as const;

/** Every sum of the exposition, series by series, against the simulated cloud's own. */
export function expectTruth(parsed: Parsed, truth: Truth, cloud: string): void {
  const byStatus = truth.rows.map((row) => [key(row, ['status']), row.servers] as const);
  expect(exported(parsed, 'cloud_servers', cloud, ['status'])).toEqual(added(byStatus));
  const sums: Record<string, (row: Truth['rows'][number]) => number> = {
    cloud_servers_gpu: (row) => row.gpuServers,
    cloud_servers_vcpus: (row) => row.vcpus,
    cloud_servers_memory_bytes: (row) => row.memoryMiB * mebibyte,
    cloud_servers_disk_bytes: (row) => row.diskMiB * mebibyte,
    cloud_servers_disks: (row) => row.disks,
  };
  for (const [name, measure] of Object.entries(sums)) {
    const expected = added(truth.rows.map((row) => [key(row), measure(row)] as const));
    const isLeftOut = ([, count]: [string, number]) => name === 'cloud_servers_gpu' && count === 0;
    expect(exported(parsed, name, cloud), name).toEqual(expected.filter((one) => !isLeftOut(one)));
  }
  const devices = truth.devices.map((row) => [key(row, ['dev_type', 'model']), row.count] as const);
  expect(exported(parsed, 'cloud_servers_devices', cloud, ['dev_type', 'model'])).toEqual(added(devices));
  const pending = truth.rows.map((row) => [key(row), row.pendingDeletion] as const);
  const inRecycleBin = added(pending).filter(([, count]) => count > 0);
  expect(exported(parsed, 'cloud_servers', cloud, [], { state: 'pending_deletion' })).toEqual(inRecycleBin);
  expect(parsed.value('cloud_list_received', { cloud, resource: 'servers' })).toBe(truth.total);
  const projects = new Set(truth.rows.map((row) => JSON.stringify([row.project_domain, row.project])));
  expect(parsed.value('cloud_projects_visible', { cloud })).toBe(projects.size);
}

function exported(
  parsed: Parsed,
  name: string,
  cloud: string,
  more: readonly string[] = [],
  wanted: Readonly<Record<string, string>> = {},
): [string, number][] {
  const samples = parsed
    .of(name)
    .filter(({ labels }) => labels['cloud'] === cloud)
    .filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value));
  return added(samples.map(({ labels, value }) => [key(labels, more), value] as const));
}

/** By key: servers of one status may be of two states, if some are in the recycle bin. */
function added(pairs: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [name, value] of pairs) sums.set(name, (sums.get(name) ?? 0) + value);
  return sorted([...sums]);
}

function key(labels: object, more: readonly string[] = []): string {
  const values = labels as Readonly<Record<string, string>>;
  return JSON.stringify([...place, ...more].map((name) => values[name]));
}

function sorted(pairs: readonly (readonly [string, number])[]): [string, number][] {
  return pairs
    .map(([name, value]): [string, number] => [name, value])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

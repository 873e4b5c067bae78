import { describe, expect, it } from 'vitest';
import {
  countDevices,
  fleetBreakdowns,
  fleetMeasures,
  fleetTotal,
  groupLimit,
} from '../../src/metrics/fleet.ts';
import { countServerSeries } from '../../src/metrics/servers.ts';
import type { Server } from '../../src/platform/server.ts';
import { serverOf, snapshotOf } from './hand-made.ts';

const place = ['north', 'a', 'kvm', 'Default', 'shop'];
const now = Date.UTC(2026, 0, 1);
const day = 86_400_000;

function partsOf(server: Server): string[][] {
  return fleetBreakdowns.map(({ parts }) => {
    const added: string[] = [];
    parts(server, now, (values, count) => added.push(`${values.join(' ')} ${count}`));
    return added;
  });
}

describe('a server', () => {
  it('counts with its numbers', () => {
    const server = serverOf({ is_gpu: true, vcpu_count: 2, vmem_size: 3, disk: 4, disk_count: 5 });
    expect(fleetMeasures.map((count) => count(server))).toEqual([1, 2, 3, 4, 5]);
    expect(fleetMeasures[0]!(serverOf({}))).toBe(0);
  });

  it('counts with each of its devices', () => {
    const isolated_devices = [{ dev_type: 'GPU-HPC', model: 'A100' }, { dev_type: 'NIC' }];
    expect(partsOf(serverOf({ status: 'ready', isolated_devices }))[0]).toEqual([
      'stopped GPU-HPC A100 1',
      'stopped NIC  1',
    ]);
  });

  it.each<[ends: number | undefined, more: object, windows: string[]]>([
    [now + day, {}, ['1d', '7d', '30d']],
    [now + day + 1, {}, ['7d', '30d']],
    [now + 30 * day, {}, ['30d']],
    [now + 30 * day + 1, {}, []],
    [now, {}, []],
    [undefined, {}, []],
    [now + 1, { auto_renew: true }, []],
    [now + 1, { pending_deleted: true }, []],
  ])('that ends at %i, with %o, is expiring in %o', (ends, more, windows) => {
    const expired_at = ends && new Date(ends).toISOString();
    const server = serverOf({ billing_type: 'prepaid', expired_at, ...more });
    expect(partsOf(server)[1]).toEqual(windows.map((within) => `${within} prepaid 1`));
  });
});

describe('the totals of a snapshot', () => {
  const snapshot = snapshotOf({
    statuses: [
      { place, state: 'running', status: 'running', servers: 3 },
      { place, state: 'failed', status: 'disk_failed', servers: 1 },
    ],
    groups: [
      { place, state: 'running', sums: [0, 6, 2, 3, 3] },
      { place, state: 'failed', sums: [0, 1, 1, 1, 1] },
    ],
    parts: [
      [
        { place, values: ['running', 'GPU-HPC', 'A100'], count: 2 },
        { place, values: ['failed', 'NIC', 'X'], count: 4 },
      ],
      [],
    ],
  });

  it('are sums in the units of their families, over what is wanted', () => {
    expect(fleetTotal(snapshot, 'cloud_servers')).toBe(4);
    expect(fleetTotal(snapshot, 'cloud_servers', ({ state }) => state === 'failed')).toBe(1);
    expect(fleetTotal(snapshot, 'cloud_servers_vcpus')).toBe(7);
    expect(fleetTotal(snapshot, 'cloud_servers_memory_bytes')).toBe(3 * 2 ** 20);
    expect(countDevices(snapshot, (type) => type.startsWith('GPU'))).toBe(2);
  });

  it('say how many series per_server would add', () => {
    const servers = [serverOf({}), serverOf({ expired_at: '2030-01-01T00:00:00Z' })];
    expect(countServerSeries(snapshotOf({ servers }))).toBe(6 + 7);
  });

  it('have room for as many label sets as fit series_limit in each family', () => {
    expect([groupLimit(1), groupLimit(800), groupLimit(1_000_000)]).toEqual([1, 100, 125_000]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Host, HostRoom } from '../../src/inventory/hosts.ts';
import type { ListFacts, Snapshot } from '../../src/inventory/snapshot.ts';
import { collectionTables } from '../../src/metrics/collection.ts';
import type { Table } from '../../src/metrics/family.ts';
import { fleetTables } from '../../src/metrics/fleet.ts';
import { hostTables } from '../../src/metrics/hosts.ts';
import { problemTables } from '../../src/metrics/problems.ts';
import { createSelfMetrics, selfFamilies } from '../../src/metrics/self.ts';
import { serverTables } from '../../src/metrics/servers.ts';
import { storageTable } from '../../src/metrics/storage.ts';
import { Failure } from '../../src/transport/failure.ts';
import { serverOf, snapshotOf, textOf, viewOf } from './hand-made.ts';

const shop = ['north', 'a', 'kvm', 'Default', 'shop'];
const desk = ['north', 'b', 'kvm', 'Partner "B"', 'desk'];
const at = (time: string) => Date.parse(`2026-01-${time}Z`);

const room: HostRoom = {
  isEnabled: true,
  isInMaintenance: false,
  isSchedulable: true,
  cpus: 60,
  memory: 250_000,
  storage: 2_000_000,
  cpuOvercommit: 8,
  memoryOvercommit: 1,
  vcpusAllocatable: 476,
  memoryAllocatable: 250_000,
  vcpusAllocated: 12,
  memoryAllocated: 24_576,
};

const host: Host = {
  region: 'north',
  zone: 'a',
  host: 'kvm-1',
  hypervisor: 'kvm',
  isUp: true,
  // The last three of each are those of the room, which nobody exports by state.
  states: [
    { state: 'running', sums: [3, 12, 24_576, 12, 24_576, 4] },
    { state: 'stopped', sums: [1, 2, 4096, 0, 0, 0] },
  ],
  room,
  devices: [
    { type: 'GPU-HPC', model: 'A100', devices: 8, free: 7 },
    { type: 'NIC', model: 'CX-5', devices: 2, free: 0 },
  ],
};

const bareMetal: Host = {
  ...host,
  host: 'metal-1',
  hypervisor: 'baremetal',
  states: [],
  devices: [],
  room: {
    ...room,
    isSchedulable: false,
    cpuOvercommit: undefined,
    memoryOvercommit: undefined,
    vcpusAllocatable: undefined,
    memoryAllocatable: undefined,
    vcpusAllocated: undefined,
    memoryAllocated: undefined,
  },
};

/** Only its servers tell of it. */
const named: Host = {
  ...host,
  zone: 'b',
  host: 'esx "7"',
  hypervisor: 'esxi',
  isUp: false,
  room: undefined,
  devices: [],
};

const list: ListFacts = {
  failure: undefined,
  reported: 7,
  received: 6,
  rejected: new Map([
    ['not_an_object', 0],
    ['no_id', 1],
  ]),
  pages: 2,
  listedAt: at('01T00:00:00.5'),
};
const refused: ListFacts = {
  failure: new Failure('forbidden', 'no', { operation: 'list_hosts' }),
  reported: undefined,
  received: undefined,
  rejected: new Map(),
  pages: undefined,
  listedAt: undefined,
};

const storage = {
  region: 'north',
  zone: 'a',
  storage: 'ceph',
  storageType: 'rbd',
  mediumType: 'ssd',
  isUp: true,
  capacity: 1000,
  allocatable: 1900,
  allocated: 700,
  used: 300,
};

const groups: Readonly<Record<string, { tables: readonly Table<never>[]; snapshot: Partial<Snapshot> }>> = {
  fleet: {
    tables: fleetTables,
    snapshot: {
      extraLabels: ['team'],
      statuses: [
        { place: [...shop, 'red'], state: 'running', status: 'running', servers: 3 },
        { place: [...shop, 'red'], state: 'task_failed', status: 'snapshot_failed', servers: 1 },
        { place: [...desk, ''], state: 'stopped', status: 'ready', servers: 2 },
      ],
      groups: [
        { place: [...shop, 'red'], state: 'running', sums: [1, 12, 24_576, 102_400, 4] },
        { place: [...shop, 'red'], state: 'task_failed', sums: [0, 2, 4096, 30_720, 1] },
        { place: [...desk, ''], state: 'stopped', sums: [0, 4, 8192, 61_440, 2] },
      ],
      parts: [
        [{ place: [...shop, 'red'], values: ['running', 'GPU-HPC', 'A100'], count: 2 }],
        [
          { place: [...desk, ''], values: ['7d', 'prepaid'], count: 1 },
          { place: [...desk, ''], values: ['30d', 'prepaid'], count: 2 },
        ],
      ],
    },
  },
  problems: {
    tables: problemTables,
    snapshot: {
      problems: {
        counts: new Map([
          ['failed', 1],
          ['stuck', 0],
          ['expired', 9],
        ]),
        named: [
          {
            kind: 'failed',
            id: 'i-1',
            name: 'web',
            status: 'disk_failed',
            place: shop,
            host: 'kvm-1',
            since: at('01T10:00:00'),
          },
          { kind: 'expired', id: 'i-2', name: '', status: 'ready', place: desk, host: '', since: undefined },
        ],
      },
    },
  },
  hosts: { tables: [...hostTables], snapshot: { hosts: [host, bareMetal, named] } },
  storages: {
    tables: [storageTable],
    snapshot: {
      storages: [
        storage,
        {
          ...storage,
          storage: 'local',
          isUp: false,
          capacity: undefined,
          allocatable: undefined,
          allocated: undefined,
          used: undefined,
        },
      ],
    },
  },
  servers: {
    tables: serverTables,
    snapshot: {
      exportsServers: true,
      servers: [
        serverOf({
          id: 'i-1',
          name: 'web',
          status: 'running',
          region: 'north',
          zone: 'a',
          hypervisor: 'kvm',
          project_domain: 'Default',
          project: 'shop',
          tenant_id: 'p-1',
          host: 'kvm-1',
          host_id: 'h-1',
          os_type: 'Linux',
          instance_type: 'g1.c4m8',
          brand: 'OneCloud',
          billing_type: 'prepaid',
          ips: '10.0.0.1',
          created_at: '2026-01-01T00:00:00.000000Z',
          updated_at: '2026-01-02T00:00:00.500000Z',
          expired_at: '2026-02-01T00:00:00.000000Z',
          isolated_devices: [{ dev_type: 'GPU-HPC', model: 'A100' }],
        }),
        serverOf({ id: 'i-2', status: 'schedule', vcpu_count: 8, pending_deleted: true }),
      ],
    },
  },
};

/** The families of these tables, out of a whole page. */
function onlyOf(tables: readonly Table<never>[], text: string): string {
  const names = new Set(tables.flatMap(({ families }) => families.map(({ name }) => name)));
  const lines = text
    .split('\n')
    .filter((line) => names.has(/^(?:# (?:HELP|TYPE) )?(\w+)/.exec(line)?.[1] ?? ''));
  return `${lines.join('\n')}\n`;
}

describe('the exposition', () => {
  it.each(Object.entries(groups))('of %s is what it was', async (name, { tables, snapshot }) => {
    const text = onlyOf(tables, await textOf([viewOf(snapshotOf(snapshot))]));
    await expect(text).toMatchFileSnapshot(`golden/${name}.prom`);
  });

  it('of a collection is what it was', async () => {
    const snapshot = snapshotOf({
      projects: 4,
      detailsAt: at('01T00:00:00'),
      lists: new Map([
        ['servers', list],
        ['hosts', refused],
        ['zones', { ...list, rejected: new Map() }],
      ]),
    });
    const view = viewOf(snapshot, {
      durationSeconds: 1.5,
      lastSuccessAt: at('01T00:01:00'),
      scope: { source: 'system', scope: 'system', why: '' },
      token: { expiresAt: at('02T00:00:00'), passwordExpiresAt: at('31T00:00:00') } as never,
      listCounts: {
        suspectPages: new Map([
          ['host', 2],
          ['loss', 0],
        ]) as never,
        drifted: 3,
      },
    });
    const nothingKnown = viewOf(undefined, { cloud: 'two' });
    const text = onlyOf(collectionTables, await textOf([view, nothingKnown]));
    await expect(text).toMatchFileSnapshot('golden/collection.prom');
  });
});

describe('the families of the exporter itself', () => {
  it('are all there from the start, with the labels that are said of them', async () => {
    const self = createSelfMetrics(
      { version: '1', revision: '', nodeVersion: 'v20' },
      { shard: { ordinal: 0, total: 1 }, externalUrl: 'https://exporter.example.com', isBare: true },
    );
    self.observe('one');
    const families = await self.families();
    const labelsOf = (name: string) => {
      const { values = [] } = families.find((family) => family.name === name) ?? {};
      return new Set(values.flatMap(({ labels }) => Object.keys(labels)).filter((label) => label !== 'le'));
    };
    expect(families.map(({ name }) => name).toSorted()).toEqual(
      selfFamilies.map(({ name }) => name).toSorted(),
    );
    for (const { name, labels } of selfFamilies)
      expect([...labelsOf(name)].toSorted(), name).toEqual([...labels].toSorted());
  });
});

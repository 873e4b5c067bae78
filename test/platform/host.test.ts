import { describe, expect, it } from 'vitest';
import { readHost } from '../../src/platform/host.ts';

const record = {
  id: 'h1',
  name: 'kvm-1',
  zone_id: 'z1',
  host_type: 'hypervisor',
  status: 'running',
  host_status: 'online',
  enabled: true,
  cpu_count: 64,
  cpu_reserved: 4,
  cpu_cmtbound: 8,
  mem_size: 262_144,
  mem_reserved: 8192,
  mem_cmtbound: 1.5,
  page_size_kb: 4,
  storage_size: 1_024_000,
};

describe('a host of the list', () => {
  it('has its place, its state and its room, with what is reserved apart', () => {
    expect(readHost(record)).toEqual({
      id: 'h1',
      name: 'kvm-1',
      zoneId: 'z1',
      hypervisor: 'kvm',
      isEmulated: false,
      isUp: true,
      isEnabled: true,
      isInMaintenance: false,
      isSchedulable: true,
      cpus: 64,
      reservedCpus: 4,
      memory: 262_144,
      reservedMemory: 8192,
      storage: 1_024_000,
      cpuOvercommit: 8,
      memoryOvercommit: 1.5,
      hasHugePages: false,
    });
  });

  it.each([
    ['digits', { cpu_count: '64', cpu_cmtbound: '7.5' }, { cpus: 64, cpuOvercommit: 7.5 }],
    [
      'nothing reserved',
      { cpu_reserved: undefined, mem_reserved: null },
      { reservedCpus: 0, reservedMemory: 0 },
    ],
    [
      'no size',
      { cpu_count: undefined, mem_size: null, storage_size: '' },
      { cpus: undefined, memory: undefined, storage: undefined },
    ],
    [
      'no bound set',
      { cpu_cmtbound: 0, mem_cmtbound: undefined },
      { cpuOvercommit: undefined, memoryOvercommit: undefined },
    ],
    ['a negative number', { mem_size: -1 }, { memory: undefined }],
    ['pages of the usual size', { page_size_kb: '4' }, { hasHugePages: false }],
    ['huge pages', { page_size_kb: 2048 }, { hasHugePages: true }],
    ['another kind', { host_type: 'esxi' }, { hypervisor: 'esxi' }],
    ['no kind', { host_type: undefined }, { hypervisor: '' }],
    ['no word on its agent', { host_status: null }, { isUp: undefined, isSchedulable: undefined }],
    ['an agent that is gone', { host_status: 'offline' }, { isUp: false, isSchedulable: false }],
    [
      'no word on whether it is enabled',
      { enabled: undefined },
      { isEnabled: undefined, isSchedulable: undefined },
    ],
    ['been disabled', { enabled: false }, { isUp: true, isEnabled: false, isSchedulable: false }],
    ['no zone', { zone_id: null }, { zoneId: '' }],
    ['stood in for others', { is_emulated: true }, { isEmulated: true }],
  ])('may have %s', (_words, part, expected) => {
    expect(readHost({ ...record, ...part })).toMatchObject(expected);
  });

  it.each([
    [{ status: 'start_maintain' }, true],
    [{ status: 'maintaining' }, true],
    [{ status: 'maintain_fail' }, true],
    [{ is_maintenance: true }, true],
    [{ is_maintenance: false }, false],
    [{ status: 'unknown' }, false],
    [{ status: '' }, undefined],
    [{ status: '', is_maintenance: true }, true],
  ])('with %j is in maintenance: %j', (part, isInMaintenance) => {
    expect(readHost({ ...record, ...part })).toMatchObject({ isInMaintenance });
  });

  it.each([
    [{ status: 'unknown' }, false],
    [{ status: '' }, undefined],
    [{ status: 'maintaining' }, false],
    [{}, true],
  ])('with %j takes new servers: %j', (part, isSchedulable) => {
    expect(readHost({ ...record, ...part })).toMatchObject({ isSchedulable });
  });

  it.each([
    ['running', true],
    ['ready', true],
    ['unknown', false],
    ['prepare_fail', false],
    ['', undefined],
  ])('of bare metal is always offline to the platform; %j says that it is up: %j', (status, isUp) => {
    const metal = { ...record, host_type: 'baremetal', host_status: 'offline', status };
    expect(readHost(metal)).toMatchObject({ hypervisor: 'baremetal', isUp });
    if (status !== '') expect(readHost(metal)).toMatchObject({ isSchedulable: false });
  });

  it.each([
    [null],
    ['host'],
    [[]],
    [{ ...record, id: '' }],
    [{ ...record, id: 7 }],
    [{ ...record, name: '' }],
  ])('is none if it is %j', (odd) => expect(readHost(odd)).toBeUndefined());
});

import { describe, expect, it } from 'vitest';
import { hostFields, readHost } from '../../src/platform/host.ts';

const record = {
  id: 'h1',
  name: 'kvm-1',
  zone_id: 'z1',
  host_status: 'online',
  enabled: true,
  cpu_count: 64,
  cpu_reserved: 4,
  cpu_cmtbound: 8,
  mem_size: 262_144,
  mem_reserved: 8192,
  mem_cmtbound: 1.5,
  storage_size: 1_024_000,
};

describe('a host of the list', () => {
  it('is read from the fields that are asked for, no more and no less', () => {
    const seen = new Set<string>();
    const watched = new Proxy<Record<string, unknown>>(record, {
      get(target, field) {
        seen.add(String(field));
        return target[String(field)];
      },
    });
    expect(readHost(watched)).toEqual({
      id: 'h1',
      name: 'kvm-1',
      zoneId: 'z1',
      isUp: true,
      isEnabled: true,
      cpus: 60,
      memory: 253_952,
      storage: 1_024_000,
      cpuOvercommit: 8,
      memoryOvercommit: 1.5,
    });
    expect([...seen].toSorted()).toEqual(hostFields.toSorted());
  });

  it.each([
    ['digits', { cpu_count: '64', cpu_cmtbound: '7.5' }, { cpus: 60, cpuOvercommit: 7.5 }],
    ['nothing reserved', { cpu_reserved: undefined, mem_reserved: null }, { cpus: 64, memory: 262_144 }],
    ['more reserved than it has', { cpu_reserved: 100 }, { cpus: 0 }],
    [
      'no size',
      { cpu_count: undefined, mem_size: null, storage_size: '' },
      { cpus: undefined, storage: undefined },
    ],
    ['no bound set', { cpu_cmtbound: 0 }, { cpuOvercommit: undefined }],
    ['a negative number', { mem_size: -1 }, { memory: undefined }],
    ['no word on its agent', { host_status: null }, { isUp: undefined }],
    ['an agent that is gone', { host_status: 'offline' }, { isUp: false }],
    ['no word on whether it is enabled', { enabled: undefined }, { isEnabled: undefined }],
    ['no zone', { zone_id: null }, { zoneId: '' }],
  ])('may have %s', (_words, part, expected) => {
    expect(readHost({ ...record, ...part })).toMatchObject(expected);
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

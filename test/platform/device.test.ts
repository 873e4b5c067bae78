import { describe, expect, it } from 'vitest';
import { readDevice } from '../../src/platform/device.ts';
import { readPlaceName } from '../../src/platform/place-name.ts';

const record = {
  id: 'd1',
  host_id: 'h1',
  dev_type: 'GPU-HPC',
  model: 'Tesla V100',
  guest_id: 'v1',
  reserved_cpu: 4,
};

describe('a device of the list', () => {
  it('has its host, its kind and its server', () => {
    expect(readDevice(record)).toEqual({
      id: 'd1',
      hostId: 'h1',
      type: 'GPU-HPC',
      model: 'Tesla V100',
      serverId: 'v1',
      reservedCpus: 4,
    });
  });

  it.each([
    ['no server', { guest_id: null }, { serverId: '' }],
    ['no word on what is kept for it, which is the usual then', { reserved_cpu: null }, { reservedCpus: 8 }],
    ['nothing kept for it', { reserved_cpu: 0 }, { reservedCpus: 0 }],
    ['nothing kept for it as it is no GPU', { dev_type: 'NVME', reserved_cpu: 4 }, { reservedCpus: 0 }],
    ['no kind', { dev_type: undefined, model: 7 }, { type: '', model: '', reservedCpus: 0 }],
  ])('may have %s', (_words, part, expected) => {
    expect(readDevice({ ...record, ...part })).toMatchObject(expected);
  });

  it.each([[null], ['device'], [[]], [{ ...record, id: '' }]])('is none if it is %j', (odd) =>
    expect(readDevice(odd)).toBeUndefined(),
  );
});

describe('a zone or a region', () => {
  it('has a name, and a zone the region that it is in', () => {
    expect(readPlaceName({ id: 'z1', name: 'zone-1', cloudregion_id: 'r1' })).toEqual({
      id: 'z1',
      name: 'zone-1',
      regionId: 'r1',
    });
    expect(readPlaceName({ id: 'r1', name: 'region-1' })).toMatchObject({ regionId: '' });
  });

  it.each([[null], ['zone'], [{ id: '', name: 'zone-1' }], [{ id: 'z1', name: '' }]])(
    'is none if it is %j',
    (odd) => expect(readPlaceName(odd)).toBeUndefined(),
  );
});

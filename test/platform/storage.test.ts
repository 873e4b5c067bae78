import { describe, expect, it } from 'vitest';
import { readStorage } from '../../src/platform/storage.ts';

const record = {
  id: 's1',
  name: 'rbd-1',
  region: 'r1',
  zone: 'z1',
  zone_id: 'zone-1',
  storage_type: 'rbd',
  medium_type: 'ssd',
  status: 'online',
  enabled: true,
  capacity: 1000,
  reserved: 100,
  cmtbound: 1.5,
  used_capacity: 300,
  waste_capacity: 20,
  actual_capacity_used: 250,
};

describe('a storage of the list', () => {
  it('has its place, its kind and its room', () => {
    expect(readStorage(record)).toEqual({
      id: 's1',
      name: 'rbd-1',
      region: 'r1',
      zone: 'z1',
      zoneId: 'zone-1',
      type: 'rbd',
      mediumType: 'ssd',
      isUp: true,
      capacity: 1000,
      reserved: 100,
      overcommit: 1.5,
      allocated: 320,
      written: 250,
    });
  });

  it.each([
    ['region by its other name', { region: '', cloudregion: 'r2' }, { region: 'r2' }],
    ['nothing wasted', { waste_capacity: undefined }, { allocated: 300 }],
    ['no word on what is promised', { used_capacity: null }, { allocated: undefined }],
    ['0 for what is written, which is no word', { actual_capacity_used: 0 }, { written: undefined }],
    ['no bound set', { cmtbound: 0 }, { overcommit: undefined }],
    ['nothing reserved', { reserved: undefined }, { reserved: 0 }],
    ['no size', { capacity: '' }, { capacity: undefined }],
    ['digits', { capacity: '1000', cmtbound: '2.5' }, { capacity: 1000, overcommit: 2.5 }],
    ['gone offline', { status: 'offline' }, { isUp: false }],
    ['been disabled', { enabled: false }, { isUp: false }],
    ['no word on whether it is enabled', { enabled: undefined }, { isUp: true }],
  ])('may have %s', (_words, part, expected) => {
    expect(readStorage({ ...record, ...part })).toMatchObject(expected);
  });

  it.each([[null], ['storage'], [[]], [{ ...record, id: '' }], [{ ...record, name: '' }]])(
    'is none if it is %j',
    (odd) => expect(readStorage(odd)).toBeUndefined(),
  );
});

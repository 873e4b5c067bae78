import { describe, expect, it } from 'vitest';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { stateOf, type State } from '../../src/platform/state.ts';

const readServer = createServerReader([]);
const record = { id: 'a', vcpu_count: 2, vmem_size: 2048, disk: 30_720, disk_count: 1 };

function read(more: object): Server {
  const server = readServer({ ...record, ...more });
  if (typeof server === 'string') throw new Error(server);
  return server;
}

describe('a record', () => {
  it('needs no more than an id and its numbers', () => {
    expect(read({})).toMatchObject({
      id: 'a',
      name: '',
      status: '',
      state: 'unknown',
      region: '',
      devices: [],
    });
  });

  it.each([null, '', undefined, 7, {}, []])('has an empty label where the platform sent %j', (value) => {
    expect(read({ zone: value }).zone).toBe('');
  });

  it('falls back from region to cloudregion and from project to tenant', () => {
    expect(read({ cloudregion: 'r', tenant: 't' })).toMatchObject({ region: 'r', project: 't' });
    expect(read({ region: '', cloudregion: 'r', project: null, tenant: 't' })).toMatchObject({
      region: 'r',
      project: 't',
    });
    expect(read({ region: 'a', cloudregion: 'r', project: 'b', tenant: 't' })).toMatchObject({
      region: 'a',
      project: 'b',
    });
  });

  it.each([null, 3, 'x', [], undefined])('that is %j is not a server', (value) => {
    expect(readServer(value)).toMatch(/not_an_object|no_id/);
  });

  it.each([undefined, null, '', 5])('with the id %j is rejected', (id) => {
    expect(readServer({ ...record, id })).toBe('no_id');
  });

  it.each([undefined, null, '', 'two', '-1', -1, NaN, Infinity, [], '1.5e3'])(
    'with %j for a number is rejected',
    (number) => {
      for (const key of ['vcpu_count', 'vmem_size', 'disk', 'disk_count']) {
        expect(readServer({ ...record, [key]: number })).toBe('bad_number');
      }
    },
  );

  it('may have numbers as digits, unknown fields and odd lists', () => {
    expect(read({ vcpu_count: '8', surprise: { a: 1 }, isolated_devices: 'none', nics: null }).vcpus).toBe(8);
  });

  it('gives metadata to nobody who did not ask for the key', () => {
    const server = createServerReader(['metadata.user:team'])({
      ...record,
      metadata: { 'user:team': 'web', login_key: 'secret' },
    }) as Server;
    expect(server.extra).toEqual(['web']);
    expect(JSON.stringify(server)).not.toContain('secret');
  });
});

describe('a status', () => {
  it.each<[State, string]>([
    ['running', 'running rescue block_stream'],
    ['stopped', 'ready deallocated suspend converted'],
    ['unknown', 'unknown admin unsync'],
    ['failed', 'sched_fail migrate_failed vm_create_failed qga_set_password_failed deploging_backup_fail'],
    ['transition', 'init starting live_migrating deleting snapshot_succ a_new_word constructor'],
  ])('is grouped as %s: %s', (state, words) => {
    for (const word of words.split(' ')) expect([word, stateOf(word)]).toEqual([word, state]);
  });
});

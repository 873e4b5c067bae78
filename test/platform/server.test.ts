import { describe, expect, it } from 'vitest';
import {
  createServerReader,
  isId,
  isRecord,
  quantityOf,
  sizeOf,
  wordOf,
  type Server,
} from '../../src/platform/server.ts';
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

  it('has the ids of its host and project, and its version', () => {
    expect(read({ host_id: 'h', tenant_id: 't', update_version: 7 })).toMatchObject({
      hostId: 'h',
      projectId: 't',
      version: 7,
    });
    expect(read({ project_id: 'p' }).projectId).toBe('p');
    expect(read({})).toMatchObject({ hostId: '', projectId: '', version: undefined });
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
    ['failed', 'sched_fail create_fail deploy_fail net_fail disk_fail dev_fail import_fail start_fail'],
    ['failed', 'rebuild_root_fail resume_failed kickstart_failed start_container_failed crash_loop_back_off'],
    ['task_failed', 'snapshot_failed sync_fail update_tags_fail associate_eip_failed renew_failed'],
    ['task_failed', 'migrate_failed instance_backup_failed resize_disk_fail stop_fail delete_fail'],
    ['task_failed', 'deploging_backup_fail attach_disk_fail disk_reset_failed fail fail_of_a_later_release'],
    ['transition', 'init starting live_migrating deleting snapshot_succ a_new_word constructor'],
  ])('is grouped as %s: %s', (state, words) => {
    for (const status of words.split(' '))
      expect([status, stateOf({ status, pendingDeleted: false, power: '' })]).toEqual([status, state]);
  });

  it.each<[string, string, State]>([
    ['start_fail', 'on', 'task_failed'],
    ['start_fail', 'off', 'failed'],
    ['start_fail', 'unknown', 'failed'],
    ['snapshot_failed', 'off', 'task_failed'],
    ['crash_loop_back_off', 'on', 'failed'],
    ['ready', 'on', 'stopped'],
  ])('%s of a server whose power is %s is %s', (status, power, expected) => {
    expect(stateOf({ status, pendingDeleted: false, power })).toBe(expected);
    expect(stateOf({ status, pendingDeleted: true, power })).toBe('pending_deletion');
  });
});

describe('the end of a server', () => {
  const end = (fields: object) => (createServerReader([])({ ...record, ...fields }) as Server).endsAt;
  const soon = '2026-12-01T00:00:00.000000Z';
  const later = '2027-12-01T00:00:00.000000Z';

  it.each([
    [
      'is expired_at of a prepaid one',
      { billing_type: 'prepaid', expired_at: soon, release_at: later },
      soon,
    ],
    [
      'is release_at of a postpaid one',
      { billing_type: 'postpaid', expired_at: soon, release_at: later },
      later,
    ],
    [
      'is expired_at of a postpaid one on older releases',
      { billing_type: 'postpaid', expired_at: soon },
      soon,
    ],
    ['is none in the year 1', { billing_type: 'prepaid', expired_at: '0001-01-01T00:00:00Z' }, undefined],
    ['is none before 1971', { expired_at: '1970-12-31T23:59:59Z' }, undefined],
    ['may be in 1971', { expired_at: '1971-01-01T00:00:00Z' }, '1971-01-01T00:00:00Z'],
    [
      'is the other one where one is of the year 1',
      { billing_type: 'postpaid', release_at: '0001-01-01 00:00:00', expired_at: soon },
      soon,
    ],
    ['is none if nobody can read it', { expired_at: 'soon' }, undefined],
    ['is none if it is not there', {}, undefined],
  ])('%s', (_words, fields, expected) => expect(end(fields)).toBe(expected && Date.parse(expected)));
});

describe('a quantity', () => {
  it.each([
    [0, 0],
    [1.5, 1.5],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['0', 0],
    ['0017', 17],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])('%j is %d', (value, number) => {
    expect(quantityOf(value)).toBe(number);
  });

  it.each([
    -1,
    NaN,
    Infinity,
    Number.MAX_SAFE_INTEGER + 1,
    '',
    ' 1',
    '1.5',
    '1e3',
    '-1',
    '0x10',
    '١',
    '9007199254740992',
    true,
    null,
    undefined,
    [1],
    {},
  ])('%j is none', (value) => {
    expect(quantityOf(value)).toBeUndefined();
  });
});

describe('an id', () => {
  it.each(['a', ' ', 'é', '😀', 'x'.repeat(256)])('can be %j', (value) => {
    expect(isId(value)).toBe(true);
  });

  it.each(['', 'x'.repeat(257), '\ud83d', 7, null, undefined, ['a']])('cannot be %j', (value) => {
    expect(isId(value)).toBe(false);
  });
});

it.each([
  ['1.5', 1.5],
  ['2', 2],
  [0.25, 0.25],
  ['1.', undefined],
  ['-1.5', undefined],
  ['1e3', undefined],
])('a size may have a fraction, also as digits: %j is %j', (value, number) => {
  expect(sizeOf(value)).toBe(number);
});

it.each([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
  ['', undefined],
  [1, undefined],
  [null, undefined],
  [undefined, undefined],
])('a word of %j is %j', (value, word) => {
  expect(wordOf(value)).toBe(word);
});

describe('an object', () => {
  it.each([[{}], [{ id: 'a' }]])('may be %j', (value) => {
    expect(isRecord(value)).toBe(true);
  });

  it.each([[[]], [null], [undefined], ['a'], [1]])('is not %j', (value) => {
    expect(isRecord(value)).toBe(false);
  });
});

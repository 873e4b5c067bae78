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
    const least = { id: 'a', name: '', status: '', state: 'unknown', region: '', devices: [] };
    expect(read({})).toMatchObject({ ...least, hostId: '', projectId: '', version: undefined });
  });

  it.each<[object, Partial<Server>]>([
    ...[null, '', undefined, 7, {}, []].map((zone): [object, object] => [{ zone }, { zone: '' }]),
    [
      { cloudregion: 'r', tenant: 't' },
      { region: 'r', project: 't' },
    ],
    [
      { region: '', cloudregion: 'r', project: null, tenant: 't' },
      { region: 'r', project: 't' },
    ],
    [
      { region: 'a', cloudregion: 'r', project: 'b', tenant: 't' },
      { region: 'a', project: 'b' },
    ],
    [
      { host_id: 'h', tenant_id: 't', update_version: 7 },
      { hostId: 'h', projectId: 't', version: 7 },
    ],
    [{ project_id: 'p' }, { projectId: 'p' }],
    [
      { vcpu_count: '8', surprise: { a: 1 }, isolated_devices: 'none', nics: null },
      { vcpus: 8, devices: [] },
    ],
  ])('with %o has %o', (more, expected) => expect(read(more)).toMatchObject(expected));

  it('that is none, or has no id or an odd number, is rejected', () => {
    for (const value of [null, 3, 'x', [], undefined])
      expect(readServer(value)).toMatch(/not_an_object|no_id/);
    for (const id of [undefined, null, '', 5]) expect(readServer({ ...record, id })).toBe('no_id');
    for (const number of [undefined, null, '', 'two', '-1', -1, NaN, Infinity, [], '1.5e3'])
      for (const key of ['vcpu_count', 'vmem_size', 'disk', 'disk_count'])
        expect(readServer({ ...record, [key]: number }), `${key} ${String(number)}`).toBe('bad_number');
  });

  it('gives metadata to nobody who did not ask for the key', () => {
    const metadata = { 'user:team': 'web', login_key: 'secret' };
    const server = createServerReader(['metadata.user:team'])({ ...record, metadata }) as Server;
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
  const soon = '2026-12-01T00:00:00.000000Z';
  const later = '2027-12-01T00:00:00.000000Z';
  const yearOne = '0001-01-01 00:00:00';

  it.each([
    // Of a postpaid one, older releases have it where a prepaid one has it.
    [{ billing_type: 'prepaid', expired_at: soon, release_at: later }, soon],
    [{ billing_type: 'postpaid', expired_at: soon, release_at: later }, later],
    [{ billing_type: 'postpaid', expired_at: soon }, soon],
    [{ billing_type: 'postpaid', release_at: yearOne, expired_at: soon }, soon],
    [{ billing_type: 'prepaid', expired_at: '0001-01-01T00:00:00Z' }, undefined],
    [{ expired_at: '1970-12-31T23:59:59Z' }, undefined],
    [{ expired_at: '1971-01-01T00:00:00Z' }, '1971-01-01T00:00:00Z'],
    [{ expired_at: 'soon' }, undefined],
    [{}, undefined],
  ])('with %o is %s', (fields, expected) =>
    expect(read(fields).endsAt).toBe(expected && Date.parse(expected)),
  );
});

const none = (values: readonly unknown[]) => values.map((value): [unknown, unknown] => [value, undefined]);
const all = (values: readonly unknown[], as: unknown) =>
  values.map((value): [unknown, unknown] => [value, as]);
const most = Number.MAX_SAFE_INTEGER;

it.each<[string, (value: unknown) => unknown, [unknown, unknown][]]>([
  [
    'a quantity is a whole number, also as digits',
    quantityOf,
    [
      ...[0, 1.5, most].map((value): [unknown, unknown] => [value, value]),
      ['0', 0],
      ['0017', 17],
      [String(most), most],
      ...none([-1, NaN, Infinity, most + 1, '', ' 1', '1.5', '1e3', '-1', '0x10', '١', '9007199254740992']),
      ...none([true, null, undefined, [1], {}]),
    ],
  ],
  [
    'a size may have a fraction, also as digits',
    sizeOf,
    [['1.5', 1.5], ['2', 2], [0.25, 0.25], ...none(['1.', '-1.5', '1e3'])],
  ],
  [
    'a word is true or false, also as a text',
    wordOf,
    [...all([true, 'true'], true), ...all([false, 'false'], false), ...none(['', 1, null, undefined])],
  ],
  [
    'an id is a text of 1 to 256 characters',
    isId,
    [
      ...all(['a', ' ', 'é', '😀', 'x'.repeat(256)], true),
      ...all(['', 'x'.repeat(257), '\ud83d', 7, null, undefined, ['a']], false),
    ],
  ],
  [
    'an object is no list',
    isRecord,
    [...all([{}, { id: 'a' }], true), ...all([[], null, undefined, 'a', 1], false)],
  ],
])('%s', (_words, readValue, pairs) => {
  for (const [value, expected] of pairs) expect(readValue(value), String(value)).toBe(expected);
});

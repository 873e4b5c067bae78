import { describe, expect, it } from 'vitest';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { countsForScheduler, stateOf, type State } from '../../src/platform/state.ts';

const readServer = createServerReader([]);
const record = { id: 'a', vcpu_count: 2, vmem_size: 2048, disk: 30_720, disk_count: 1 };

function read(more: object): Server {
  const server = readServer({ ...record, ...more });
  if (typeof server === 'string') throw new Error(server);
  return server;
}

describe('a record', () => {
  it.each<{ given: object; has: Partial<Server> }>([
    // An id and its numbers are enough.
    { given: {}, has: { id: 'a', name: '', status: '', state: 'unknown', region: '', devices: [] } },
    { given: {}, has: { hostId: '', projectId: '', version: undefined } },
    ...[null, '', undefined, 7, {}, []].map((zone) => ({ given: { zone }, has: { zone: '' } })),
    { given: { cloudregion: 'r', tenant: 't' }, has: { region: 'r', project: 't' } },
    { given: { region: '', cloudregion: 'r' }, has: { region: 'r' } },
    { given: { project: null, tenant: 't' }, has: { project: 't' } },
    { given: { region: 'a', cloudregion: 'r' }, has: { region: 'a' } },
    { given: { project: 'b', tenant: 't' }, has: { project: 'b' } },
    { given: { host_id: 'h', tenant_id: 't' }, has: { hostId: 'h', projectId: 't' } },
    { given: { project_id: 'p', update_version: 7 }, has: { projectId: 'p', version: 7 } },
    { given: { vcpu_count: '0017', disk: 1.5 }, has: { vcpus: 17, disk: 1.5 } },
    { given: { disk: String(Number.MAX_SAFE_INTEGER) }, has: { disk: Number.MAX_SAFE_INTEGER } },
    { given: { vcpu_count: '8', surprise: { a: 1 }, nics: null }, has: { vcpus: 8 } },
    { given: { isolated_devices: 'none' }, has: { devices: [] } },
  ])('with $given has $has', ({ given, has }) => expect(read(given)).toMatchObject(has));

  it('that is none, or has no id or an odd number, is rejected', () => {
    for (const value of [null, 3, 'x', [], undefined])
      expect(readServer(value)).toMatch(/not_an_object|no_id/);
    for (const id of [undefined, null, '', 5, 'x'.repeat(257), '\ud83d'])
      expect(readServer({ ...record, id })).toBe('no_id');
    const texts = ['', ' 1', 'two', '-1', '1.5', '1e3', '0x10', '١', '9007199254740992'];
    for (const number of [...texts, undefined, null, true, -1, NaN, Infinity, 2 ** 53, [], [1], {}])
      for (const key of ['vcpu_count', 'vmem_size', 'disk', 'disk_count'])
        expect(readServer({ ...record, [key]: number }), `${key} ${String(number)}`).toBe('bad_number');
  });
});

describe('a status', () => {
  it.each<[State, string]>([
    ['running', 'running rescue block_stream'],
    ['stopped', 'ready deallocated suspend converted container_exited'],
    ['unknown', 'unknown admin unsync'],
    ['failed', 'sched_fail create_fail deploy_fail net_fail disk_fail dev_fail import_fail start_fail'],
    [
      'failed',
      'start_failure startfail rebuild_root_fail resume_failed kickstart_failed start_container_failed crash_loop_back_off',
    ],
    ['task_failed', 'snapshot_failed sync_fail update_tags_fail associate_eip_failed renew_failed'],
    ['task_failed', 'migrate_failed instance_backup_failed resize_disk_fail stop_fail delete_fail'],
    ['task_failed', 'deploging_backup_fail attach_disk_fail disk_reset_failed fail fail_of_a_later_release'],
    ['task_failed', 'rebuild_fail_root'],
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

it('a server has its part of a host by its word, unless it is in the recycle bin', () => {
  const words = ['running', 'starting', 'stop_fail', 'container_exited', 'ready', 'suspend', 'sched_fail'];
  const counted = words.filter((word) => countsForScheduler(word, false));
  expect(counted).toEqual(['running', 'starting', 'stop_fail', 'container_exited']);
  expect(words.filter((word) => countsForScheduler(word, true))).toEqual([]);
});

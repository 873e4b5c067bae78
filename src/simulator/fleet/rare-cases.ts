import { standbyFields, type HostRecord } from './host.ts';
import type { ServerRecord } from './record.ts';
import { dayMs, minuteMs, stamp } from '../timestamp.ts';

interface Moment {
  readonly position: number;
  readonly nowMs: number;
  readonly hosts: readonly HostRecord[];
}

interface RareCase {
  /** At fixed places: this one of so many. */
  readonly every: number;
  readonly first: number;
  readonly patch: (turn: number, moment: Moment) => Partial<ServerRecord>;
}

const binned = 'ready running unknown deploy_fail snapshot_failed start_delete'.split(' ');
const failedTasks =
  'sync_fail resize_disk_fail snapshot_failed update_tags_fail associate_eip_failed stop_fail delete_fail renew_failed'.split(
    ' ',
  );
const failures = 'create_fail deploy_fail disk_fail net_fail dev_fail import_fail rebuild_root_fail'.split(
  ' ',
);
const releaseDays = [-1, 3, 20];

const rareCases: readonly RareCase[] = [
  {
    every: 30,
    first: 3,
    patch: (turn, { nowMs }) => ({
      status: turnOf(binned, turn),
      pending_deleted: true,
      pending_deleted_at: stamp(nowMs - dayMs),
      auto_delete_at: stamp(nowMs + 2 * dayMs),
    }),
  },
  { every: 25, first: 11, patch: (turn) => ({ status: turnOf(failedTasks, turn) }) },
  { every: 40, first: 17, patch: (turn) => ({ status: turnOf(failures, turn) }) },
  {
    every: 90,
    first: 19,
    patch: (_, { nowMs }) => ({ status: 'migrating', updated_at: stamp(nowMs - 300 * minuteMs) }),
  },
  /** The task says that the start failed, and yet the machine is on. */
  { every: 60, first: 29, patch: () => ({ status: 'start_fail', power_states: 'on' }) },
  /** The zero time of the platform's language, which means that there is no end. */
  { every: 50, first: 31, patch: () => ({ expired_at: '0001-01-01T00:00:00.000000Z' }) },
  {
    every: 150,
    first: 34,
    patch: (_, { hosts }) => standbyFields(hosts.find(({ status }) => status === 'unknown')),
  },
  {
    every: 45,
    first: 37,
    patch: (turn, { nowMs }) => ({
      auto_renew: false,
      billing_cycle: '',
      billing_type: 'postpaid',
      expired_at: stamp(nowMs + turnOf(releaseDays, turn) * dayMs),
    }),
  },
];

/** Cases that are rare on a real platform, and that an exporter has to get right. */
export function addRareCase(server: ServerRecord, moment: Moment): ServerRecord {
  if (server.host_id === '') return server;
  const found = rareCases.find(({ every, first }) => moment.position % every === first);
  if (found === undefined) return server;
  return { ...server, ...found.patch(Math.floor(moment.position / found.every), moment) };
}

function turnOf<Value>(values: readonly Value[], turn: number): Value {
  return values[turn % values.length]!;
}

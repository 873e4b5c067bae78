import type { ServerRecord } from './record.ts';
import { dayMs, stamp } from '../timestamp.ts';

type Patch = Partial<ServerRecord>;

interface RareCase {
  /** At fixed places: this one of so many. */
  readonly every: number;
  readonly first: number;
  readonly patch: (turn: number, nowMs: number) => Patch;
}

const binnedStatuses = ['ready', 'running', 'unknown', 'deploy_fail', 'snapshot_failed', 'start_delete'];
const failedTasks = [
  'sync_fail',
  'resize_disk_fail',
  'snapshot_failed',
  'update_tags_fail',
  'associate_eip_failed',
  'stop_fail',
  'delete_fail',
  'renew_failed',
];
const failures = [
  'create_fail',
  'deploy_fail',
  'disk_fail',
  'net_fail',
  'dev_fail',
  'import_fail',
  'rebuild_root_fail',
];
const releaseDays = [-1, 3, 20];

const rareCases: readonly RareCase[] = [
  {
    every: 30,
    first: 3,
    patch: (turn, nowMs) => ({
      status: turnOf(binnedStatuses, turn),
      pending_deleted: true,
      pending_deleted_at: stamp(nowMs - dayMs),
      auto_delete_at: stamp(nowMs + 2 * dayMs),
    }),
  },
  { every: 25, first: 11, patch: (turn) => ({ status: turnOf(failedTasks, turn) }) },
  { every: 40, first: 17, patch: (turn) => ({ status: turnOf(failures, turn) }) },
  /** The task says that the start failed, and yet the machine is on. */
  { every: 60, first: 29, patch: () => ({ status: 'start_fail', power_states: 'on' }) },
  /** The zero time of the platform's language, which means that there is no end. */
  { every: 50, first: 31, patch: () => ({ expired_at: '0001-01-01T00:00:00.000000Z' }) },
  {
    every: 45,
    first: 37,
    patch: (turn, nowMs) => ({
      auto_renew: false,
      billing_cycle: '',
      billing_type: 'postpaid',
      expired_at: stamp(nowMs + turnOf(releaseDays, turn) * dayMs),
    }),
  },
];

/** Cases that are rare on a real platform, and that an exporter has to get right. */
export function addRareCase(server: ServerRecord, sequence: number, nowMs: number): ServerRecord {
  if (server.host_id === '') return server;
  const found = rareCases.find(({ every, first }) => sequence % every === first);
  return found === undefined
    ? server
    : { ...server, ...found.patch(Math.floor(sequence / found.every), nowMs) };
}

function turnOf<Value>(values: readonly Value[], turn: number): Value {
  return values[turn % values.length]!;
}

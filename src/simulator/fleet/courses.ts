import { isAtRest } from './condition.ts';
import type { Random, Weighted } from './random.ts';
import type { ServerRecord } from './record.ts';

/** Statuses that a server goes through one after the other. */
export type Course = readonly string[];

/** Not a status: the end of a course at which the server leaves the list. */
export const gone = '';

export const removalCourse: Course = ['start_delete', 'deleting', gone];

const fromRunning: Weighted<Course> = [
  [['stopping', 'ready'], 9],
  [['snapshot', 'running'], 25],
  [['snapshot', 'snapshot_failed', 'running'], 4],
  [['start_migrate', 'migrating', 'running'], 20],
  [['migrating', 'migrate_failed', 'sync_status', 'running'], 4],
  [['start_resize_disk', 'resize_disk', 'running'], 10],
  [['sync_config', 'running'], 10],
];

const fromReady: Weighted<Course> = [
  [['start_start', 'starting', 'running'], 80],
  [['starting', 'start_fail', 'starting', 'running'], 12],
  [['rebuild_root', 'ready'], 8],
];

const recovery: Course = ['sync_status', 'starting', 'running'];

const births: Weighted<Course> = [
  [['schedule', 'deploying', 'starting', 'running'], 96],
  [['schedule', 'deploying', 'deploy_fail'], 2],
  [['schedule', 'net_fail', 'start_delete', 'deleting', gone], 2],
];

export function newbornCourse(random: Random): Course {
  return random.weighted(births);
}

export function chooseCourse({ status, host_id, pending_deleted }: ServerRecord, random: Random): Course {
  if (pending_deleted) return random.chance(0.1) ? removalCourse : [];
  if (host_id === '') return random.chance(0.3) ? removalCourse : [];
  if (status === 'running') return random.weighted(fromRunning);
  if (status === 'ready') return random.weighted(fromReady);
  /** What hangs in a transition since before is left alone, so that there is something stuck to be found. */
  return isAtRest(status) ? recovery : [];
}

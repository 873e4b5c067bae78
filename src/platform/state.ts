export const states = [
  'running',
  'stopped',
  'transition',
  'failed',
  'task_failed',
  'unknown',
  'pending_deletion',
] as const;
export type State = (typeof states)[number];

/** Every status that is known to be at rest. The platform's list of the others grows with each release. */
const statesAtRest: Readonly<Record<string, State>> = {
  running: 'running',
  rescue: 'running',
  block_stream: 'running',
  ready: 'stopped',
  deallocated: 'stopped',
  suspend: 'stopped',
  converted: 'stopped',
  container_exited: 'stopped',
  crash_loop_back_off: 'failed',
  unknown: 'unknown',
  admin: 'unknown',
  unsync: 'unknown',
  '': 'unknown',
};

/**
 * What failed in a server that is broken or never came to be, as the platform writes it before `_fail` or `_failed`.
 * All other words with `fail` are of tasks on a server that most likely is as it was.
 */
const brokenBy = wordsOf(`
  sched schedule create creating net network dev device disk deploy deploying kickstart import
  start starting resume resuming rebuild rebuild_root create_container start_container
`);

/** The fixed grouping beside the platform's own word. `power` is `power_states`, which newer releases send. */
export function stateOf(server: { status: string; pendingDeleted: boolean; power: string }): State {
  const { status, power } = server;
  if (server.pendingDeleted) return 'pending_deletion';
  if (Object.hasOwn(statesAtRest, status)) return statesAtRest[status]!;
  if (!status.includes('fail')) return 'transition';
  const isBroken = brokenBy.has(status.replace(/_?fail(ed|ure)?$/, ''));
  return isBroken && power !== 'on' ? 'failed' : 'task_failed';
}

/**
 * Words of servers that have their vCPUs and memory of a host. Not those that are stopped or broken, nor a suspended one.
 * Those of containers are there from release 4.0 on.
 */
const counted = wordsOf(`
  running start_start starting stop_fail block_stream unknown backup_starting schedule network disk
  start_deploy deploying backup_creating deploying_backup
  container_exited crash_loop_back_off starting_container stop_container_failed stopping_container
  creating_container
`);

/** Whether the platform's scheduler takes what a server has from the room of its host. */
export function countsForScheduler(status: string, pendingDeleted: boolean): boolean {
  return !pendingDeleted && counted.has(status);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

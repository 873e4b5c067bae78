export const states = ['running', 'stopped', 'transition', 'failed', 'unknown'] as const;
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
  unknown: 'unknown',
  admin: 'unknown',
  unsync: 'unknown',
  '': 'unknown',
};

/** The fixed grouping beside the platform's own word: what contains `fail` has failed, the rest is in transition. */
export function stateOf(status: string): State {
  if (status.includes('fail')) return 'failed';
  return Object.hasOwn(statesAtRest, status) ? statesAtRest[status]! : 'transition';
}

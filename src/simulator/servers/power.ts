const on = new Set([
  'running',
  'rescue',
  'block_stream',
  'migrating',
  'live_migrating',
  'snapshot',
  'stop_fail',
]);
const off = new Set(['ready', 'suspend', 'deallocated', 'start_fail', 'rebuild_root', 'starting']);

/** What the last task's word lets one expect of the machine: a failed snapshot leaves it running. */
export function powerOf(status: string): string {
  if (on.has(status) || isFailedTask(status)) return 'on';
  return off.has(status) ? 'off' : 'unknown';
}

function isFailedTask(status: string): boolean {
  return /^(snapshot|migrate|sync|resize_disk|associate_eip|update_tags|renew|io_throttle)_fail/.test(status);
}

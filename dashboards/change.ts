import { recordedOfCloud, select } from './selectors.ts';

/**
 * The difference of a recorded sum to some time before, also for what is new and what is gone since. Nothing for a
 * cloud that was not read then or is not read now: all of it would look like a change.
 */
export function changeSince(before: string, recorded: string, ...matchers: readonly string[]): string {
  const now = select(recorded, ...matchers);
  const then = `last_over_time(${now}[1h] offset ${before})`;
  const wasRead = `last_over_time(${select('cloud:cloud_servers:sum', recordedOfCloud)}[1h] offset ${before})`;
  const isRead = select('cloud:cloud_servers:sum', recordedOfCloud);
  return `((${now} or 0 * ${then}) - (${then} or 0 * ${now})) and on (cloud) ${wasRead} and on (cloud) ${isRead}`;
}

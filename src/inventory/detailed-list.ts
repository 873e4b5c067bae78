import type { Clock } from '../clock.ts';
import { createKnownRecords, type KnownRecords } from '../platform/known-records.ts';
import { listServers } from '../platform/list-servers.ts';
import type { Layout } from '../platform/page-plan.ts';
import { isRejected, type Rejected } from '../platform/register.ts';
import { createRoll } from '../platform/roll.ts';
import type { ReadServer } from '../platform/server.ts';
import type { Counted } from './counted.ts';
import { createCounting, type Counting, type CountingSettings } from './counting.ts';
import type { Collected, ListTask } from './list-task.ts';
import { isValid } from './validity.ts';

/** What was made of records, and whether their servers were kept. */
interface Known {
  readonly keepsServers: boolean;
  readonly counting: Counting;
  readonly records: KnownRecords<Counted | Rejected>;
}

/** A cloud with more kinds of servers than this, over time, is learned anew now and then. */
export const mostKinds = 200_000;

/** Every list whole and detailed; a record that has not changed is not read again. */
export function createDetailedLists(input: {
  readServer: ReadServer;
  settings: CountingSettings;
  clock: Clock;
}): (task: ListTask) => Promise<Collected> {
  let known: Known | undefined;
  const roll = createRoll<Counted | Rejected>();
  let layout: Layout | undefined;

  function knownFor(keepsServers: boolean): Known {
    if (known?.keepsServers === keepsServers && known.counting.size() <= mostKinds) return known;
    const counting = createCounting(input.settings, { keepsServers });
    known = { keepsServers, counting, records: createKnownRecords() };
    return known;
  }

  return async (task) => {
    const { records, counting } = knownFor(task.keepsServers);
    const now = input.clock.now();
    const reading = records.begin((item) => isRejected(item) || isValid(item.validity, now));
    const { sink, rollCall, ...facts } = await listServers({
      ...task,
      layout,
      known: reading,
      roll,
      read(record) {
        const server = input.readServer(record);
        return typeof server === 'string' ? server : counting.count(server, now);
      },
      createSink() {
        task.onReading('');
        return task.createSnapshotSink();
      },
    });
    return {
      sink,
      facts,
      keep() {
        layout = facts.layout;
        reading.keep();
        rollCall.keep();
      },
    };
  };
}

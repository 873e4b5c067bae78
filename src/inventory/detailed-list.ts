import type { Clock } from '../clock.ts';
import { createKnownRecords, type KnownRecords } from '../platform/known-records.ts';
import { listServers } from '../platform/list-servers.ts';
import type { Layout } from '../platform/page-plan.ts';
import type { Rejected } from '../platform/register.ts';
import type { Seat } from '../platform/roll.ts';
import type { ReadServer } from '../platform/server.ts';
import { countRemembered, createCounting, type Counting, type CountingSettings } from './counting.ts';
import type { Collected, ListTask } from './list-task.ts';
import { createMembers, type Members } from './members.ts';

/** What was made of records, and whether their servers were kept. */
interface Known {
  readonly keepsServers: boolean;
  readonly counting: Counting;
  readonly records: KnownRecords<Seat | Rejected>;
  readonly members: Members;
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
  /** Who was in the latest list. */
  let before: Members | undefined;
  let layout: Layout | undefined;

  function knownFor(keepsServers: boolean): Known {
    if (known?.keepsServers === keepsServers && countRemembered(known.counting) <= mostKinds) return known;
    const counting = createCounting(input.settings, { keepsServers });
    known = { keepsServers, counting, records: createKnownRecords(), members: createMembers(counting) };
    return known;
  }

  return async (task) => {
    const { records, counting, members } = knownFor(task.keepsServers);
    const now = input.clock.now();
    const reading = records.begin((item) => typeof item !== 'number' || members.isValid(item, now));
    const collection = members.begin();
    const { sink, ...facts } = await listServers<Seat, ReturnType<typeof createSink>>({
      ...task,
      layout,
      known: reading,
      seats: members,
      read(record) {
        const server = input.readServer(record);
        return typeof server === 'string' ? server : collection.add(counting.count(server, now));
      },
      createSink,
    });
    return {
      sink: sink.snapshotSink,
      facts,
      keep() {
        layout = facts.layout;
        const leavers = sink.rollCall.keep();
        reading.keep(sink.rollCall.isOfUse);
        // Where all was learned anew, all who were there before have left.
        const left = before && before !== members ? [...before.everyone()] : leavers.left;
        before = members;
        sink.snapshotSink.keep({ ...leavers, left });
      },
    };

    function createSink() {
      task.onReading('');
      const snapshotSink = task.createSnapshotSink();
      const rollCall = collection.begin();
      return {
        snapshotSink,
        rollCall,
        mostAtOnce: snapshotSink.mostAtOnce,
        add(seat: Seat, offset: number) {
          const newcomer = rollCall.newcomer(seat);
          if (newcomer) snapshotSink.add(newcomer, offset);
          else snapshotSink.stay(members.noteOf(seat), offset);
        },
      };
    }
  };
}

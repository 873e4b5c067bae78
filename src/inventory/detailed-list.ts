import { isRecord, text, type ReadServer } from '../platform/server.ts';
import { lacksOfAnswer } from './complete.ts';
import { factsOf, listServers, type Fed, type FeedTask } from './feed.ts';
import type { Fresh, Rejected, Row } from './row.ts';

/** The full list with details. A record that is as it was is not parsed. */
export async function listInDetail(task: FeedTask, readServer: ReadServer): Promise<Fed> {
  const { mirror } = task;
  const listing = await listServers<Row | Fresh | Rejected>(task, {
    details: true,
    fields: task.fields,
    take: (record, print) => readFresh(readServer, record, print),
    expectedAfter: mirror.expectedAfter,
    onAnswer: ({ items }) => task.onIncomplete(lacksOfAnswer(items, mirror.get)),
    onReading: task.onReading,
    onPage: task.onPage,
  });
  return { ...factsOf(listing, task), entries: listing.items.filter(isUsable) };
}

export function isUsable<Item extends object>(item: Item | Rejected): item is Exclude<Item, Rejected> {
  return !('rejection' in item);
}

export function readFresh(readServer: ReadServer, record: unknown, print: Fresh['print']): Fresh | Rejected {
  const server = readServer(record);
  return typeof server === 'string' ? rejectedAs(server, record) : { id: server.id, server, print };
}

export function rejectedAs(rejection: Rejected['rejection'], record: unknown): Rejected {
  return { id: rejection === 'bad_number' && isRecord(record) ? text(record['id']) : '', rejection };
}

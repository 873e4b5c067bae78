import { listAll } from '../platform/list.ts';
import { isRecord, text, type ReadServer } from '../platform/server.ts';
import { lacksOfAnswer } from './complete.ts';
import { countRejected, type Fed, type FeedTask } from './feed.ts';
import type { Fresh, Rejected, Row } from './row.ts';

/** The full list with details. A record that is as it was is not parsed. */
export async function listInDetail(task: FeedTask, readServer: ReadServer): Promise<Fed> {
  const { api, plan, mirror } = task;
  const listing = await listAll<Row | Fresh | Rejected>({
    what: 'servers',
    operation: 'list_servers',
    memory: task.memory,
    ids: mirror.ids(),
    oneRange: mirror.isEmpty,
    signal: task.signal,
    deadline: task.deadline,
    ...plan,
    onReading: task.onReading,
    onPage: task.onPage,
    async ask(ask, context) {
      const page = await api.listPage<Row | Fresh | Rejected>(
        { resource: 'servers', ask, details: true, fields: task.fields },
        { deadline: task.deadline, ...context },
        () => ({
          take: (record, print) => readFresh(readServer, record, print),
          expected: mirror.expectedAfter(ask.expectAfter),
        }),
      );
      const lacks = lacksOfAnswer(page.items, mirror.get);
      if (lacks.size > 0) task.onIncomplete(lacks);
      return page;
    },
  });
  const { items } = listing;
  return {
    kind: 'full',
    entries: items.filter(isUsable),
    gone: [],
    isAscending: listing.byOffset === undefined,
    reported: listing.reported,
    rejected: countRejected(items),
    pages: listing.pages,
    listedAt: task.startedAt,
    committed: () => undefined,
  };
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

import type { PageReader, PageRequest, PlatformApi } from '../platform/api.ts';
import { listAll, type ListInput, type Listing } from '../platform/list.ts';
import type { Page } from '../platform/list-pages.ts';
import type { ListMemory } from '../platform/list-memory.ts';
import { rejections, type Rejection } from '../platform/server.ts';
import type { Lack } from './complete.ts';
import type { Mirror } from './mirror.ts';
import type { Fresh, Rejected, Row } from './row.ts';

/** How the servers of a cloud are asked for. */
export interface ListPlan {
  readonly pageSize: number;
  readonly pageLimit: number;
  readonly concurrency: number;
  /** Why lists by id are out of the question, if so. */
  readonly cannotById: string | undefined;
}

/** What every way to list servers needs, for one collection. */
export interface FeedTask {
  readonly api: PlatformApi;
  readonly plan: ListPlan;
  readonly memory: ListMemory;
  readonly mirror: Mirror;
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** When it began, on the monotonic clock. */
  readonly startedAt: number;
  /** The fields of a detailed record to ask for; all if there are none. */
  readonly fields: readonly string[];
  /** Nothing less than a full list will do. */
  readonly mustBeFull: boolean;
  /** Whether hosts could be listed the last time, so that nobody has to ask servers for their state. */
  readonly areHostsListed: boolean;
  /** Whether servers of all owners are listed. */
  readonly isOfEverybody: () => boolean;
  onReading(how: string): void;
  onPage(progress: { received: number; reported: number | undefined }): void;
  /** What an answer lacked though the platform must know it, if anything. */
  onIncomplete(lacks: ReadonlySet<Lack>): void;
}

/** What a list says, in the platform's order. */
export interface Fed {
  /** A full list is all there is; one of changes leaves the others as they are. */
  readonly kind: 'full' | 'changes';
  readonly entries: readonly (Row | Fresh)[];
  /** Known servers that are not there any more, in a list of changes. */
  readonly gone: readonly string[];
  readonly isAscending: boolean;
  readonly reported: number | undefined;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly pages: number;
  /** When the full list was read, on the monotonic clock. */
  readonly listedAt: number;
  /** The collection succeeded: what was learned of the lists themselves is known from now on. */
  committed(): void;
}

export type Feed = (task: FeedTask) => Promise<Fed>;

/** All servers, or those that the filters let through; each record as `take` makes it. */
export function listServers<Item extends { readonly id: string }>(
  { api, plan, memory, mirror, signal, deadline }: FeedTask,
  how: Omit<PageRequest, 'resource' | 'ask'> & {
    readonly take: PageReader<Item>['take'];
    /** What stands behind an id in the last list: if its record is as it was, it is taken as it is. */
    readonly expectedAfter?: (id: string | undefined) => PageReader<Item>['expected'];
    readonly onAnswer?: (page: Page<Item>) => void;
  } & Partial<Pick<ListInput<Item>, 'memory' | 'ids' | 'oneRange' | 'pageSize' | 'onReading' | 'onPage'>>,
): Promise<Listing<Item>> {
  const { take, expectedAfter, onAnswer, details, fields, filters, parameters, ...more } = how;
  return listAll<Item>({
    resource: 'servers',
    memory,
    oneRange: mirror.isEmpty,
    signal,
    deadline,
    ...plan,
    ...more,
    ids: how.ids ?? mirror.ids(),
    async ask(ask, context) {
      const page = await api.listPage<Item>(
        { resource: 'servers', ask, details, fields, filters, parameters },
        { deadline, ...context },
        () => ({ take, expected: expectedAfter?.(ask.expectAfter) }),
      );
      onAnswer?.(page);
      return page;
    },
  });
}

/** Of a list of all servers. */
export function factsOf(listing: Listing<object>, { startedAt }: FeedTask) {
  return {
    kind: 'full',
    gone: [],
    isAscending: listing.byOffset === undefined,
    reported: listing.reported,
    rejected: countRejected(listing.items),
    pages: listing.pages,
    listedAt: startedAt,
    committed: () => undefined,
  } as const;
}

export function countRejected(items: readonly object[]): Map<Rejection, number> {
  const counts = new Map(rejections.map((rejection) => [rejection, 0]));
  for (const item of items)
    if ('rejection' in item) {
      const { rejection } = item as Rejected;
      counts.set(rejection, counts.get(rejection)! + 1);
    }
  return counts;
}

import { within, type Clock } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { Log } from '../log.ts';
import type { PlatformApi } from '../platform/api.ts';
import { readDevice, type ListedDevice } from '../platform/device.ts';
import { readHost, type ListedHost } from '../platform/host.ts';
import { listAll } from '../platform/list.ts';
import { createListMemory } from '../platform/list-memory.ts';
import { readNetwork, type ListedNetwork } from '../platform/network.ts';
import { readPlaceName, type NamedPlace } from '../platform/place-name.ts';
import { readStorage, type ListedStorage } from '../platform/storage.ts';
import { readSync, type ListedSync } from '../platform/sync.ts';
import {
  failureOf,
  listFailure,
  type Failure,
  type FailureReason,
  type Resource,
} from '../transport/failure.ts';
import type { ListFacts } from './snapshot.ts';

/** What the configuration says of these lists. */
export interface RoomSettings {
  readonly per_host: boolean;
  readonly list_hosts: boolean;
  readonly list_storages: boolean;
  readonly list_isolated_devices: boolean;
  readonly list_networks: boolean;
  readonly list_syncs: boolean;
  readonly room_max_age: number;
  readonly details_max_age: number;
}

interface Kind<Item> {
  readonly read: (record: unknown) => Item | undefined;
  /** For how long a list is good; undefined if it is not wanted. */
  readonly maxAgeMs: (settings: RoomSettings) => number | undefined;
  /** What switches it off. */
  readonly setting?: keyof RoomSettings;
  readonly details?: true;
  /** What a record lacks, it has from the list before: it was looked up, and that may have failed. */
  readonly keepsWords?: true;
  /** A number that records have in place of an id. */
  readonly key?: string;
  readonly parameters?: readonly (readonly [string, string])[];
}

/** What is listed beside the servers. One more kind is a line here, and a file that reads its records. */
const kinds = {
  hosts: {
    read: readHost,
    maxAgeMs: (settings) => (wantsHosts(settings) ? 0 : undefined),
    setting: 'list_hosts',
    parameters: [['show_emulated', 'true']],
  } satisfies Kind<ListedHost>,
  storages: {
    read: readStorage,
    maxAgeMs: (settings) => (settings.list_storages ? settings.room_max_age : undefined),
    setting: 'list_storages',
    details: true,
  } satisfies Kind<ListedStorage>,
  isolated_devices: {
    read: readDevice,
    maxAgeMs: (settings) =>
      wantsHosts(settings) && settings.list_isolated_devices ? settings.room_max_age : undefined,
    setting: 'list_isolated_devices',
    parameters: [['show_baremetal_isolated_devices', 'true']],
  } satisfies Kind<ListedDevice>,
  networks: {
    read: readNetwork,
    maxAgeMs: (settings) => (settings.list_networks ? settings.room_max_age : undefined),
    setting: 'list_networks',
    details: true,
    keepsWords: true,
  } satisfies Kind<ListedNetwork>,
  cloudproviderregions: {
    read: readSync,
    maxAgeMs: (settings) => (settings.list_syncs ? settings.room_max_age : undefined),
    setting: 'list_syncs',
    details: true,
    keepsWords: true,
    key: 'row_id',
  } satisfies Kind<ListedSync>,
  zones: { read: readPlaceName, maxAgeMs: namesMaxAgeMs } satisfies Kind<NamedPlace>,
  cloudregions: { read: readPlaceName, maxAgeMs: namesMaxAgeMs } satisfies Kind<NamedPlace>,
};
export type Beside = keyof typeof kinds;
type ItemOf<Resource extends Beside> = NonNullable<ReturnType<(typeof kinds)[Resource]['read']>>;

function wantsHosts({ per_host, list_hosts }: RoomSettings): boolean {
  return per_host && list_hosts;
}

/** Of names of zones and regions, where details are never old. */
const usualNamesMaxAgeMs = 1_800_000;

/** Names are read for the hosts alone. */
function namesMaxAgeMs(settings: RoomSettings): number | undefined {
  return wantsHosts(settings) ? settings.details_max_age || usualNamesMaxAgeMs : undefined;
}

/** The list that is served of one kind. */
export interface Room<Item> {
  readonly items: readonly Item[];
  /** It was read in this collection. */
  readonly isNew: boolean;
}

type Served = { readonly [Kind in Beside]?: Room<ItemOf<Kind>> | undefined };
export type Rooms = Served & {
  readonly facts: ReadonlyMap<Resource, ListFacts>;
};

export type RoomLister = ReturnType<typeof createRoomLister>;

/** How long servers that are all there wait for all others together. */
export const maxWaitMs = 5000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const pauseAfterLossMs = 1000;
/** The platform's largest page; such records are small. */
const recordsPerPage = 2048;

/** The account may not see them, or the platform has none to list: that seldom changes. */
const lasting: ReadonlySet<FailureReason> = new Set(['forbidden', 'unauthorized', 'rejected', 'malformed']);

interface RoomInput {
  readonly api: PlatformApi;
  readonly pageLimit: number;
  readonly maxStaleMs: number;
  readonly onLoss: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

export function createRoomLister(
  input: RoomInput & {
    readonly settings: RoomSettings;
    /** Whether these lists have all that the servers of this cloud are on. */
    readonly isOfEverybody: () => boolean;
    readonly heldToken: () => Token | undefined;
  },
) {
  const { clock } = input;
  const lists = (Object.keys(kinds) as Beside[]).flatMap((resource) => {
    const maxAgeMs = kinds[resource].maxAgeMs(input.settings);
    return maxAgeMs === undefined ? [] : [createRoomList({ ...input, resource, maxAgeMs })];
  });

  return {
    /** What was refused before is asked for again. */
    forget: () => lists.forEach((list) => list.forget()),
    /** Whether a list of hosts is served. */
    hasHosts: () => lists.some(({ resource, served }) => resource === 'hosts' && served() !== undefined),
    begin({ deadline, signal }: ListContext) {
      const over = new AbortController();
      const context = { deadline, signal: AbortSignal.any([signal, over.signal]) };
      const readings = new Map<Resource, Promise<void>>();
      let token: Token | undefined;

      /** To be called when the platform has taken the token: a refusal is then one of the list alone. */
      function start(): void {
        if (token || !input.isOfEverybody()) return;
        token = input.heldToken();
        if (token)
          for (const list of lists) if (list.isDue()) readings.set(list.resource, list.read(context));
      }

      return {
        start,
        abandon: () => over.abort(new Error('the servers could not be listed')),
        /** When the servers are there; waits a few seconds at most, never fails. */
        async finish(): Promise<Rooms> {
          start();
          if (readings.size > 0)
            await within<unknown>({ clock, ms: maxWaitMs }, Promise.all(readings.values()), () =>
              over.abort(new Error('servers do not wait any longer')),
            );
          // With another token than at the start, a refusal may have been meant for that one.
          if (!signal.aborted) for (const list of lists) list.learn(input.heldToken() === token);
          const served = input.isOfEverybody() ? lists : [];
          return {
            ...(Object.fromEntries(served.map((list) => [list.resource, list.served()])) as Served),
            facts: new Map(served.flatMap((list) => list.facts() ?? [])),
          };
        },
      };
    },
  };
}

interface ListContext {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** One kind of list, with the last good one. */
function createRoomList(input: RoomInput & { readonly resource: Beside; readonly maxAgeMs: number }) {
  type Item = ItemOf<Beside>;
  const { resource, maxAgeMs, clock, log } = input;
  const kind: Kind<Item> = kinds[resource];
  const { key, parameters } = kind;
  const memory = createListMemory(clock);
  let good: Awaited<ReturnType<typeof readOnce>> | undefined;
  let latest: { failure: Failure; inRow: number; pausedUntil: number } | undefined;
  /** How the list of this collection ended, until it is learned. */
  let outcome: Failure | 'read' | undefined;
  let isNew = false;

  function served(): Room<Item> | undefined {
    if (!good || clock.monotonic() - good.at > maxAgeMs + input.maxStaleMs) return undefined;
    return { items: good.items, isNew };
  }

  /** Ends with its outcome; never fails. */
  async function read(context: ListContext): Promise<void> {
    outcome = tooLate();
    const before = new Map(kind.keepsWords && good?.items.map((item) => [item.id, item]));
    try {
      let list = await readOnce(context, before);
      const lost = (good?.items.length ?? 0) - list.items.length;
      if (good && lost > 10 && lost > good.items.length / 2) {
        input.onLoss();
        await clock.wait(pauseAfterLossMs, context.signal);
        list = await readOnce(context, before);
      }
      context.signal.throwIfAborted();
      good = list;
      isNew = true;
      outcome = 'read';
    } catch (error) {
      // An extra: even a mistake of this program in such a list leaves the servers alone.
      outcome = context.signal.aborted ? tooLate() : failureOf(error, `list_${resource}`);
    }
  }

  async function readOnce({ deadline, signal }: ListContext, before: ReadonlyMap<string, Item>) {
    const at = clock.monotonic();
    const listing = await listAll<{ readonly id: string; readonly item?: Item }>({
      resource,
      memory,
      ids: [],
      oneRange: true,
      pageSize: recordsPerPage,
      pageLimit: input.pageLimit,
      concurrency: 1,
      signal,
      deadline,
      ask: (ask, context) =>
        input.api.listPage(
          { resource, ask, key, parameters, details: kind.details ?? false, fields: [] },
          { deadline, ...context },
          () => ({
            take(record) {
              const item = kind.read(record);
              return item ? { id: item.id, item: completed(item, before.get(item.id)) } : { id: '' };
            },
          }),
        ),
    });
    const { items: records, reported, pages } = listing;
    if (records.length < (reported ?? 0))
      throw listFailure(resource, 'truncated', `${records.length} arrived, ${reported} were announced`);
    const items = records.flatMap(({ item }) => item ?? []);
    return { items, at, listedAt: clock.now(), reported, rejected: records.length - items.length, pages };
  }

  function learn(isProven: boolean): void {
    const ended = outcome;
    outcome = undefined;
    if (ended !== 'read') isNew = false;
    if (ended === undefined) return;
    if (ended === 'read') {
      if (latest) log.info({ resource, listed: good?.items.length }, `${resource} can be listed again`);
      latest = undefined;
      return;
    }
    const inRow = (latest?.inRow ?? 0) + 1;
    const isLasting = isProven && lasting.has(ended.reason) && ended.operation === `list_${resource}`;
    // One failure may be chance. More of them in a row, and the platform is left alone for longer and longer.
    const shortMs = inRow === 1 ? 0 : Math.min(hourMs, minuteMs * 2 ** (inRow - 2));
    const { reason, operation, requestId, message, cause } = ended;
    const stack = cause instanceof Error ? cause.stack : undefined;
    const fields = { resource, reason, operation, requestId, err: message, stack };
    const end = kind.setting === undefined ? '' : `; ${kind.setting}: false ends this`;
    const words = `${resource} cannot be listed${end}`;
    if (latest?.failure.reason === reason) log.debug(fields, words);
    else if (lasting.has(reason)) log.info(fields, words);
    else log.warn(fields, words);
    latest = { failure: ended, inRow, pausedUntil: clock.monotonic() + (isLasting ? hourMs : shortMs) };
  }

  function facts(): readonly (readonly [Beside, ListFacts])[] | undefined {
    const list = served() && good;
    if (!list && !latest) return undefined;
    const told: ListFacts = {
      failure: latest?.failure,
      reported: list?.reported,
      received: list?.items.length,
      rejected: new Map([['not_usable', list?.rejected ?? 0]]),
      pages: list?.pages,
      listedAt: list?.listedAt,
    };
    return [[resource, told]];
  }

  function tooLate(): Failure {
    const words = `the list did not end within ${maxWaitMs / 1000} s after that of the servers`;
    return listFailure(resource, 'timeout', words);
  }

  return {
    resource,
    served,
    read,
    learn,
    facts,
    isDue(): boolean {
      isNew = false;
      const now = clock.monotonic();
      if (now < (latest?.pausedUntil ?? -Infinity)) return false;
      return latest !== undefined || !good || now - good.at >= maxAgeMs;
    },
    forget(): void {
      memory.forget();
      if (latest) latest = { ...latest, pausedUntil: -Infinity };
    },
  };
}

function completed<Item extends object>(item: Item, before: Item | undefined): Item {
  if (before === undefined) return item;
  const words = Object.entries(item).filter(([, value]) => value !== '' && value !== undefined);
  return { ...item, ...before, ...Object.fromEntries(words) };
}

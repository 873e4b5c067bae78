import type { Clock } from '../clock.ts';
import type { PlatformApi } from '../platform/api.ts';
import type { ListMemory } from '../platform/list-memory.ts';
import type { ReadServer, Server } from '../platform/server.ts';
import { Failure } from '../transport/failure.ts';
import { createSlices, type YieldToEventLoop } from '../yield-to-event-loop.ts';
import type { CollectionTask } from './collector.ts';
import { completeRecords, type Lack } from './complete.ts';
import { readFresh } from './detailed-list.ts';
import { listServers, type Fed, type Feed, type FeedTask, type ListPlan } from './feed.ts';
import { joinHosts, joinStorages, type Overcommit } from './hosts.ts';
import type { Mirror, Reading } from './mirror.ts';
import { hostOf, learnFrom, learnFromHosts, projectOf, type Names, type PlaceOf } from './names.ts';
import { joinNetworks, joinSyncs } from './networks.ts';
import { readById } from './read-by-id.ts';
import type { RoomLister, Rooms } from './rooms.ts';
import { isFresh, type Fresh } from './row.ts';
import type { Snapshot } from './snapshot.ts';
import { addUp, type SumSettings } from './sums.ts';
import type { Progress, Trace } from './trace.ts';

export interface CollectionSettings
  extends SumSettings, Pick<Snapshot, 'cloud' | 'extraLabels' | 'infoLabels' | 'bytesPer' | 'seriesLimit'> {
  readonly overcommit: Overcommit;
  /** Whether hosts are exported. */
  readonly perHost: boolean;
  /** Whether single servers are. */
  readonly perServer: boolean;
  /** Whether details are kept from list to list. */
  readonly hasLightLists: boolean;
}

const pauseAfterLossMs = 1000;

/** One collection of one cloud, from the first page to the snapshot. */
export function createCollection(input: {
  api: PlatformApi;
  plan: ListPlan;
  memory: ListMemory;
  mirror: Mirror;
  /** How the servers are listed. */
  feed: Feed;
  readServer: ReadServer;
  settings: CollectionSettings;
  /** The fields of a server to ask for. */
  fields: (withSingleServers: boolean) => readonly string[];
  rooms: RoomLister;
  isOfEverybody: () => boolean;
  onIncomplete: (lacks: Iterable<Lack | 'loss'>) => void;
  onSuccess: () => void;
  clock: Clock;
  trace: Trace;
  onPage: ((progress: Progress) => void) | undefined;
  yieldToEventLoop: YieldToEventLoop;
}): (task: CollectionTask) => Promise<Snapshot> {
  const { api, plan, mirror, settings, clock, trace } = input;

  return async ({ deadline, signal, keepServers }) => {
    const now = clock.now();
    const slices = createSlices(input.yieldToEventLoop);
    const rooms = input.rooms.begin({ deadline, signal });
    const task: FeedTask = {
      api,
      plan,
      memory: input.memory,
      mirror,
      deadline,
      signal,
      startedAt: Math.floor(clock.monotonic()),
      fields: input.fields(keepServers),
      mustBeFull: false,
      areHostsListed: input.rooms.hasHosts(),
      isOfEverybody: input.isOfEverybody,
      onReading: trace.reading,
      onPage(progress) {
        trace.pageRead(progress);
        rooms.start();
        input.onPage?.(progress);
      },
      onIncomplete,
    };
    let beside: Rooms | undefined;
    let read = await readServers(task);
    if (isLoss(read)) {
      onIncomplete(new Set(['loss' as const]));
      // After a list of changes, the full list is the second reading.
      if (read.fed.kind === 'full') await clock.wait(pauseAfterLossMs, signal);
      read = await readServers({ ...task, mustBeFull: true });
    }
    return publish(read, beside!);

    function onIncomplete(lacks: ReadonlySet<Lack | 'loss'>): void {
      if (lacks.size === 0) return;
      trace.incomplete(lacks);
      input.onIncomplete(lacks);
    }

    async function readServers(how: FeedTask): Promise<{ fed: Fed; reading: Reading }> {
      const reading = mirror.begin();
      const fed = await input.feed(how).catch((error: unknown) => {
        rooms.abandon();
        throw error;
      });
      beside ??= await rooms.finish();
      signal.throwIfAborted();
      const fresh = fed.entries.filter(isFresh);
      learnNames(reading, fresh, beside);
      await slices.next();
      const completed = await completeRecords(fresh, {
        names: reading.names,
        before: mirror.get,
        told: fed.kind === 'full' ? fed.entries : mirror.rows(),
        readAt: how.startedAt,
        slices,
        maxAsked: plan.pageSize,
        wait: (ms) => clock.wait(ms, signal),
        askAgain: (ids) => askAgain(how, ids),
      });
      await slices.next();
      for (const entry of fed.entries) {
        if (slices.isOver()) await slices.next();
        reading.put(isFresh(entry) ? completed.get(entry.id)! : entry);
      }
      for (const id of fed.gone) reading.remove(id);
      return { fed, reading };
    }

    /** A list that broke off here changes nothing: what is incomplete is then told as far as it is known. */
    async function askAgain(
      how: FeedTask,
      ids: readonly string[],
    ): Promise<ReadonlyMap<string, Fresh> | undefined> {
      const take = (record: unknown) => readFresh(input.readServer, record, undefined);
      try {
        const byId = await readById(how, ids, { take });
        // Where single ids cannot be asked for, all are.
        const records =
          byId?.found.values() ?? (await listServers(how, { details: true, fields: how.fields, take })).items;
        return new Map([...records].flatMap((record) => ('server' in record ? [[record.id, record]] : [])));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Failure) return undefined;
        throw error;
      }
    }

    async function publish(
      { fed, reading }: { fed: Fed; reading: Reading },
      rooms: Rooms,
    ): Promise<Snapshot> {
      await slices.next();
      signal.throwIfAborted();
      const { hosts: listedHosts } = rooms;
      const isCommitted = reading.commit(fed.kind, {
        isAscending: fed.isAscending,
        hosts: listedHosts?.items ?? [],
      });
      if (!isCommitted)
        throw new Failure('timeout', 'a later collection was done first', { operation: 'list_servers' });
      fed.committed();
      input.onSuccess();
      const { names } = reading;
      // Another collection may be committed from here on.
      const known = { rows: mirror.rows(), places: mirror.places() };
      await slices.next();
      const { hosts, devicesInUse, oldestReadAt, ...sums } = await addUp(known, settings, now, slices);
      await slices.next();
      const { cloud, extraLabels, infoLabels, bytesPer, seriesLimit, overcommit, perServer } = settings;
      const snapshot: Snapshot = {
        cloud,
        takenAt: clock.now(),
        extraLabels,
        infoLabels,
        bytesPer,
        seriesLimit,
        ...sums,
        hosts: settings.perHost
          ? joinHosts({
              told: hosts,
              listed: listedHosts?.items,
              devices: rooms.isolated_devices?.items,
              devicesInUse,
              names,
              overcommit,
            })
          : undefined,
        storages: rooms.storages && joinStorages(rooms.storages.items, placesOf(rooms), overcommit),
        networks: rooms.networks && joinNetworks(rooms.networks.items, placesOf(rooms)),
        syncs: rooms.cloudproviderregions && joinSyncs(rooms.cloudproviderregions.items, clock.now()),
        lists: new Map([
          [
            'servers',
            {
              failure: undefined,
              reported: fed.reported,
              received: known.rows.length,
              rejected: fed.rejected,
              pages: fed.pages,
              listedAt: onWallClock(fed.listedAt),
            },
          ],
          ...rooms.facts,
        ]),
        detailsAt:
          settings.hasLightLists && oldestReadAt !== undefined ? onWallClock(oldestReadAt) : undefined,
        servers:
          keepServers || perServer ? known.rows.map(({ server }) => underNames(server, names)) : undefined,
        exportsServers: perServer,
      };
      trace.collected(snapshot);
      await slices.next();
      return snapshot;
    }

    function isLoss({ fed, reading }: { fed: Fed; reading: Reading }): boolean {
      const lost = fed.kind === 'full' ? reading.lost() : fed.gone.filter((id) => mirror.get(id)).length;
      return lost > 10 && lost > mirror.size / 2;
    }

    function onWallClock(at: number): number {
      return clock.now() - (clock.monotonic() - at);
    }
  };
}

/** First the records, then the lists, which are newer. */
function learnNames({ names }: Reading, fresh: readonly Fresh[], rooms: Rooms): void {
  for (const { server } of fresh) learnFrom(names, server);
  const { hosts, zones, cloudregions } = rooms;
  const arePlacesNew = zones?.isNew === true || cloudregions?.isNew === true;
  if (hosts?.isNew) learnFromHosts(names, hosts.items, placesOf(rooms), arePlacesNew);
}

function placesOf(rooms: Rooms): PlaceOf {
  const zones = new Map(rooms.zones?.items.map((zone) => [zone.id, zone]));
  const regions = new Map(rooms.cloudregions?.items.map(({ id, name }) => [id, name]));
  return (zoneId) => {
    const { name = '', regionId = '' } = zones.get(zoneId) ?? {};
    return { zone: name, region: regions.get(regionId) ?? '' };
  };
}

function underNames(server: Server, names: Names): Server {
  const { host, zone, region } = hostOf(names, server);
  const { project, projectDomain } = projectOf(names, server);
  const isSame =
    server.host === host &&
    server.zone === zone &&
    server.region === region &&
    server.project === project &&
    server.projectDomain === projectDomain;
  return isSame ? server : { ...server, host, zone, region, project, projectDomain };
}

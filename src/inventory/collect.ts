import type { Clock } from '../clock.ts';
import type { TokenSource } from '../identity/token.ts';
import type { Log } from '../log.ts';
import type { PlatformApi } from '../platform/api.ts';
import { createScopeChoice, scopeInUse, type ScopeChoice } from '../platform/scope.ts';
import type { ReadServer, Server } from '../platform/server.ts';
import { Failure } from '../transport/failure.ts';
import { createSlices, inSlices, type Slices, type YieldToEventLoop } from '../yield-to-event-loop.ts';
import { joinHosts, type Overcommit } from './hosts.ts';
import type { Known } from './known.ts';
import { lookupsFor, type Surroundings } from './lookups.ts';
import {
  copyNames,
  hostOf,
  learnFrom,
  learnFromHosts,
  namesInUse,
  projectOf,
  type Names,
  type PlaceOf,
} from './names.ts';
import { numberRows } from './number-rows.ts';
import { listServers, readOnceMore, type ServerList } from './server-list.ts';
import type { ListContext, ListPlan } from './server-pages.ts';
import { settle } from './settle.ts';
import { beginSideLists, type SideResult } from './side-lists.ts';
import type { SideSettings } from './side-resources.ts';
import type { ListFacts, Snapshot } from './snapshot.ts';
import { joinNetworks, joinSyncs } from './networks.ts';
import { joinStorages } from './storages.ts';
import { addUp, type Sums, type SumSettings } from './sums.ts';
import type { Progress, Trace } from './trace.ts';

export interface CollectionSettings
  extends SumSettings, Pick<Snapshot, 'cloud' | 'extraLabels' | 'infoLabels' | 'bytesPer' | 'seriesLimit'> {
  readonly overcommit: Overcommit;
  /** Whether hosts are exported, and single servers. */
  readonly perHost: boolean;
  readonly perServer: boolean;
  readonly maxStaleMs: number;
  readonly side: SideSettings;
}

/** One collection: its end on the monotonic clock, and the signal that it is over. */
export interface CollectionTask {
  readonly deadline: number;
  readonly keepServers: boolean;
  readonly signal: AbortSignal;
}

export interface CollectionInput {
  readonly query: readonly (readonly [string, string])[];
  /** How the platform is asked, in the scope of this collection. */
  readonly apiIn: (scope: ScopeChoice, isProven: boolean) => PlatformApi;
  readonly tokens: TokenSource;
  readonly plan: ListPlan;
  readonly readServer: ReadServer;
  /** The fields of a server to ask for. */
  readonly fields: (withSingleServers: boolean) => readonly string[];
  readonly settings: CollectionSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly trace: Trace;
  readonly onPage: ((progress: Progress) => void) | undefined;
  readonly yieldToEventLoop: YieldToEventLoop;
}

export interface Collected {
  readonly known: Known;
  readonly snapshot: Snapshot;
}

/** One collection of one cloud, from what is known and the first page to what is known then and its snapshot. */
export async function collect(
  input: CollectionInput,
  known: Known,
  { deadline, signal, keepServers }: CollectionTask,
): Promise<Collected> {
  const { plan, settings, tokens, readServer, clock, log, trace } = input;
  const startedAt = Math.floor(clock.monotonic());
  const now = clock.now();
  const slices = createSlices(input.yieldToEventLoop);
  const scope = createScopeChoice(input.query, known.scope, log);
  const api = input.apiIn(scope, known.listedAt !== undefined);
  const sides = beginSideLists({
    api,
    settings: settings.side,
    pageLimit: plan.pageLimit,
    maxStaleMs: settings.maxStaleMs,
    known: known.sideLists,
    isOfEverybody: () => isOfEverybody(tokens, scope),
    heldToken: tokens.held,
    startedAt,
    deadline,
    signal,
    clock,
    log,
  });
  const context: ListContext = {
    api,
    plan,
    readServer,
    known,
    fields: input.fields(keepServers),
    startedAt,
    deadline,
    signal,
    clock,
    log,
    slices,
    incomplete: new Map(),
    note: trace.note,
    onPage(progress) {
      trace.pageRead(progress);
      input.onPage?.(progress);
      sides.start();
    },
  };

  const list = await listServers(context);
  const side = await sides.finish();
  const names = copyNames(known.names);
  await learnNames(names, list, side, context);
  const settled = await settle(list.entries, {
    ...around(names, side, context),
    readAt: startedAt,
    maxAsked: plan.pageSize,
    slices,
    wait: (ms) => clock.wait(ms, signal),
    askAgain: (ids) => askAgain(context, ids),
  });
  const numbered = await numberRows(settled, known, names, slices);
  const { oldestReadAt, toReadAgain, groupsInUse, ...sums } = await addUp(
    { ...numbered, names },
    settings,
    now,
    slices,
  );
  signal.throwIfAborted();
  const next: Known = {
    ...numbered,
    names: names.hasNews
      ? await namesInUse(names, numbered.rows, side.served.hosts?.items ?? [], slices)
      : known.names,
    groupsInUse,
    listedAt: startedAt,
    fields: list.fields,
    cursor: list.cursor,
    toReadAgain,
    rejected: list.rejectedDetails,
    unheeded: list.unheeded,
    scope: scope.provenWith(tokens.held()),
    sideLists: side.known,
    incomplete: countIncomplete(known, context, side),
  };
  const onWallClock = (at: number) => clock.now() - (clock.monotonic() - at);
  const snapshot: Snapshot = {
    ...snapshotOf(sums, side, names, now, settings),
    takenAt: clock.now(),
    lists: new Map([['servers', factsOf(list, next.rows.length, onWallClock(startedAt))], ...side.facts]),
    detailsAt: plan.detailsMaxAgeMs > 0 && oldestReadAt !== undefined ? onWallClock(oldestReadAt) : undefined,
    servers: keepServers || settings.perServer ? await serversUnder(names, next, slices) : undefined,
  };
  const token = tokens.held();
  if (token) trace.listed(scopeInUse(input.query, token, next.scope));
  trace.collected(snapshot);
  return { known: next, snapshot };
}

/** Else servers of other projects are not seen: what they leave of a host would be too much. */
function isOfEverybody(tokens: TokenSource, scope: ScopeChoice): boolean {
  const token = tokens.held();
  return token !== undefined && scope.inUse(token).scope === 'system';
}

/** First the records, then the lists, which are newer. */
async function learnNames(
  names: Names,
  { entries }: ServerList,
  { served }: SideResult,
  { startedAt, slices }: ListContext,
): Promise<void> {
  await inSlices(slices, entries.length, { names, entries }, learnFromEntry);
  const { hosts, zones, cloudregions } = served;
  const arePlacesNew = zones?.at === startedAt || cloudregions?.at === startedAt;
  if (hosts?.at === startedAt) learnFromHosts(names, hosts.items, placesOf(served), arePlacesNew);
}

function learnFromEntry(
  { names, entries }: Pick<ServerList, 'entries'> & { names: Names },
  at: number,
): void {
  const entry = entries[at]!;
  if (entry.kind === 'reading') learnFrom(names, entry.server);
}

function placesOf({ zones, cloudregions }: SideResult['served']): PlaceOf {
  const zonesById = new Map(zones?.items.map((zone) => [zone.id, zone]));
  const regions = new Map(cloudregions?.items.map(({ id, name }) => [id, name]));
  return (zoneId) => {
    const { name = '', regionId = '' } = zonesById.get(zoneId) ?? {};
    return { zone: name, region: regions.get(regionId) ?? '' };
  };
}

function around(names: Names, { served }: SideResult, { fields }: ListContext): Surroundings {
  const named = served.isolated_devices?.items.map(({ serverId }) => serverId) ?? [];
  return { lookups: lookupsFor(fields), names, serversWithDevices: new Set(named.filter((id) => id !== '')) };
}

/** An answer that does not come changes nothing: what is incomplete is then exported as far as it is known. */
async function askAgain(
  context: ListContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Server> | undefined> {
  try {
    return await readOnceMore(context, ids);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function countIncomplete({ incomplete }: Known, context: ListContext, side: SideResult): Known['incomplete'] {
  const counts = { ...incomplete };
  for (const [reason, count] of context.incomplete) counts[reason] += count;
  counts.loss += side.losses;
  return counts;
}

function factsOf(list: ServerList, received: number, listedAt: number): ListFacts {
  const { reported, rejected, pages } = list;
  return { failure: undefined, reported, received, rejected, pages, listedAt };
}

function snapshotOf(
  { hosts, devicesInUse, ...sums }: Omit<Sums, 'oldestReadAt' | 'toReadAgain' | 'groupsInUse'>,
  { served }: SideResult,
  names: Names,
  now: number,
  settings: CollectionSettings,
) {
  const { cloud, extraLabels, infoLabels, bytesPer, seriesLimit, overcommit, perHost, perServer } = settings;
  const joined = { servers: hosts, listed: served.hosts?.items, devices: served.isolated_devices?.items };
  return {
    cloud,
    extraLabels,
    infoLabels,
    bytesPer,
    seriesLimit,
    ...sums,
    hosts: perHost ? joinHosts({ ...joined, devicesInUse, names, overcommit }) : undefined,
    storages: served.storages && joinStorages(served.storages.items, placesOf(served), overcommit),
    networks: served.networks && joinNetworks(served.networks.items, placesOf(served)),
    syncs: served.cloudproviderregions && joinSyncs(served.cloudproviderregions.items, now),
    exportsServers: perServer,
  };
}

/** Each server under the names of its ids. */
async function serversUnder(names: Names, { rows }: Known, slices: Slices): Promise<readonly Server[]> {
  const servers: Server[] = [];
  await inSlices(slices, rows.length, { rows, names, servers }, nameServer);
  return servers;
}

function nameServer(
  { rows, names, servers }: Pick<Known, 'rows' | 'names'> & { servers: Server[] },
  at: number,
) {
  servers.push(underNames(rows[at]!.server, names));
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

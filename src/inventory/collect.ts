import type { Clock } from '../clock.ts';
import type { TokenSource } from '../identity/token.ts';
import type { Log } from '../log.ts';
import type { PlatformApi } from '../platform/api.ts';
import { createScopeChoice, scopeInUse, type ScopeChoice } from '../platform/scope.ts';
import type { ReadServer, Server } from '../platform/server.ts';
import { Failure } from '../transport/failure.ts';
import { createSlices, inSlices, type Slices, type YieldToEventLoop } from '../yield-to-event-loop.ts';
import { groupRows } from './groups.ts';
import { joinHosts, type Overcommit } from './hosts.ts';
import type { Known } from './known.ts';
import { lookupsFor, type Surroundings } from './lookups.ts';
import { copyNames, hostOf, learnFrom, learnFromHosts, namesInUse, projectOf, type Names } from './names.ts';
import { listServers, readOnceMore, type ServerList } from './server-list.ts';
import type { ListContext, ListPlan } from './server-pages.ts';
import { settle } from './settle.ts';
import { beginSideLists, type SideResult } from './side-lists.ts';
import type { SideSettings } from './side-resources.ts';
import { placesOf, sideSeries } from './side-series.ts';
import type { ListFacts, Snapshot } from './snapshot.ts';
import { addUp, type SumSettings } from './sums.ts';
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
  const listed = side.served.hosts?.items;
  const { breakdowns, overcommit } = settings;
  const { rows, groups } = await groupRows(settled, known, { names, breakdowns, listed }, slices);
  const sums = await addUp({ rows, groups, names }, settings, now, slices);
  const { hosts: hostSums, devicesInUse, oldestReadAt, toReadAgain, groupsInUse, ...fleet } = sums;
  const devices = side.served.isolated_devices?.items;
  const joined = { groups, sums: hostSums, listed, devices, devicesInUse, names, overcommit };
  const hosts = settings.perHost ? await joinHosts(joined, slices) : undefined;
  const { from, ...beside } = sideSeries(side.served, known.sideSeries, groups, overcommit);
  signal.throwIfAborted();
  const next: Known = {
    rows,
    groups,
    names: names.hasNews ? await namesInUse(names, rows, listed ?? [], slices) : known.names,
    groupsInUse: groupsInUse + (hosts?.all.length ?? 0),
    sideSeries: { from, ...beside },
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
    ...described(settings),
    ...fleet,
    hosts,
    ...beside,
    takenAt: clock.now(),
    lists: new Map([['servers', factsOf(list, rows.length, onWallClock(startedAt))], ...side.facts]),
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
  { known, startedAt, slices }: ListContext,
): Promise<void> {
  await inSlices(slices, entries.length, { names, entries }, learnFromEntry);
  const { hosts, zones, cloudregions } = served;
  const arePlacesNew = zones?.at === startedAt || cloudregions?.at === startedAt;
  const isSame = hosts?.items === known.sideLists.hosts?.good?.items && !arePlacesNew && !names.hasNews;
  if (hosts?.at === startedAt && !isSame) learnFromHosts(names, hosts.items, placesOf(served), arePlacesNew);
}

function learnFromEntry(
  { names, entries }: Pick<ServerList, 'entries'> & { names: Names },
  at: number,
): void {
  const entry = entries[at]!;
  if (entry.kind === 'reading') learnFrom(names, entry.server);
}

function around(names: Names, { served }: SideResult, { fields }: ListContext): Surroundings {
  const serversWithDevices = new Set<string>();
  for (const { serverId } of served.isolated_devices?.items ?? [])
    if (serverId !== '') serversWithDevices.add(serverId);
  return { lookups: lookupsFor(fields), names, serversWithDevices };
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

function described({ cloud, extraLabels, infoLabels, bytesPer, seriesLimit, perServer }: CollectionSettings) {
  return { cloud, extraLabels, infoLabels, bytesPer, seriesLimit, exportsServers: perServer };
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

import type { Clock } from '../clock.ts';
import type { TokenSource } from '../identity/token.ts';
import type { Log } from '../log.ts';
import type { PlatformApi } from '../platform/api.ts';
import { createScopeChoice, scopeInUse, type ScopeChoice } from '../platform/scope.ts';
import type { ReadServer, Server } from '../platform/server.ts';
import type { ListedDevice } from '../platform/side-records.ts';
import { Failure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import { createSlices, inSlices, type YieldToEventLoop } from '../yield-to-event-loop.ts';
import { groupRows } from './groups.ts';
import { joinHosts, type Overcommit } from './hosts.ts';
import type { Known } from './known.ts';
import { lookupsFor } from './lookups.ts';
import { copyNames, hostOf, learnFrom, learnFromHosts, namesInUse, projectOf, type Names } from './names.ts';
import { listServers, readOnceMore, type ServerList } from './server-list.ts';
import type { ListContext, ListPlan } from './server-pages.ts';
import { settle } from './settle.ts';
import { beginSideLists, type SideInput, type SideResult } from './side-lists.ts';
import type { SideSettings } from './side-resources.ts';
import { placesOf, sideSeries } from './side-series.ts';
import type { ListFacts, Snapshot } from './snapshot.ts';
import { addUp, type SumSettings } from './sums.ts';
import type { Progress, Trace } from './trace.ts';

export interface CollectionSettings extends SumSettings, SideSettings {
  readonly overcommit: Overcommit;
  readonly per_server: boolean;
  /** What the snapshot has of the configuration. */
  readonly described: Pick<
    Snapshot,
    'cloud' | 'extraLabels' | 'infoLabels' | 'bytesPer' | 'seriesLimit' | 'exportsServers'
  >;
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
  readonly onPage?: (progress: Progress) => void;
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
  task: CollectionTask,
): Promise<Collected> {
  const { plan, settings, query, tokens, clock, trace } = input;
  const { signal, keepServers } = task;
  const held = tokens.held();
  trace.note(
    held ? `a token is held, good until ${new Date(held.endsAt).toISOString()}` : 'no token is held',
  );
  const startedAt = Math.floor(clock.monotonic());
  const now = clock.now();
  const slices = createSlices(input.yieldToEventLoop);
  const scope = createScopeChoice(query, known.scope, input.log);
  const context: ListContext & SideInput = {
    ...input,
    ...task,
    known,
    scope,
    api: input.apiIn(scope, known.listedAt !== undefined),
    fields: input.fields(keepServers),
    startedAt,
    slices,
    incomplete: new Map(),
    note: trace.note,
    onPage(progress: Progress): void {
      const { received, reported = 'an unknown number of' } = progress;
      trace.note(`page read: ${received} of ${reported} servers`);
      input.onPage?.(progress);
      sides.start();
    },
  };

  const sides = beginSideLists(context);
  const list = await listServers(context);
  const side = await sides.finish();
  const { hosts: { items: listed } = {}, isolated_devices: { items: devices } = {} } = side.served;
  const names = copyNames(known.names);
  await learnNames(names, list, side, context);
  const settled = await settle(list.entries, {
    ...context,
    lookups: lookupsFor(context.fields),
    names,
    serversWithDevices: new Set(devices?.map(serverWith)),
    askAgain: (ids) => askAgain(context, ids),
  });

  const { breakdowns, overcommit } = settings;
  const { rows, groups } = await groupRows(settled, known, { names, breakdowns, listed }, slices);
  const sums = await addUp({ rows, groups, names }, settings, now, slices);
  const { hosts: hostSums, devicesInUse, oldestReadAt, toReadAgain, groupsInUse, ...fleet } = sums;
  const joined = { groups, sums: hostSums, listed, devices, devicesInUse, names, overcommit };
  const hosts = settings.per_host ? await joinHosts(joined, slices) : undefined;
  const { from, ...beside } = await sideSeries(side.served, known.sideSeries, groups, overcommit, slices);
  const servers: Server[] = [];
  const hasServers = keepServers || settings.per_server;
  if (hasServers) await inSlices(slices, rows.length, { rows, names, servers }, nameServer);
  const incomplete = { ...known.incomplete };
  for (const [reason, count] of context.incomplete) incomplete[reason] += count;
  incomplete.loss += side.losses;

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
    ignored: list.ignored,
    scope: scope.provenWith(tokens.held()),
    sideLists: side.known,
    incomplete,
  };
  const { reported, rejected, pages } = list;
  // From the monotonic clock to the one on the wall.
  const offset = clock.now() - clock.monotonic();
  const facts = {
    failure: undefined,
    reported,
    received: rows.length,
    rejected,
    pages,
    listedAt: startedAt + offset,
  };
  const snapshot: Snapshot = {
    ...settings.described,
    ...fleet,
    hosts,
    ...beside,
    takenAt: clock.now(),
    lists: new Map<Resource, ListFacts>([['servers', facts], ...side.facts]),
    detailsAt: plan.detailsMaxAgeMs > 0 && oldestReadAt !== undefined ? oldestReadAt + offset : undefined,
    servers: hasServers ? servers : undefined,
  };
  const token = tokens.held();
  const inUse = token && scopeInUse(query, token, next.scope);
  if (inUse) trace.note(`listed with scope ${inUse.scope}, ${inUse.why}`);
  trace.collected(snapshot);
  return { known: next, snapshot };
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

interface Learning extends Pick<ServerList, 'entries'> {
  readonly names: Names;
}

function learnFromEntry({ names, entries }: Learning, at: number): void {
  const entry = entries[at]!;
  if (entry.kind === 'reading') learnFrom(names, entry.server);
}

function serverWith({ serverId }: ListedDevice): string {
  return serverId;
}

/** An answer that does not come changes nothing: what is incomplete is then exported as far as it is known. */
async function askAgain(
  context: ListContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Server> | undefined> {
  try {
    return await readOnceMore(context, ids);
  } catch (error) {
    if (error instanceof Failure && !context.signal.aborted) return undefined;
    throw error;
  }
}

interface Naming extends Pick<Known, 'rows' | 'names'> {
  readonly servers: Server[];
}

/** Each server under the names of its ids. */
function nameServer({ rows, names, servers }: Naming, at: number): void {
  const { server } = rows[at]!;
  const { host, zone, region } = hostOf(names, server);
  const { project, projectDomain } = projectOf(names, server);
  const isSame =
    server.host === host &&
    server.zone === zone &&
    server.region === region &&
    server.project === project &&
    server.projectDomain === projectDomain;
  servers.push(isSame ? server : { ...server, host, zone, region, project, projectDomain });
}

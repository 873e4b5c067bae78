import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import type { Group, Groups } from './groups.ts';
import { noHost, type HostNumbers } from './host-numbers.ts';
import { hostOf, isHostUp, type HostNames, type Names } from './names.ts';
import {
  findProblems,
  summarize,
  type Problem,
  type ProblemKind,
  type Problems,
  type ProblemSettings,
} from './problems.ts';
import type { Row } from './row.ts';
import {
  fold,
  sumsByState,
  sumsByStatus,
  sumsOfParts,
  type LabelledSums,
  type Labels,
  type Measure,
  type PartTree,
} from './labelled-sums.ts';
import { createTree, leafOf, leavesOf } from './tree.ts';

/** A sum over the servers of a host, whatever their state. */
export interface HostMeasure extends Measure {
  /** A server that counts here counts for the host of its standby as well. */
  readonly countsStandbys: boolean;
}

/** What a server may have several of: the values of its own labels for each. */
export interface Breakdown {
  readonly name: string;
  readonly parts: (server: Server, now: number) => readonly (readonly string[])[];
}

export interface SumSettings {
  readonly measures: readonly Measure[];
  readonly breakdowns: readonly Breakdown[];
  readonly hostMeasures: readonly Measure[];
  readonly hostTotals: readonly HostMeasure[];
  readonly problems: ProblemSettings;
  /** Label sets beyond this are counted under `other`. */
  readonly groupLimit: number;
}

/** What the servers on one host say of it, and add up to. */
export interface HostServers {
  /** `''` where servers do not say. */
  readonly id: string;
  readonly names: HostNames;
  readonly hypervisor: string;
  /** By the names of the measures, for each state that a server is in. */
  readonly states: readonly { readonly state: State; readonly sums: Readonly<Record<string, number>> }[];
  readonly totals: Readonly<Record<string, number>>;
}

/** What the servers of a cloud add up to. */
export interface Sums {
  /** The number of servers, as `servers`. */
  readonly byStatus: LabelledSums;
  /** By the names of the measures. */
  readonly byState: LabelledSums;
  /** By the name of the breakdown: how many parts, as `parts`. */
  readonly breakdowns: Readonly<Record<string, LabelledSums>>;
  /** Label sets beyond the limit, which are counted under `other`. */
  readonly mergedSets: number;
  /** Distinct projects, those counted under `other` too. */
  readonly projects: number;
  readonly problems: Problems;
  readonly hosts: readonly HostServers[];
  /** The ids of devices that servers have. */
  readonly devicesInUse: ReadonlySet<string>;
  /** When the oldest details in use were read, on the monotonic clock. */
  readonly oldestReadAt: number | undefined;
  /** Rows to read again that have nothing from before. */
  readonly toReadAgain: number;
  /** How many groups have a server. */
  readonly groupsInUse: number;
}

export interface ToAddUp {
  readonly rows: readonly Row[];
  readonly groups: Groups;
  readonly hosts: HostNumbers;
  readonly names: Names;
}

/** What is added to while rows are passed over. Fresh for each snapshot, so that nothing that is still written can change. */
interface Adding extends ToAddUp {
  readonly settings: SumSettings;
  readonly now: number;
  readonly servers: Float64Array;
  /** By measure, by group. */
  readonly sums: readonly Float64Array[];
  readonly parts: readonly PartTree[];
  /** By host and state. */
  readonly hostServers: Float64Array;
  readonly hostSums: readonly Float64Array[];
  /** By host. */
  readonly hostTotals: readonly Float64Array[];
  readonly hostNames: (HostNames | undefined)[];
  readonly hostHypervisors: string[];
  readonly problems: Problem[];
  readonly devicesInUse: Set<string>;
  oldestReadAt: number;
  toReadAgain: number;
}

/** Adds up all servers, anew each time: nothing can drift, and what depends on time can't be forgotten. */
export async function addUp(
  toAdd: ToAddUp,
  settings: SumSettings,
  now: number,
  slices: Slices,
): Promise<Sums> {
  const groups = toAdd.groups.size();
  const hosts = toAdd.hosts.size();
  const arrays = (measures: readonly Measure[], length: number) =>
    measures.map(() => new Float64Array(length));
  const adding: Adding = {
    ...toAdd,
    settings,
    now,
    servers: new Float64Array(groups),
    sums: arrays(settings.measures, groups),
    parts: settings.breakdowns.map(() => createTree()),
    hostServers: new Float64Array(hosts * states.length),
    hostSums: arrays(settings.hostMeasures, hosts * states.length),
    hostTotals: arrays(settings.hostTotals, hosts),
    hostNames: [],
    hostHypervisors: [],
    problems: [],
    devicesInUse: new Set(),
    oldestReadAt: Infinity,
    toReadAgain: 0,
  };
  const { rows } = toAdd;
  await inSlices(slices, rows.length, adding, addRow);
  return sumsOf(adding);
}

function addRow(adding: Adding, at: number): void {
  const row = adding.rows[at]!;
  const { settings, sums, parts, now } = adding;
  const { server, group, host, readAt, unsettled } = row;
  adding.servers[group]! += 1;
  for (let index = 0; index < sums.length; index += 1)
    sums[index]![group]! += settings.measures[index]!.count(server);
  for (let index = 0; index < parts.length; index += 1) {
    const found = settings.breakdowns[index]!.parts(server, now);
    if (found.length > 0) addParts(parts[index]!, found, adding.groups.get(group));
  }
  if (host !== noHost) addToHost(adding, row);
  for (let index = 0; index < server.devices.length; index += 1)
    adding.devicesInUse.add(server.devices[index]!.id);
  // Without an id of its host, each server has a word of its own.
  const isUp = server.hostId === '' ? isHostUp(server) : adding.hostNames[host]!.isUp;
  const problems = findProblems(server, isUp, settings.problems, now);
  for (let index = 0; index < problems.length; index += 1)
    adding.problems.push(problemOf(adding, row, problems[index]!));
  if (readAt < adding.oldestReadAt) adding.oldestReadAt = readAt;
  if (unsettled && !unsettled.isKept) adding.toReadAgain += 1;
}

function addParts(tree: PartTree, found: readonly Labels[], { location }: Group): void {
  for (const values of found) {
    const part = leafOf(tree, [...location, ...values], (labels) => ({ labels, count: 0 }));
    part.count += 1;
  }
}

function addToHost(adding: Adding, { server, host }: Row): void {
  const { settings, hosts, hostSums, hostTotals } = adding;
  const at = host * states.length + states.indexOf(server.state);
  if (!adding.hostNames[host] || (server.hostId === '' && isHostUp(server) === false)) {
    adding.hostNames[host] = hostOf(adding.names, server);
    adding.hostHypervisors[host] = server.hypervisor;
  }
  adding.hostServers[at]! += 1;
  for (let index = 0; index < hostSums.length; index += 1)
    hostSums[index]![at]! += settings.hostMeasures[index]!.count(server);
  const standby = server.backupHostId === '' ? noHost : hosts.find(server.backupHostId);
  for (let index = 0; index < hostTotals.length; index += 1) {
    const { count, countsStandbys } = settings.hostTotals[index]!;
    const number = count(server);
    hostTotals[index]![host]! += number;
    if (countsStandbys && standby !== noHost) hostTotals[index]![standby]! += number;
  }
}

function problemOf({ groups, names }: Adding, { server, group }: Row, kind: ProblemKind): Problem {
  const { id, name, status, info, endsAt, updatedAt } = server;
  const since = kind === 'expired' || kind === 'expiring' ? endsAt : updatedAt;
  const { location } = groups.get(group);
  return { kind, id, name, status, location, host: hostOf(names, server).host, info, since };
}

function sumsOf(adding: Adding): Sums {
  const { settings, groups, servers, parts } = adding;
  const { groupLimit, measures, breakdowns } = settings;
  const used = groups.inOrder().filter(({ number }) => servers[number]! > 0);
  const byStatus = sumsByStatus(used, servers);
  const byState = sumsByState(used, measures, adding.sums);
  const byParts = parts.map(sumsOfParts);
  const locationLength = used[0]?.location.length ?? 0;
  const folded = (sums: LabelledSums) => fold(sums, groupLimit, locationLength);
  return {
    byStatus: folded(byStatus),
    byState: folded(byState),
    breakdowns: Object.fromEntries(breakdowns.map(({ name }, index) => [name, folded(byParts[index]!)])),
    mergedSets: [byStatus, byState, ...byParts].reduce(
      (merged, { labels }) => merged + Math.max(0, labels.length - groupLimit),
      0,
    ),
    projects: countProjects(used),
    problems: summarize(adding.problems, settings.problems.limit),
    hosts: hostsOf(adding),
    devicesInUse: adding.devicesInUse,
    oldestReadAt: Number.isFinite(adding.oldestReadAt) ? adding.oldestReadAt : undefined,
    toReadAgain: adding.toReadAgain,
    groupsInUse: used.length,
  };
}

function countProjects(used: readonly Group[]): number {
  const projects = createTree<true>();
  for (const { project } of used) leafOf(projects, [project.projectDomain, project.project], () => true);
  return leavesOf(projects).length;
}

function hostsOf(adding: Adding): readonly HostServers[] {
  const { settings, hosts, hostNames, hostHypervisors, hostServers, hostSums, hostTotals } = adding;
  const all: HostServers[] = [];
  for (let host = 1; host < hosts.size(); host += 1) {
    const names = hostNames[host] ?? unnamed;
    const totals = pick(settings.hostTotals, hostTotals, host);
    const inStates: HostServers['states'][number][] = [];
    for (const [index, state] of states.entries()) {
      const at = host * states.length + index;
      if (hostServers[at]! > 0) inStates.push({ state, sums: pick(settings.hostMeasures, hostSums, at) });
    }
    if (inStates.length > 0 || Object.values(totals).some((total) => total > 0))
      all.push({
        id: hosts.idOf(host),
        names,
        hypervisor: hostHypervisors[host] ?? '',
        states: inStates,
        totals,
      });
  }
  return all;
}

/** The sums of one host, by the names of the measures. */
function pick(
  measures: readonly Measure[],
  sums: readonly Float64Array[],
  at: number,
): Readonly<Record<string, number>> {
  const picked: Record<string, number> = {};
  for (let index = 0; index < measures.length; index += 1) picked[measures[index]!.name] = sums[index]![at]!;
  return picked;
}

/** A host that has standbys alone is named by the list of hosts, or by nobody. */
const unnamed: HostNames = {
  host: '',
  zone: '',
  region: '',
  isUp: undefined,
  isEmulated: undefined,
  zoneId: '',
};

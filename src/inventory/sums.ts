import { states } from '../platform/state.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { noHost, partSets, type Breakdown, type Groups } from './groups.ts';
import type { capacityTotals, HostSums } from './hosts.ts';
import {
  emptySums,
  fold,
  labelledSums,
  type LabelledSums,
  type Measure,
  type NumberedSums,
} from './labelled-sums.ts';
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

/** A sum over the servers of a host, whatever their state. */
export interface HostMeasure extends Measure {
  readonly name: (typeof capacityTotals)[number];
  /** A server that counts here counts for the host of its standby as well. */
  readonly countsStandbys: boolean;
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
  readonly hosts: HostSums;
  /** The ids of devices that servers have. */
  readonly devicesInUse: ReadonlySet<string>;
  /** When the oldest details in use were read, on the monotonic clock. */
  readonly oldestReadAt: number | undefined;
  /** Rows to read again that have nothing from before. */
  readonly toReadAgain: number;
  /** How many groups by status, and by host and state, have a server. */
  readonly groupsInUse: number;
}

export interface ToAddUp {
  readonly rows: readonly Row[];
  readonly groups: Groups;
  readonly names: Names;
}

/** What is added to while rows are passed over. Sums are by the numbers of what they are of. */
interface Adding extends ToAddUp {
  readonly settings: SumSettings;
  readonly now: number;
  readonly byStatus: Float64Array;
  readonly byState: Float64Array;
  readonly projects: Float64Array;
  readonly sums: readonly Float64Array[];
  readonly parts: readonly Float64Array[];
  readonly hostServers: Float64Array;
  readonly hostSums: readonly Float64Array[];
  readonly hostTotals: readonly Float64Array[];
  readonly hostNames: (HostNames | undefined)[];
  readonly hypervisors: string[];
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
  const { groups, rows } = toAdd;
  const { measures, breakdowns, hostMeasures, hostTotals, groupLimit } = settings;
  const hosts = groups.hostIds.length;
  const sums = emptySums(measures, groups.states.size());
  const hostSums = emptySums(hostMeasures, hosts * states.length);
  const totals = emptySums(hostTotals, hosts);
  const adding: Adding = {
    ...toAdd,
    settings,
    now,
    byStatus: new Float64Array(groups.statuses.size()),
    byState: new Float64Array(groups.states.size()),
    projects: new Float64Array(groups.projects.size()),
    sums: Object.values(sums),
    parts: breakdowns.map((breakdown) => new Float64Array(partSets(groups, breakdown).size())),
    hostServers: new Float64Array(hosts * states.length),
    hostSums: Object.values(hostSums),
    hostTotals: Object.values(totals),
    hostNames: Array.from({ length: hosts }),
    hypervisors: Array.from<string>({ length: hosts }).fill(''),
    problems: [],
    devicesInUse: new Set(),
    oldestReadAt: Infinity,
    toReadAgain: 0,
  };
  await inSlices(slices, rows.length, adding, addRow);

  const { hostNames, hypervisors, hostServers, devicesInUse, oldestReadAt, toReadAgain } = adding;
  const ofParts = (at: number): NumberedSums => ({ parts: adding.parts[at]! });
  const byStatus = { servers: adding.byStatus };
  const all = [
    await labelledSums(groups.statuses.inOrder(), adding.byStatus, byStatus, slices),
    await labelledSums(groups.states.inOrder(), adding.byState, sums, slices),
  ];
  for (const [at, breakdown] of breakdowns.entries())
    all.push(
      await labelledSums(partSets(groups, breakdown).inOrder(), adding.parts[at]!, ofParts(at), slices),
    );
  const locationLength = rows[0]?.group!.location.length ?? 0;
  const [ofStatus, ofState, ...others] = all.map((one) => fold(one, groupLimit, locationLength));
  return {
    byStatus: ofStatus!,
    byState: ofState!,
    breakdowns: Object.fromEntries(breakdowns.map(({ name }, at) => [name, others[at]!])),
    mergedSets: all.reduce((merged, { labels }) => merged + Math.max(0, labels.length - groupLimit), 0),
    projects: countUsed(adding.projects),
    problems: summarize(adding.problems, settings.problems.limit),
    hosts: { names: hostNames, hypervisors, servers: hostServers, byState: hostSums, totals },
    devicesInUse,
    oldestReadAt: Number.isFinite(oldestReadAt) ? oldestReadAt : undefined,
    toReadAgain,
    groupsInUse: countUsed(adding.byStatus) + countUsed(hostServers),
  };
}

function countUsed(servers: Float64Array): number {
  let used = 0;
  for (let at = 0; at < servers.length; at += 1) if (servers[at]! > 0) used += 1;
  return used;
}

function addRow(adding: Adding, at: number): void {
  const row = adding.rows[at]!;
  const { settings, sums, parts, now } = adding;
  const { server, readAt, unsettled } = row;
  const group = row.group!;
  const host = row.host!;
  adding.byStatus[group.status.number]! += 1;
  adding.byState[group.state.number]! += 1;
  adding.projects[group.project.number]! += 1;
  for (let index = 0; index < sums.length; index += 1)
    sums[index]![group.state.number]! += settings.measures[index]!.count(server);
  for (let index = 0; index < parts.length; index += 1) {
    const sets = group.parts[index]!;
    for (let part = 0; part < sets.length; part += 1) {
      const { number, labels } = sets[part]!;
      parts[index]![number]! += settings.breakdowns[index]!.count(server, labels, now);
    }
  }
  if (host !== noHost) addToHost(adding, row, host);
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

function addToHost(adding: Adding, { server }: Row, host: number): void {
  const { settings, groups, hostSums, hostTotals } = adding;
  const at = host * states.length + states.indexOf(server.state);
  if (!adding.hostNames[host] || (server.hostId === '' && isHostUp(server) === false)) {
    adding.hostNames[host] = hostOf(adding.names, server);
    adding.hypervisors[host] = server.hypervisor;
  }
  adding.hostServers[at]! += 1;
  for (let index = 0; index < hostSums.length; index += 1)
    hostSums[index]![at]! += settings.hostMeasures[index]!.count(server);
  const standby = server.backupHostId === '' ? noHost : groups.hostNumbers.get(server.backupHostId)!;
  for (let index = 0; index < hostTotals.length; index += 1) {
    const { count, countsStandbys } = settings.hostTotals[index]!;
    const number = count(server);
    hostTotals[index]![host]! += number;
    if (countsStandbys && standby !== noHost) hostTotals[index]![standby]! += number;
  }
}

function problemOf({ names }: Adding, { server, group }: Row, kind: ProblemKind): Problem {
  const { id, name, status, info, endsAt, updatedAt } = server;
  const since = kind === 'expired' || kind === 'expiring' ? endsAt : updatedAt;
  return { kind, id, name, status, location: group!.location, host: hostOf(names, server).host, info, since };
}

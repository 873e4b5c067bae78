import { countsForScheduler, states } from '../platform/state.ts';
import type { Server } from '../platform/server.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { noHost, partSets, type Breakdown, type Groups } from './groups.ts';
import type { HostSums } from './hosts.ts';
import { emptySums, fold, labelledSums, type LabelledSums, type Measure, type Sum } from './labelled-sums.ts';
import type { Labels, LabelSet } from './label-sets.ts';
import { hostOf, isHostUp, type Names } from './names.ts';
import {
  findProblems,
  nameProblem,
  summarize,
  type Problem,
  type Problems,
  type ProblemSettings,
} from './problems.ts';
import type { Group, Row } from './row.ts';

export interface SumSettings {
  readonly breakdowns: readonly Breakdown[];
  /** By host and state. */
  readonly hostMeasures: readonly Measure[];
  readonly problems: ProblemSettings;
  /** Label sets beyond this are counted under `other`. */
  readonly groupLimit: number;
}

/** What the servers of a cloud add up to. */
export interface Sums {
  /** By the names of the breakdowns. */
  readonly sums: Readonly<Record<string, LabelledSums>>;
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
  /** How many groups, and hosts by state, have a server. */
  readonly groupsInUse: number;
}

/** What is added to while rows are passed over. */
interface Adding {
  readonly rows: readonly Row[];
  readonly groups: Groups;
  readonly names: Names;
  readonly settings: SumSettings;
  readonly now: number;
  /** Of each breakdown. */
  readonly sums: readonly (readonly Sum[])[];
  readonly groupsInUse: Set<Group>;
  readonly projects: Set<LabelSet>;
  readonly hosts: HostSums;
  readonly problems: Problem[];
  readonly devicesInUse: Set<string>;
  oldestReadAt: number;
  toReadAgain: number;
}

/** Adds up all servers, anew each time: nothing can drift, and what depends on time can't be forgotten. */
export async function addUp(
  toAdd: Pick<Adding, 'rows' | 'groups' | 'names'>,
  settings: SumSettings,
  now: number,
  slices: Slices,
): Promise<Sums> {
  const { groups, rows } = toAdd;
  const { breakdowns, hostMeasures, groupLimit } = settings;
  const hosts = groups.hostIds.length;
  const adding: Adding = {
    ...toAdd,
    settings,
    now,
    sums: breakdowns.map((breakdown) => emptySums(breakdown.measures, partSets(groups, breakdown).size())),
    groupsInUse: new Set(),
    projects: new Set(),
    hosts: {
      names: Array.from({ length: hosts }),
      hypervisors: Array.from<string>({ length: hosts }).fill(''),
      servers: new Float64Array(hosts * states.length),
      byState: emptySums(hostMeasures, hosts * states.length),
      vcpusAllocated: new Float64Array(hosts),
      memoryAllocated: new Float64Array(hosts),
      vcpusWithDevices: new Float64Array(hosts),
    },
    problems: [],
    devicesInUse: new Set(),
    oldestReadAt: Infinity,
    toReadAgain: 0,
  };
  await inSlices(slices, rows.length, adding, addRow);

  const { groupsInUse, devicesInUse, oldestReadAt, toReadAgain } = adding;
  const locationLength = rows[0]?.group!.location.length ?? 0;
  const sums: Record<string, LabelledSums> = {};
  let mergedSets = 0;
  for (const [index, breakdown] of breakdowns.entries()) {
    const all = await labelledSums(partSets(groups, breakdown), adding.sums[index]!, slices);
    mergedSets += Math.max(0, all.labels.length - groupLimit);
    sums[breakdown.name] = fold(all, groupLimit, locationLength);
  }
  return {
    sums,
    mergedSets,
    projects: adding.projects.size,
    problems: summarize(adding.problems, settings.problems.limit),
    hosts: adding.hosts,
    devicesInUse,
    oldestReadAt: Number.isFinite(oldestReadAt) ? oldestReadAt : undefined,
    toReadAgain,
    groupsInUse: groupsInUse.size + countUsed(adding.hosts.servers),
  };
}

function countUsed(servers: Float64Array): number {
  let used = 0;
  for (let at = 0; at < servers.length; at += 1) if (servers[at]! > 0) used += 1;
  return used;
}

function addRow(adding: Adding, at: number): void {
  const row = adding.rows[at]!;
  const { settings, sums, now } = adding;
  const { server, readAt, unsettled } = row;
  const group = row.group!;
  const host = row.host!;
  adding.groupsInUse.add(group);
  adding.projects.add(group.project);
  for (let index = 0; index < sums.length; index += 1) {
    const parts = group.parts[index]!;
    for (let part = 0; part < parts.length; part += 1) {
      const { number, labels } = parts[part]!;
      addServer(sums[index]!, number, server, labels, now);
    }
  }
  if (host !== noHost) addToHost(adding, server, host);
  for (let index = 0; index < server.devices.length; index += 1)
    adding.devicesInUse.add(server.devices[index]!.id);
  // Without an id of its host, each server has a word of its own.
  const isUp = server.hostId === '' ? isHostUp(server) : adding.hosts.names[host]!.isUp;
  const problems = findProblems(server, isUp, settings.problems, now);
  for (let index = 0; index < problems.length; index += 1)
    adding.problems.push(nameProblem(problems[index]!, server, group.location, adding.names));
  if (readAt < adding.oldestReadAt) adding.oldestReadAt = readAt;
  if (unsettled && !unsettled.isKept) adding.toReadAgain += 1;
}

function addServer(sums: readonly Sum[], number: number, server: Server, labels: Labels, now: number): void {
  for (let index = 0; index < sums.length; index += 1) {
    const { count, numbers } = sums[index]!;
    numbers[number]! += count(server, labels, now);
  }
}

const noLabels: Labels = [];

function addToHost({ groups, names, hosts, now }: Adding, server: Server, host: number): void {
  const { hostId, backupHostId, state, status, pendingDeleted, devices, vcpus } = server;
  if (!hosts.names[host] || (hostId === '' && isHostUp(server) === false)) {
    hosts.names[host] = hostOf(names, server);
    hosts.hypervisors[host] = server.hypervisor;
  }
  const at = host * states.length + states.indexOf(state);
  hosts.servers[at]! += 1;
  addServer(hosts.byState, at, server, noLabels, now);
  if (countsForScheduler(status, pendingDeleted)) {
    allocate(hosts, host, server);
    if (backupHostId !== '') allocate(hosts, groups.hostNumbers.get(backupHostId)!, server);
  }
  if (devices.length > 0 && status !== 'ready') hosts.vcpusWithDevices[host]! += vcpus;
}

function allocate({ vcpusAllocated, memoryAllocated }: HostSums, host: number, server: Server): void {
  vcpusAllocated[host]! += server.vcpus;
  memoryAllocated[host]! += server.memory;
}

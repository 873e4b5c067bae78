import type { Server } from '../platform/server.ts';
import type { State } from '../platform/state.ts';
import { createSharedTexts, withSharedTexts } from '../platform/shared-texts.ts';
import { tellingOf } from '../platform/suspicion.ts';
import type { Counted, HostName, Kind, Note, Sizes } from './counted.ts';
import { zeros, type Breakdown, type Measure } from './group.ts';
import { isHostDown } from './hosts.ts';
import { createPartCounting } from './part-counting.ts';
import { projectOf, writePlace, type Place } from './places.ts';
import { problemOf, problemsOf, tellProblemTurns, type ProblemSettings } from './problems.ts';
import { createTree } from './tree.ts';
import { createValidity } from './validity.ts';

export interface CountingSettings {
  readonly measures: readonly Measure[];
  readonly hostMeasures: readonly Measure[] | undefined;
  readonly breakdowns: readonly Breakdown[];
  readonly problems: ProblemSettings;
}

export interface Counting {
  /** As of `now`, in milliseconds of Unix time. */
  count(server: Server, now: number): Counted;
  /** All that there have been, by their numbers: what it remembers for good. */
  readonly kinds: readonly Kind[];
  readonly hosts: readonly HostName[];
  readonly sizes: readonly Sizes[];
}

export function countRemembered({ kinds, hosts, sizes }: Counting): number {
  return kinds.length + hosts.length + sizes.length;
}

/** Equal kinds, hosts, parts and sizes are one object each, so that a large fleet is small and quickly added up. */
export function createCounting(
  settings: CountingSettings,
  { keepsServers }: { keepsServers: boolean },
): Counting {
  const { measures, hostMeasures = [], breakdowns } = settings;
  const shareText = createSharedTexts();
  const sizes: Sizes[] = [];
  const sizesOf = createSharedSizes(measures, hostMeasures, sizes);
  const partsOf = createPartCounting(breakdowns);
  const validityOf = createValidity([
    (server, turn) => tellProblemTurns(server, settings.problems, turn),
    ...breakdowns.flatMap(({ turns }) => turns ?? []),
  ]);
  const projects = createTree<Place>();
  const kinds: Kind[] = [];
  const kindTree = createTree<Kind>();
  const hosts: HostName[] = [];
  const hostTree = createTree<HostName>();
  /** As servers named them last, by id: found sooner than by all of their names. */
  const hostsById = new Map<string, HostName>();
  /** Of the latest server: a list for each of them would be garbage, but for those of new kinds. */
  const path: string[] = [];

  function kindOf(server: Server): Kind {
    const length = writePlace(server, path);
    path[length] = server.status;
    path[length + 1] = server.state;
    return kindTree.leaf(path, createKind);
  }

  function createKind(names: readonly string[]): Kind {
    const place = names.slice(0, -2);
    const [status, state] = names.slice(-2) as [string, State];
    const ofProject = projectOf(place);
    const project = projects.leaf(ofProject, () => ofProject);
    const kind = { number: kinds.length, place, status, state, project, order: names.join('\0') };
    kinds.push(kind);
    return kind;
  }

  function hostOf({ region, zone, host: name, hostId: id }: Server): HostName | undefined {
    if (name === '' && id === '') return undefined;
    const known = hostsById.get(id);
    if (known?.name === name && known.zone === zone && known.region === region) return known;
    const host = hostTree.leaf([region, zone, name, id], () => {
      const made = { number: hosts.length, id, region, zone, name };
      hosts.push(made);
      return made;
    });
    hostsById.set(id, host);
    return host;
  }

  function noteOf(server: Server, now: number, kind: Kind): Note | undefined {
    const problems = problemsOf(server, settings.problems, now);
    const parts = partsOf(server, now);
    if (!keepsServers && problems.length === 0 && parts.length === 0) return undefined;
    const shared = { status: kind.status, place: kind.place, host: shareText(server.host) };
    return {
      server: keepsServers ? withSharedTexts(server, shareText) : undefined,
      problems: problems.length > 0 ? problems.map((problem) => problemOf(server, problem, shared)) : none,
      parts,
    };
  }

  return {
    kinds,
    hosts,
    sizes,
    count(server, now) {
      const kind = kindOf(server);
      return {
        mark: 0,
        telling: tellingOf(server),
        validity: validityOf(server, now),
        note: noteOf(server, now, kind),
        id: server.id,
        kind,
        // Told apart only where they are exported.
        host: settings.hostMeasures && hostOf(server),
        sizes: sizesOf(server),
        isHostDown: isHostDown(server),
      };
    },
  };
}

const none: readonly never[] = [];

/** So many sizes are told apart by comparing them. */
const mostAlike = 8;

/** Servers come in few sizes: equal ones are found by a number that is made of theirs. */
function createSharedSizes(
  measures: readonly Measure[],
  hostMeasures: readonly Measure[],
  all: Sizes[],
): (server: Server) => Sizes {
  const known = new Map<number, Sizes[]>();
  const row = zeros(measures.length);
  const hostRow = zeros(hostMeasures.length);
  return (server) => {
    const mix = measure(server, hostMeasures, hostRow, measure(server, measures, row, 0));
    const alike = known.get(mix) ?? none;
    for (const one of alike) if (areEqual(one.numbers, row) && areEqual(one.hostNumbers, hostRow)) return one;
    const [numbers, hostNumbers] = [row.slice(), hostRow.slice()];
    const isExact = numbers.every(Number.isSafeInteger) && hostNumbers.every(Number.isSafeInteger);
    const sizes = { number: all.length, numbers, hostNumbers, isExact };
    all.push(sizes);
    known.set(mix, alike.length < mostAlike ? [...alike, sizes] : [sizes]);
    return sizes;
  };
}

function measure(server: Server, measures: readonly Measure[], row: number[], start: number): number {
  let mix = start;
  for (let index = 0; index < measures.length; index += 1) {
    const number = measures[index]!(server);
    row[index] = number;
    mix = (Math.imul(mix, 31) + number) | 0;
  }
  return mix;
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  for (let index = 0; index < b.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

import type { Server } from '../platform/server.ts';
import { createSharedTexts, withSharedTexts } from '../platform/shared-texts.ts';
import { tellingOf } from '../platform/suspicion.ts';
import type { Counted, CountedPart, HostName, Kind, Note, Sizes } from './counted.ts';
import { zeros, type Breakdown, type Measure } from './group.ts';
import { isHostDown } from './hosts.ts';
import { placeOf, projectOf, type Place } from './places.ts';
import { problemOf, problemsOf, problemTurns, type ProblemSettings, type Shared } from './problems.ts';
import { createTree } from './tree.ts';
import { validityAt } from './validity.ts';

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
  const sharePart = createShared<CountedPart>();
  const shareParts = createShared<readonly CountedPart[]>();
  const projects = createTree<Place>();
  const kinds: Kind[] = [];
  const kindTree = createTree<Kind>();
  const hosts: HostName[] = [];
  const hostTree = createTree<HostName>();
  /** As servers named them last, by id: found sooner than by all of their names. */
  const hostsById = new Map<string, HostName>();
  function kindOf(server: Server): Kind {
    const { status, state } = server;
    const path = placeOf(server);
    path.push(status, state);
    return kindTree.leaf(path, () => {
      const place = path.slice(0, -2);
      const ofProject = projectOf(place);
      const project = projects.leaf(ofProject, () => ofProject);
      const kind = { number: kinds.length, place, status, state, project, order: path.join('\0') };
      kinds.push(kind);
      return kind;
    });
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

  function noteOf(server: Server, now: number, shared: Shared): Note | undefined {
    const kinds = problemsOf(server, settings.problems, now);
    const parts: CountedPart[] = [];
    let keys = '';
    for (const [breakdown, { parts: partsOf }] of breakdowns.entries())
      partsOf(server, now, (values, count) => {
        const key = JSON.stringify([breakdown, count, values]);
        parts.push(sharePart(key, { breakdown, values, count }));
        keys += key;
      });
    if (!keepsServers && kinds.length === 0 && parts.length === 0) return undefined;
    return {
      server: keepsServers ? withSharedTexts(server, shareText) : undefined,
      problems: kinds.length > 0 ? kinds.map((kind) => problemOf(server, kind, shared)) : none,
      parts: shareParts(keys, parts),
    };
  }

  return {
    kinds,
    hosts,
    sizes,
    count(server, now) {
      const kind = kindOf(server);
      const host = hostOf(server);
      return {
        mark: 0,
        telling: tellingOf(server),
        validity: validityAt(now, turnsOf(server, settings)),
        note: noteOf(server, now, { status: kind.status, place: kind.place, host: host?.name ?? '' }),
        id: server.id,
        kind,
        host,
        sizes: sizesOf(server),
        isHostDown: isHostDown(server),
      };
    },
  };
}

/** The moments at which there may be something new about it. */
function turnsOf(server: Server, { problems, breakdowns }: CountingSettings): number[] {
  const turns = problemTurns(server, problems);
  for (const breakdown of breakdowns) for (const turn of breakdown.turns?.(server) ?? none) turns.push(turn);
  return turns;
}

const none: readonly never[] = [];
const mostShared = 100_000;

/** One for all that are equal. */
function createShared<Thing>(): (key: string, thing: Thing) => Thing {
  const known = new Map<string, Thing>();
  return (key, thing) => {
    const found = known.get(key);
    if (found) return found;
    if (known.size >= mostShared) known.clear();
    known.set(key, thing);
    return thing;
  };
}

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
    const alike = known.get(mix) ?? [];
    const found = alike.find((one) => areEqual(one.numbers, row) && areEqual(one.hostNumbers, hostRow));
    if (found) return found;
    const sizes = { number: all.length, numbers: row.slice(), hostNumbers: hostRow.slice() };
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

import type { Server } from '../platform/server.ts';
import { tellingOf } from '../platform/suspicion.ts';
import type { Counted, HostName, Kind } from './counted.ts';
import { addNumbers, zeros, type Breakdown, type Measure } from './group.ts';
import { isHostDown } from './hosts.ts';
import { placeOf } from './places.ts';
import { problemsOf, problemTurns, type ProblemSettings } from './problems.ts';
import { createTree } from './tree.ts';
import { always, validityAt } from './validity.ts';

export interface CountingSettings {
  readonly measures: readonly Measure[];
  readonly hostMeasures: readonly Measure[] | undefined;
  readonly breakdowns: readonly Breakdown[];
  readonly problems: ProblemSettings;
}

export interface Counting {
  /** As of `now`, in milliseconds of Unix time. */
  count(server: Server, now: number): Counted;
  /** How many kinds and hosts there have been: what it remembers for good. */
  size(): number;
}

/** Equal kinds, hosts and rows of numbers are one object each, so that a large fleet is small and quickly added up. */
export function createCounting(
  settings: CountingSettings,
  { keepsServers }: { keepsServers: boolean },
): Counting {
  const { measures, hostMeasures = [] } = settings;
  const shareNumbers = createSharedNumbers();
  const kinds = createTree<Kind>();
  const hosts = createTree<HostName>();
  let size = 0;

  function made<Thing>(thing: Thing): Thing {
    size += 1;
    return thing;
  }

  function kindOf(server: Server): Kind {
    const { status, state } = server;
    const place = placeOf(server);
    const path = [...place, status, state];
    return kinds.leaf(path, () => made({ place, status, state, order: path.join('\0') }));
  }

  function hostOf({ region, zone, host: name, hostId: id }: Server): HostName | undefined {
    if (name === '' && id === '') return undefined;
    return hosts.leaf([region, zone, name, id], () => made({ id, region, zone, name }));
  }

  return {
    size: () => size,
    count(server, now) {
      const isHeld = keepsServers || isOfNote(server, settings, now);
      return {
        id: server.id,
        readIn: 0,
        telling: tellingOf(server),
        kind: kindOf(server),
        host: hostOf(server),
        numbers: shareNumbers(measures.map((measure) => measure(server))),
        hostNumbers: shareNumbers(hostMeasures.map((measure) => measure(server))),
        isHostDown: isHostDown(server),
        server: isHeld ? server : undefined,
        validity: isHeld ? always : validityAt(now, turnsOf(server, settings)),
        countedIn: 0,
      };
    },
  };
}

/** Whether there is something about it now that cannot be told from its numbers alone. */
function isOfNote(server: Server, { problems, breakdowns }: CountingSettings, now: number): boolean {
  let isNoted = problemsOf(server, problems, now).length > 0;
  for (const breakdown of breakdowns) breakdown.parts(server, now, () => (isNoted = true));
  return isNoted;
}

/** The moments at which there may be something new about it. */
function turnsOf(server: Server, { problems, breakdowns }: CountingSettings): number[] {
  return [
    ...problemTurns(server, problems),
    ...breakdowns.flatMap((breakdown) => breakdown.turns?.(server) ?? []),
  ];
}

const mostRows = 100_000;

/** Servers come in few sizes. */
function createSharedNumbers(): (numbers: readonly number[]) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  return (numbers) => {
    const key = numbers.join(' ');
    const found = known.get(key);
    if (found) return found;
    if (known.size >= mostRows) known.clear();
    const row = zeros(numbers.length);
    addNumbers(row, numbers);
    known.set(key, row);
    return row;
  };
}

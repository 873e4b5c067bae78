import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { countServers, type Truth } from '../simulator/truth.ts';
import type { Parsed } from '../support/exposition.ts';
import { addUp, addUpSamples, place, sums, type FactOf } from '../support/truth.ts';
import type { World } from './world.ts';

/**
 * What may be told of a cloud, computed from what there was and from what the platform sent of it.
 *
 * - Who is there, its status, sizes and owner: as at some moment of the list, or of the oldest answer to it.
 * - Disks, devices and names of projects: as at some moment since they were last sent whole. Once the platform has been
 *   well for two lists, since the version moved last; once it has been for `details_max_age`, since so long ago.
 * - What was never sent whole: what was sent, until the platform is well. From then on only a half that nobody could
 *   doubt: no less than what was there before, or the same twice of a new server, or sent twice in one collection while
 *   the others that were asked for with it had what they should.
 */
type Raw = Readonly<Record<string, unknown>>;
const looked = ['disks', 'devices'] as const;
const kinds = [...looked, 'project', 'place'] as const;
type Looked = (typeof looked)[number];

/** From a record of the fleet or of an answer. */
const tellings: Readonly<Record<Looked, (row: Raw) => string>> = {
  disks: ({ disk, disk_count }) => JSON.stringify([Number(disk ?? 0), Number(disk_count ?? 0)]),
  devices: ({ isolated_devices: devices = [] }) =>
    JSON.stringify((devices as Raw[]).map(({ dev_type, model }) => [dev_type, model])),
};
const nothing = { disks: '[0,0]', devices: '[]' };

interface State {
  readonly moment: number;
  readonly at: number;
  readonly isLoud: boolean;
  readonly record: ServerRecord | undefined;
}

interface Told {
  readonly answer: number;
  readonly value: string;
  /** The latest moment at which it was so; undefined if it was not. */
  readonly wholeAt: number | undefined;
}

interface Known {
  readonly wholeAt: number;
  /** Since when it tells less, and nobody else has any of that to be asked for with it. */
  readonly doubtAt?: number;
  /** What was sent in its place since then, and what of that nobody could doubt. */
  readonly halves: readonly string[];
  readonly believed: readonly string[];
}

const longestDoubtMs = 1_800_000;
const unborn: State = { moment: -1, at: -Infinity, isLoud: true, record: undefined };
const nobody: ReadonlyMap<string, number> = new Map();

export function createKnowable({ cloud, fleet, clock }: World, maxAgeMs: number) {
  const states = new Map<string, readonly State[]>();
  /** The names that a project had, under its id. */
  const names = new Map<string, readonly { moment: number; at: number; words: readonly string[] }[]>();
  const known: Readonly<Record<Looked, Map<string, Known>>> = { disks: new Map(), devices: new Map() };
  /** Of such an id the names were told. */
  const named = new Set<string>();
  const sentBefore = new Set<string>();
  const well = Object.fromEntries(kinds.map((kind) => [kind, { lists: 0, since: 0 }]));
  let sent = begin();
  note();

  function begin() {
    const moment = cloud.moment;
    const records: Record<Looked, Map<string, readonly Told[]>> = { disks: new Map(), devices: new Map() };
    const [ids, half, namedNow] = [new Set<string>(), new Set<string>(), new Set<string>()];
    return { startedAt: moment, oldest: moment, answers: 0, isEmpty: false, records, ids, half, namedNow };
  }

  /** To be called after each thing that happens. */
  function note(): void {
    const [moment, at] = [cloud.pass(), clock.monotonic()];
    const there = new Map(fleet.servers.map((server) => [server.id, server]));
    for (const id of new Set([...there.keys(), ...states.keys()])) {
      const all = states.get(id) ?? [unborn];
      const [before, record] = [all.at(-1)?.record, there.get(id)];
      if (before === record) continue;
      const isLoud = before?.update_version !== record?.update_version;
      states.set(id, [...all, { moment, at, record, isLoud }]);
    }
    for (const { id, name, domain } of fleet.projects) {
      const all = names.get(id) ?? [];
      if (all.at(-1)?.words[0] !== name) names.set(id, [...all, { moment, at, words: [name, domain.name] }]);
    }
  }

  cloud.hooks.answered = ({ operation, parameters }, { status, body }, asOf) => {
    if (operation !== 'list' || status >= 300) return;
    const page = readPage(body);
    if (!page) return;
    sent.answers += 1;
    sent.oldest = Math.min(sent.oldest, asOf);
    const isOlder = asOf < sent.startedAt;
    if (isOlder) for (const kind of kinds) sent.half.add(kind);
    sent.isEmpty ||= page.rows.length === 0 && page.total === undefined;
    for (const row of page.rows) {
      const id = String(row['id']);
      sent.ids.add(id);
      if (parameters.get('details') === 'false') continue;
      const candidates = isOlder ? during(id, asOf, asOf) : during(id, sent.startedAt);
      for (const kind of looked) {
        const value = tellings[kind](row);
        const whole = candidates.findLast(({ record }) => record && tellings[kind](record) === value);
        const wholeAt = whole && Math.max(whole.moment, Math.min(asOf, sent.startedAt));
        if (!whole) sent.half.add(kind);
        const told = { answer: sent.answers, value, wholeAt };
        sent.records[kind].set(id, [...(sent.records[kind].get(id) ?? []), told]);
      }
      nameOf('project', row['tenant_id'], [row['project'], row['project_domain']]);
      nameOf('place', row['host_id'], [row['region'], row['zone']]);
    }
  };

  function nameOf(kind: string, id: unknown, words: readonly unknown[]): void {
    if (!id) return;
    if (words.some((word) => !word)) sent.half.add(kind);
    else sent.namedNow.add(String(id));
  }

  /** The states between two moments, the one that the first of them found included. */
  function during(id: string, from: number, to = Infinity): readonly State[] {
    const all = states.get(id) ?? [];
    const first = all.findLastIndex(({ moment }) => moment <= from);
    return all.slice(Math.max(0, first)).filter(({ moment }) => moment <= to);
  }

  /** Whether each that has something, and was asked for beside it the second time, was told whole then. */
  function isConfirmed(kind: Looked, id: string, told: readonly Told[]): boolean {
    const second = told.filter(({ wholeAt }) => wholeAt === undefined)[1];
    if (!second) return false;
    const witnesses = [...sent.records[kind]].flatMap(([other, all]) => {
      if (other === id || all[0]!.wholeAt === undefined || all[0]!.value === nothing[kind]) return [];
      return all.filter(({ answer }) => answer >= second.answer);
    });
    return witnesses.length > 0 && witnesses.every(({ wholeAt }) => wholeAt !== undefined);
  }

  /** Whether anybody else is known to have some, and still has. */
  function hasWitness(kind: Looked, id: string): boolean {
    return [...known[kind]].some(([other, { wholeAt }]) => {
      // Who is not in the list, as those in the recycle bin, can be asked nothing.
      if (other === id || wholeAt < 0 || !sent.ids.has(other)) return false;
      const then = during(other, wholeAt, wholeAt)[0]?.record;
      const now = fleet.find(other);
      return (
        then &&
        now &&
        tellings[kind](then) !== nothing[kind] &&
        !isLess(tellings[kind](now), tellings[kind](then))
      );
    });
  }

  /** After a collection that succeeded: what was sent for it is known. A lookup may fail though nobody asks for it. */
  function learn(isPlatformWell: boolean): void {
    for (const kind of looked) {
      for (const [id, told] of sent.records[kind]) {
        const before: Known = known[kind].get(id) ?? { wholeAt: -1, halves: [], believed: [] };
        const halves = told.flatMap(({ value, wholeAt }) => (wholeAt === undefined ? value : []));
        const { record } = during(id, before.wholeAt)[0] ?? {};
        const base =
          before.believed.at(-1) ?? (before.wholeAt < 0 || !record ? undefined : tellings[kind](record));
        const isTaken = (value: string): boolean => {
          if (isConfirmed(kind, id, told)) return true;
          if (base !== undefined) return !isLess(value, base);
          return before.halves.includes(value) && (kind === 'devices' || value !== nothing.disks);
        };
        const after = {
          wholeAt: before.wholeAt,
          halves: [...before.halves, ...halves],
          believed: [...before.believed, ...halves.filter(isTaken)],
        };
        const isLost = ({ value }: Told) => base !== undefined && isLess(value, base);
        // A true loss looks like a half, while others are told by half, or have none of that.
        const whole = told.filter(
          (one) => one.wholeAt !== undefined && !(isLost(one) && sent.half.has(kind)),
        );
        const doubtAt = before.doubtAt ?? clock.monotonic();
        const isPatient = clock.monotonic() - doubtAt < longestDoubtMs;
        if (whole.some(isLost) && !hasWitness(kind, id) && isPatient)
          known[kind].set(id, { ...before, doubtAt });
        else if (whole.length === 0) known[kind].set(id, after);
        else {
          const wholeAt = Math.min(...whole.map((one) => one.wholeAt!));
          known[kind].set(id, { wholeAt, halves: [], believed: [] });
        }
      }
      // Who left comes back as a stranger.
      for (const id of known[kind].keys()) if (!fleet.find(id)) known[kind].delete(id);
    }
    for (const kind of kinds) {
      const before = well[kind]!;
      const lists = sent.half.has(kind) || !isPlatformWell ? 0 : before.lists + 1;
      well[kind] = { lists, since: lists <= 1 ? clock.monotonic() : before.since };
    }
    for (const id of sent.namedNow) named.add(id);
    const used = new Set(fleet.servers.flatMap(({ tenant_id, host_id }) => [tenant_id, host_id]));
    for (const id of named) if (!used.has(id)) named.delete(id);
    for (const id of sent.ids) sentBefore.add(id);
  }

  const isWell = (kind: string) => well[kind]!.lists >= 2;
  /** Older than that nothing is, after so long a time without trouble. */
  const horizonOf = (kind: string) => {
    const horizon = clock.monotonic() - maxAgeMs;
    return isWell(kind) && well[kind]!.since <= horizon ? horizon : -Infinity;
  };
  const momentAt = (all: readonly { moment: number; at: number }[], at: number) =>
    all.findLast((one) => one.at <= at)?.moment ?? 0;

  function valuesOf(kind: Looked, id: string): readonly string[] {
    const { wholeAt = -1, doubtAt, halves = [], believed = [] } = known[kind].get(id) ?? {};
    const all = states.get(id)!;
    const loudBy = (moment: number) => all.findLast((one) => one.isLoud && one.moment <= moment)?.moment ?? 0;
    // Who is asked for as a witness need not be listened to otherwise: what no version tells may wait for its turn.
    const isKnown = wholeAt < 0 || (isWell(kind) && doubtAt === undefined);
    // A doubt may last longer than details do.
    const horizon = doubtAt === undefined ? momentAt(all, horizonOf(kind)) : 0;
    const since = Math.max(loudBy(isKnown ? sent.startedAt : wholeAt), horizon);
    const values = during(id, Math.min(since, sent.oldest)).flatMap(({ record }) =>
      record ? tellings[kind](record) : [],
    );
    const guesses = wholeAt < 0 && !isWell(kind) ? [...halves, nothing[kind]] : [];
    return [...new Set([...values, ...believed, ...guesses])];
  }

  function projectsOf({ tenant_id, project, project_domain }: ServerRecord): readonly (readonly string[])[] {
    const all = names.get(tenant_id) ?? [];
    const own = [project, project_domain];
    const first = all.findLastIndex(({ at }) => at <= horizonOf('project'));
    const unknown = [['', ''], [project, ''], ['', project_domain]]; // prettier-ignore
    const guesses = !named.has(tenant_id) && !isWell('project') ? unknown : [];
    return distinct([own, ...all.slice(Math.max(0, first)).map(({ words }) => words), ...guesses]);
  }

  function placesOf({ host_id, region, zone }: ServerRecord): readonly (readonly string[])[] {
    const isUnknown = host_id !== '' && !named.has(host_id) && !isWell('place');
    return isUnknown ? [[region, zone], ['', ''], [region, ''], ['', zone]] : [[region, zone]]; // prettier-ignore
  }

  /** What one server may add to the sums. */
  function optionsOf(id: string): readonly ReadonlyMap<string, number>[] {
    const options = during(id, sent.oldest).flatMap(({ record }) => {
      if (!record) return [nobody];
      const patches = [{}]
        .flatMap((one) => valuesOf('disks', id).map((value) => ({ ...one, ...diskPatch(value) })))
        .flatMap((one) => valuesOf('devices', id).map((value) => ({ ...one, ...devicePatch(value) })))
        .flatMap((one) =>
          projectsOf(record).map(([project, project_domain]) => ({ ...one, project, project_domain })),
        )
        .flatMap((one) => placesOf(record).map(([region, zone]) => ({ ...one, region, zone })));
      return patches.map((patch) => worthOf(record, patch));
    });
    return sent.isEmpty && !sentBefore.has(id) ? [...options, nobody] : options;
  }

  return {
    note,
    begin: () => void (sent = begin()),
    /** Whether any list of servers was answered. */
    hasAnswers: () => sent.answers > 0,
    learn,
    /** What is told and may not be, in words. */
    untruths(parsed: Parsed): string[] {
      const [low, high] = [new Map<string, number>(), new Map<string, number>()];
      for (const id of states.keys()) {
        const added = optionsOf(id);
        for (const key of new Set(added.flatMap((one) => [...one.keys()]))) {
          const values = added.map((one) => one.get(key) ?? 0);
          low.set(key, (low.get(key) ?? 0) + Math.min(...values));
          high.set(key, (high.get(key) ?? 0) + Math.max(...values));
        }
      }
      const told = addUpAll((name, labels) => addUpSamples(labels, parsed.of(name)));
      return [...new Set([...low.keys(), ...told.keys()])].flatMap((key) => {
        const [value, least, most] = [told.get(key) ?? 0, low.get(key) ?? 0, high.get(key) ?? 0];
        return value < least || value > most ? `${key}: ${value}, not ${least} to ${most}` : [];
      });
    },
  };
}

type AddUp = (
  name: string,
  labels: readonly string[],
  of: FactOf<never>,
  rows: keyof Truth,
) => Map<string, number>;

/** Every series, and every total: who is in no series is missed in none. */
function addUpAll(add: AddUp): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  const put = (name: string, labels: readonly string[], of: FactOf<never>, rows: keyof Truth) => {
    for (const some of [labels, []])
      for (const [key, value] of add(name, some, of, rows)) all.set(`${name} ${key}`, value);
  };
  for (const [name, [labels, of]] of Object.entries(sums)) put(name, labels, of, 'rows');
  put(
    'cloud_servers_devices',
    [...place, 'dev_type', 'model'],
    ({ count }: { count: number }) => count,
    'devices',
  );
  return all;
}

const worth = new WeakMap<ServerRecord, Map<string, ReadonlyMap<string, number>>>();

/** What a server adds to each series, if it is told so. */
function worthOf(record: ServerRecord, patch: object): ReadonlyMap<string, number> {
  const known = worth.get(record) ?? new Map<string, ReadonlyMap<string, number>>();
  worth.set(record, known);
  const key = JSON.stringify(patch);
  const truth = () => countServers([{ ...record, ...patch }]);
  const found =
    known.get(key) ?? addUpAll((_name, labels, of, rows) => addUp(labels, truth()[rows] as never[], of));
  known.set(key, found);
  return found;
}

function readPage(body: Buffer): { readonly rows: readonly Raw[]; readonly total: unknown } | undefined {
  try {
    const { servers, total } = JSON.parse(body.toString()) as Raw;
    return Array.isArray(servers) ? { rows: servers as Raw[], total } : undefined;
  } catch {
    return undefined;
  }
}

/** Fewer, or in all smaller. */
function isLess(value: string, base: string): boolean {
  const [one, other] = [value, base].map((text) => JSON.parse(text) as unknown[]);
  if (typeof one![0] !== 'number' && typeof other![0] !== 'number') return one!.length < other!.length;
  return one!.some((number, index) => Number(number) < Number(other![index]));
}

function diskPatch(value: string) {
  const [disk, disk_count] = JSON.parse(value) as [number, number];
  return { disk, disk_count };
}

function devicePatch(value: string) {
  const devices = JSON.parse(value) as [string, string][];
  const isolated_devices = devices.map(([dev_type, model]) => ({ dev_type, model }));
  return { isolated_devices, is_gpu: devices.length > 0 };
}

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

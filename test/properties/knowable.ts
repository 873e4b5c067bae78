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
    JSON.stringify((devices as Raw[]).map(({ dev_type, model }) => [dev_type, model]).toSorted()),
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
  /** What was sent in its place since then, and what of that nobody could doubt. */
  readonly halves: readonly string[];
  readonly believed: readonly string[];
}

const nobody: Truth = countServers([]);

export function createKnowable({ cloud, fleet, clock }: World, maxAgeMs: number) {
  const states = new Map<string, readonly State[]>();
  /** The names that a project had, under its id. */
  const names = new Map<string, readonly { moment: number; at: number; words: readonly string[] }[]>();
  const known: Readonly<Record<Looked, Map<string, Known>>> = { disks: new Map(), devices: new Map() };
  /** When the names of such an id were told last. */
  const named = new Map<string, number>();
  const sentBefore = new Set<string>();
  const well = Object.fromEntries(kinds.map((kind) => [kind, { lists: 0, since: 0 }]));
  let sent = begin();
  note();

  function begin() {
    const moment = cloud.moment;
    const records: Record<Looked, Map<string, readonly Told[]>> = { disks: new Map(), devices: new Map() };
    const [ids, half, namedNow] = [new Set<string>(), new Set<string>(), new Map<string, number>()];
    return { startedAt: moment, oldest: moment, answers: 0, isEmpty: false, records, ids, half, namedNow };
  }

  /** To be called after each thing that happens. */
  function note(): void {
    const [moment, at] = [cloud.pass(), clock.monotonic()];
    const there = new Map(fleet.servers.map((server) => [server.id, server]));
    for (const id of new Set([...there.keys(), ...states.keys()])) {
      const all = states.get(id) ?? [];
      const [before, record] = [all.at(-1)?.record, there.get(id)];
      if (before === record && all.length > 0) continue;
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
      nameOf('project', row['tenant_id'], [row['project'], row['project_domain']], asOf);
      nameOf('place', row['host_id'], [row['region'], row['zone']], asOf);
    }
  };

  function nameOf(kind: string, id: unknown, words: readonly unknown[], asOf: number): void {
    if (!id) return;
    if (words.some((word) => !word)) sent.half.add(kind);
    else sent.namedNow.set(String(id), Math.min(asOf, sent.namedNow.get(String(id)) ?? asOf));
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

  /** After a collection that succeeded: what was sent for it is known. */
  function learn(): void {
    for (const kind of looked) {
      for (const [id, told] of sent.records[kind]) {
        const whole = told.flatMap(({ wholeAt }) => wholeAt ?? []);
        const before = known[kind].get(id) ?? { wholeAt: -1, halves: [], believed: [] };
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
        known[kind].set(
          id,
          whole.length > 0 ? { wholeAt: Math.min(...whole), halves: [], believed: [] } : after,
        );
      }
      // Who left comes back as a stranger.
      for (const id of known[kind].keys()) if (!fleet.find(id)) known[kind].delete(id);
    }
    for (const kind of kinds) {
      const before = well[kind]!;
      const lists = sent.half.has(kind) ? 0 : before.lists + 1;
      well[kind] = { lists, since: lists <= 1 ? clock.monotonic() : before.since };
    }
    for (const [id, moment] of sent.namedNow) named.set(id, moment);
    const used = new Set(fleet.servers.flatMap(({ tenant_id, host_id }) => [tenant_id, host_id]));
    for (const id of named.keys()) if (!used.has(id)) named.delete(id);
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
    const { wholeAt = -1, halves = [], believed = [] } = known[kind].get(id) ?? {};
    const all = states.get(id)!;
    const loudest = all.findLast(({ moment, isLoud }) => isLoud && moment <= sent.startedAt)?.moment ?? 0;
    const since = Math.max(
      isWell(kind) || wholeAt < 0 ? loudest : 0,
      wholeAt,
      momentAt(all, horizonOf(kind)),
    );
    const values = during(id, Math.min(since, sent.oldest)).flatMap(({ record }) =>
      record ? tellings[kind](record) : [],
    );
    const guesses = wholeAt < 0 && !isWell(kind) ? [...halves, nothing[kind]] : [];
    return [...new Set([...values, ...believed, ...guesses])];
  }

  function projectsOf({ tenant_id, project, project_domain }: ServerRecord): readonly (readonly string[])[] {
    const [all, told] = [names.get(tenant_id) ?? [], named.get(tenant_id)];
    const own = [project, project_domain];
    const since = Math.min(Math.max(told ?? Infinity, momentAt(all, horizonOf('project'))), sent.oldest);
    const first = Math.max(
      0,
      all.findLastIndex(({ moment }) => moment <= since),
    );
    const unknown = [['', ''], [project, ''], ['', project_domain]]; // prettier-ignore
    const guesses = told === undefined && !isWell('project') ? unknown : [];
    return distinct([own, ...all.slice(first).map(({ words }) => words), ...guesses]);
  }

  function placesOf({ host_id, region, zone }: ServerRecord): readonly (readonly string[])[] {
    const isUnknown = host_id !== '' && !named.has(host_id) && !isWell('place');
    return isUnknown ? [[region, zone], ['', ''], [region, ''], ['', zone]] : [[region, zone]]; // prettier-ignore
  }

  /** What one server may add to the sums. */
  function optionsOf(id: string): readonly Truth[] {
    const options = during(id, sent.oldest).flatMap(({ record }): Truth[] => {
      if (!record) return [nobody];
      const patches = [{}]
        .flatMap((one) => valuesOf('disks', id).map((value) => ({ ...one, ...diskPatch(value) })))
        .flatMap((one) => valuesOf('devices', id).map((value) => ({ ...one, ...devicePatch(value) })))
        .flatMap((one) =>
          projectsOf(record).map(([project, project_domain]) => ({ ...one, project, project_domain })),
        )
        .flatMap((one) => placesOf(record).map(([region, zone]) => ({ ...one, region, zone })));
      return patches.map((patch) => countServers([{ ...record, ...patch } as ServerRecord]));
    });
    return sent.isEmpty && !sentBefore.has(id) ? [...options, nobody] : options;
  }

  return {
    note,
    begin: () => void (sent = begin()),
    /** Whether any list of servers was answered. */
    hasAnswers: () => sent.answers > 0,
    learn,
    /** What is told and may not be, in words. A total as well: who is in no series is missed in none. */
    untruths(parsed: Parsed): string[] {
      const all = [...states.keys()].map(optionsOf);
      const wrong: string[] = [];
      const compare = <Row extends object>(
        name: string,
        labels: readonly string[],
        of: FactOf<Row>,
        rowsOf: (truth: Truth) => readonly Row[],
      ) => {
        const told = addUpSamples(labels, parsed.of(name));
        const [low, high] = [new Map<string, number>(), new Map<string, number>()];
        for (const options of all) {
          const added = options.map((option) => addUp(labels, rowsOf(option), of));
          for (const key of new Set(added.flatMap((one) => [...one.keys()]))) {
            const values = added.map((one) => one.get(key) ?? 0);
            low.set(key, (low.get(key) ?? 0) + Math.min(...values));
            high.set(key, (high.get(key) ?? 0) + Math.max(...values));
          }
        }
        for (const key of new Set([...low.keys(), ...told.keys()])) {
          const [value, least, most] = [told.get(key) ?? 0, low.get(key) ?? 0, high.get(key) ?? 0];
          if (value < least || value > most) wrong.push(`${name} ${key}: ${value}, not ${least} to ${most}`);
        }
      };
      for (const [name, [labels, of]] of Object.entries(sums))
        for (const some of [labels, []]) compare(name, some, of, ({ rows }) => rows);
      for (const some of [[...place, 'dev_type', 'model'], []])
        compare(
          'cloud_servers_devices',
          some,
          ({ count }: Truth["devices"][number]) => count,
          ({ devices }) => devices,
        );
      return wrong;
    },
  };
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

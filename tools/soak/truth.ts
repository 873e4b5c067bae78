import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { countServers, type Truth, type TruthRow } from '../../test/simulator/truth.ts';
import { parseExposition, type Parsed } from '../../test/support/exposition.ts';

type ServerRecord = Fleet['servers'][number];

/** What may be told of a time in which servers came, went and changed. */
export interface Range {
  /** Of those that were there all the time, as they were all the time. */
  readonly least: Truth;
  /** Of all that ever were there, in every way that they were. */
  readonly most: Truth;
  /** Who was there all the time, and who ever was. */
  readonly stayed: ReadonlySet<string>;
  readonly ever: ReadonlySet<string>;
}

export interface Chronicle {
  /** The range is what is there now, and nothing else. */
  begin(): void;
  /** To be called after each change. */
  note(): void;
  range(): Range;
}

/** Remembers what there was in a fleet while a list was read. A list of a moving fleet is of no single moment. */
export function createChronicle(fleet: Pick<Fleet, 'servers'>): Chronicle {
  const idsOf = (servers: Iterable<ServerRecord>) => new Set([...servers].map(({ id }) => id));
  let [unchanged, ever] = [new Set<ServerRecord>(), new Set<ServerRecord>()];
  let stayed = new Set<string>();
  return {
    begin() {
      [unchanged, ever] = [new Set(fleet.servers), new Set(fleet.servers)];
      stayed = idsOf(fleet.servers);
    },
    note() {
      const [now, present] = [new Set(fleet.servers), idsOf(fleet.servers)];
      unchanged = new Set([...unchanged].filter((server) => now.has(server)));
      stayed = new Set([...stayed].filter((id) => present.has(id)));
      for (const server of now) ever.add(server);
    },
    range: () => ({
      least: countServers([...unchanged]),
      most: countServers([...ever]),
      stayed,
      ever: idsOf(ever),
    }),
  };
}

/** What a fleet is now, and nothing else. */
export function momentOf(fleet: Pick<Fleet, 'servers'>): Range {
  const chronicle = createChronicle(fleet);
  chronicle.begin();
  return chronicle.range();
}

const mebibyte = 1024 ** 2;
const place = ['region', 'zone', 'hypervisor', 'project_domain', 'project'] as const;
type Sum = readonly [labels: readonly string[], measure: (row: TruthRow) => number];
const sums: Readonly<Record<string, Sum>> = {
  cloud_servers: [[...place, 'status'], (row) => row.servers],
  cloud_servers_gpu: [place, (row) => row.gpuServers],
  cloud_servers_vcpus: [place, (row) => row.vcpus],
  cloud_servers_memory_bytes: [place, (row) => row.memoryMiB * mebibyte],
  cloud_servers_disk_bytes: [place, (row) => row.diskMiB * mebibyte],
  cloud_servers_disks: [place, (row) => row.disks],
};

/**
 * What is not within what there was, series by series and server by server, in words. A total may be right although a
 * server is missing: another was added.
 */
export function untruths(parsed: Parsed, { least, most, stayed, ever }: Range): string[] {
  const wrong = within('servers', parsed.sum('cloud_servers'), stayed.size, ever.size);
  for (const [name, [labels, measure]] of Object.entries(sums)) {
    const samples = parsed.of(name).map((one) => [one.labels, one.value] as const);
    const told = addUp(labels, samples);
    const [leastOf, mostOf] = [least, most].map(({ rows }) =>
      addUp(
        labels,
        rows.map((row) => [row, measure(row)]),
      ),
    );
    for (const key of new Set([...leastOf!.keys(), ...told.keys()])) {
      const [number, low, high] = [told, leastOf!, mostOf!].map((of) => of.get(key) ?? 0);
      wrong.push(...within(`${name} ${key}`, number!, low!, high!));
    }
  }
  const named = new Set(parsed.of('cloud_server_info').map(({ labels: { id = '' } }) => id));
  if (named.size === 0) return wrong;
  const missing = [...stayed].filter((id) => !named.has(id)).map((id) => `${id} is missing`);
  const unheardOf = [...named].filter((id) => !ever.has(id)).map((id) => `${id} never was`);
  return [...wrong, ...missing, ...unheardOf];
}

function within(what: string, told: number, least: number, most: number): string[] {
  return told >= least && told <= most ? [] : [`${what}: ${told} told, ${least} to ${most} there are`];
}

function addUp(
  labels: readonly string[],
  pairs: readonly (readonly [values: object, number: number])[],
): Map<string, number> {
  const added = new Map<string, number>();
  for (const [values, number] of pairs) {
    const key = JSON.stringify(labels.map((label) => (values as Record<string, string>)[label]));
    added.set(key, (added.get(key) ?? 0) + number);
  }
  return added;
}

const read = new RegExp(
  `^(# (HELP|TYPE) )?(${Object.keys(sums).join('|')}|cloud_(up|server_info|list_\\w+|snapshot_timestamp_seconds|exporter_\\w+_total))[ {]`,
);

/** The families that a soak looks at; strict reading of everything else would be most of its work. */
export function readShort(text: string): Parsed {
  const lines = text.split('\n').filter((line) => read.test(line));
  return parseExposition(`${lines.join('\n')}\n`);
}

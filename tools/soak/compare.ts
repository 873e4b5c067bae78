import type { Truth } from '../../test/simulator/truth.ts';
import { parseExposition, type Parsed } from '../../test/support/exposition.ts';
import type { Range } from './chronicle.ts';

type Row = Truth['rows'][number];

const mebibyte = 1024 ** 2;
const labels = ['region', 'zone', 'hypervisor', 'project_domain', 'project', 'status'] as const;
const sums: Readonly<Record<string, (row: Row) => number>> = {
  cloud_servers: (row) => row.servers,
  cloud_servers_vcpus: (row) => row.vcpus,
  cloud_servers_memory_bytes: (row) => row.memoryMiB * mebibyte,
  cloud_servers_disk_bytes: (row) => row.diskMiB * mebibyte,
};

/** Whether every sum, series by series, and every single server, is within what there was. Nothing may have moved, too. */
export function tellsTruth(parsed: Parsed, range: Range): boolean {
  return untruths(parsed, range).length === 0;
}

/** What is not within what there was, in words. A total may be right although a server is missing: another was added. */
export function untruths(parsed: Parsed, { least, most, stayed, ever }: Range): string[] {
  const total = parsed.sum('cloud_servers');
  const ofTotal = within('servers', total, stayed.size, ever.size);
  const ofSeries = Object.entries(sums).flatMap(([name, measure]) => {
    const told = addUp(parsed.of(name));
    const [leastOf, mostOf] = [least, most].map(
      ({ rows }) => new Map(rows.map((row) => [keyOf(row), measure(row)])),
    ) as [Map<string, number>, Map<string, number>];
    return [...new Set([...leastOf.keys(), ...told.keys()])].flatMap((key) =>
      within(`${name} ${key}`, told.get(key) ?? -1, leastOf.get(key) ?? -1, mostOf.get(key) ?? -1),
    );
  });
  return [...ofTotal, ...ofSeries, ...misnamed(parsed, stayed, ever)];
}

/** A series that is not there at all counts as -1. */
function within(what: string, told: number, least: number, most: number): string[] {
  return told >= least && told <= most ? [] : [`${what}: ${told} told, ${least} to ${most} there are`];
}

/** Where single servers are told: who was there all the time is among them, and nobody who never was. */
function misnamed(parsed: Parsed, stayed: Range['stayed'], ever: Range['ever']): string[] {
  const named = new Set(parsed.of('cloud_server_info').map(({ labels: { id = '' } }) => id));
  if (named.size === 0) return [];
  return [
    ...[...stayed].filter((id) => !named.has(id)).map((id) => `${id} is missing`),
    ...[...named].filter((id) => !ever.has(id)).map((id) => `${id} never was`),
  ];
}

/** By key: servers of one status may be of two states, if some are in the recycle bin. */
function addUp(samples: ReturnType<Parsed['of']>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { labels: values, value } of samples)
    sums.set(keyOf(values), (sums.get(keyOf(values)) ?? 0) + value);
  return sums;
}

function keyOf(values: object): string {
  const named = values as Readonly<Record<string, string>>;
  return JSON.stringify(labels.map((label) => named[label]));
}

const read = new RegExp(
  `^(# (HELP|TYPE) )?(${[
    ...Object.keys(sums),
    'cloud_up',
    'cloud_server_info',
    'cloud_list_received',
    'cloud_list_reported',
    'cloud_list_rejected',
    'cloud_snapshot_timestamp_seconds',
    'cloud_collection_duration_seconds',
    'cloud_exporter_collections_total',
    'cloud_exporter_collection_failures_total',
    'cloud_exporter_stale_answers_total',
    'cloud_exporter_logins_total',
    'cloud_exporter_api_retries_total',
  ].join('|')})[ {]`,
);

/** The families that a soak looks at; strict reading of everything else would be most of its work. */
export function readShort(text: string): Parsed {
  return parseExposition(
    `${text
      .split('\n')
      .filter((line) => read.test(line))
      .join('\n')}\n`,
  );
}

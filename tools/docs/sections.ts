import { variables } from '../../src/config/environment.ts';
import { bytesPerUnit, cloudSchema, cloudShape } from '../../src/config/schema.ts';
import { helpText } from '../../src/flags.ts';
import { failureAdvice } from '../../src/transport/advice.ts';
import { documentedFamilies } from './catalogue.ts';
import { table } from './section.ts';

/** What a newcomer wants to know first, in that order, and each in a few words. */
const firstMetrics = {
  cloud_up: '1 if the latest finished collection succeeded',
  cloud_last_success_timestamp_seconds: 'end of the latest good collection',
  cloud_servers: 'servers',
  cloud_servers_vcpus: 'their virtual CPUs',
  cloud_servers_memory_bytes: 'their memory',
  cloud_servers_disk_bytes: 'the size of their disks',
  cloud_servers_devices: 'their GPUs and other devices',
  cloud_server_problem: 'a server that needs attention, by name',
  cloud_servers_expiring: 'servers that expire within 1, 7 or 30 days',
  cloud_host_up: '1 if the platform can reach the host',
};

/** The README's table: name, meaning, and the labels that the text above it does not name. */
export function metricTable(): string {
  const rows = Object.entries(firstMetrics).map(([wanted, meaning]) => {
    const { name, labels } = documentedFamilies.find((family) => family.name === wanted)!;
    return [`\`${name}\``, meaning, ownLabels(labels)];
  });
  return table(['metric', 'meaning', 'labels'], rows);
}

const location = ['cloud', 'region', 'zone', 'hypervisor', 'project_domain', 'project'];

const codes = (words: readonly string[]) => words.map((word) => `\`${word}\``);

function ownLabels(labels: readonly string[]): string {
  return codes(labels.filter((name) => !location.includes(name))).join(', ');
}

/** The reference: everything about each family. */
export function metricReference(): string {
  const parts = documentedFamilies.map(({ name, labels, help, series, example }) =>
    [
      `### ${name}`,
      help,
      [labelLine(labels, series), isTrivial(name, example) ? '' : `\`${example}\``]
        .filter(Boolean)
        .join('\n'),
    ].join('\n\n'),
  );
  return parts.join('\n\n');
}

/** The metric itself, beside a number at most. */
function isTrivial(name: string, example: string): boolean {
  return example === name || (example.startsWith(`${name} `) && /^\S+ [<=>]+ [\d.]+$/.test(example));
}

/** The top of the page says that there is one for each set of labels. */
function unlessObvious(series: string): string {
  return /^one(?!.*(, with|, where|`))/.test(series) ? '' : `; ${series}`;
}

/** Labels that come together are one word, as the top of the page says. */
const together = {
  location,
  network: ['cloud', 'region', 'zone', 'vpc', 'network', 'server_type'],
  storage: ['cloud', 'region', 'zone', 'storage', 'storage_type', 'medium_type'],
  host: ['cloud', 'region', 'zone', 'host', 'hypervisor'],
};

/** Nothing where the page says it above: `cloud` alone. */
function labelLine(labels: readonly string[], series: string): string {
  const found = Object.entries(together).find(
    ([, names]) => String(labels.slice(0, names.length)) === String(names),
  );
  const rest = codes(labels.slice(found?.[1].length ?? 0));
  const note = unlessObvious(series);
  if (String(labels) === 'cloud' && note === '') return '';
  const words = [...(found ? [`*${found[0]}*`] : []), ...rest].join(', ');
  return `${words === '' ? 'No labels' : words}${note}.`;
}

export function failureList(): string {
  const reasons = Object.entries(failureAdvice);
  return reasons.map(([reason, { meaning, cure }]) => `- \`${reason}\`: ${meaning} _${cure}_`).join('\n');
}

/** Every setting of a cloud, from the schema that reads it. The page says above the table that secrets may be in files. */
export function settingsTable(): string {
  const needed = { auth_url: 'https://cloud.example.com', token: 'any' };
  const defaults = cloudSchema.parse(needed) as Record<string, unknown>;
  const settings = Object.entries(cloudShape).filter(([key]) => !key.endsWith('_file'));
  const rows = settings.map(([key, shape]) => {
    const names = variables.filter(([, setting]) => setting === key).map(([name]) => name);
    const fallback = key in needed ? '' : defaultOf(key, defaults[key]);
    return [codes([key, ...names]).join(', '), fallback, shape.description ?? ''];
  });
  return table(['key, variables', 'default', 'meaning'], rows);
}

/** Every flag, as `--help` has it. */
export function flagList(): string {
  const lines = helpText()
    .split('\n')
    .filter((line) => line.startsWith('  --'));
  return ['```text', ...lines.map((line) => line.slice(2)), '```'].join('\n');
}

function defaultOf(key: string, value: unknown): string {
  if (value === undefined) return '';
  if (key === 'units') return `\`{memory: ${unitName('memory', value)}, disk: ${unitName('disk', value)}}\``;
  if (key === 'overcommit') {
    const ratios = Object.entries(value as Record<string, number>).map((pair) => pair.join(': '));
    return `\`{${ratios.join(', ')}}\``;
  }
  if (Array.isArray(value) || (typeof value === 'object' && value !== null)) return 'none';
  const isDuration =
    /_(timeout|after|within|age|stale)$|^max_(age|stale)$|^(stuck_after|expiring_within)$/.test(key);
  return `\`${isDuration ? durationText(Number(value)) : String(value)}\``;
}

function unitName(part: 'memory' | 'disk', value: unknown): string {
  const bytes = (value as Record<string, number>)[part];
  return Object.entries(bytesPerUnit).find(([, size]) => size === bytes)?.[0] ?? String(bytes);
}

function durationText(milliseconds: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
  ] as const) {
    if (milliseconds > 0 && milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return `${milliseconds / 1000}s`;
}

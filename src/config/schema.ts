import { z } from 'zod';
import { cloudFamilies } from '../metrics/page.ts';
import { proxyProblem } from '../transport/proxy.ts';

const millisecondsPer = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationShape = /^(\d+(\.\d+)?(ms|[smhd]))+$/;

function toMilliseconds(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g))
    sum += Number(amount) * millisecondsPer[unit as keyof typeof millisecondsPer];
  return sum;
}

const asDuration = { error: 'must be a duration such as 30s, 5m or 1h30m, or a number of seconds' };

/** Written as Prometheus writes them (`90s`, `1h30m`), or as a number of seconds; read as milliseconds. */
export const duration = z
  .union([z.string().regex(durationShape, asDuration), z.number().nonnegative(asDuration)], asDuration)
  .transform((value) => (typeof value === 'number' ? value * 1000 : toMilliseconds(value)));

export const bytesPerUnit = {
  B: 1,
  kB: 1000,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
} as const;

const unitNames = Object.keys(bytesPerUnit) as (keyof typeof bytesPerUnit)[];

/** The size of one step of a number, in bytes. */
const sizeUnit = z
  .enum(unitNames, { error: `must be one of ${unitNames.join(', ')}` })
  .transform((name) => bytesPerUnit[name]);

/** For a setting that is a map: without anything in it, what belongs into it was probably not indented. */
const emptyOr = (words: string) => ({
  error: ({ code, input }: { code?: string; input?: unknown }) => {
    if (code === 'unrecognized_keys') return undefined;
    return input === null ? 'is empty; indent what belongs below it' : words;
  },
});

/** What is no text is a number, a list or nothing at all because a letter in it means something to YAML. */
function noText(input: unknown): string {
  if (input === undefined) return 'is missing';
  if (input === null) return 'is empty; if its text begins with # or &, quote it';
  return 'must be a text: quote it';
}

const text = z.string({ error: ({ input }) => noText(input) }).min(1, { error: 'must not be empty' });

const urlWith = (problemOf: (value: string) => string | undefined) =>
  text.trim().superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

export function urlProblem(value: string): string | undefined {
  // What can be parsed alone may not be once a path follows it, and tabs inside would silently be left out.
  if (!URL.canParse(value) || !URL.canParse(`${value}/servers`) || /[\s\p{Cc}]/u.test(value))
    return `is not a URL: write it in full, such as https://cloud.example.com:30500`;
  const { protocol, username, password, search, hash } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must start with http:// or https://';
  if (username || password) return 'must not contain a user name or password';
  return search || hash ? 'must not contain a query (?…) or a fragment (#…)' : undefined;
}

/** What follows the version, or another one than v3, would make the login a wrong path. */
function identityProblem(value: string): string | undefined {
  const problem = urlProblem(value);
  if (problem) return problem;
  const before = new URL(value).pathname.replace(/\/v3\/?$/, '');
  const isLonger = /\/(v[23](\.\d)?(\/+auth)?(\/+tokens)?|auth\/+tokens)\/*$/i.test(before);
  return isLonger ? 'must end in /v3 or before it, such as https://cloud.example.com:30500/v3' : undefined;
}

const reservedParameters: ReadonlySet<string> = new Set(['limit', 'offset', 'details', 'field']);

/** The words that the platform knows; it takes any other for `project`, without saying so. */
const scopes: readonly string[] = ['system', 'domain', 'project', 'max'];

const parameter = z.union([z.string(), z.number(), z.boolean()]);

const query = z
  .union(
    [z.string(), z.record(z.string(), z.union([parameter, z.array(parameter)]))],
    emptyOr('must be parameters such as "scope=system" or {scope: system}; a list repeats one'),
  )
  .transform((value) =>
    typeof value === 'string'
      ? [...new URLSearchParams(value)]
      : Object.entries(value).flatMap(([name, items]) =>
          [items].flat().map((item): [string, string] => [name, String(item)]),
        ),
  )
  .superRefine((pairs, context) => {
    const problem = pairs.map(parameterProblem).find((words) => words);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .default([]);

/** What the platform would not take as it was meant; it says nothing about that. */
function parameterProblem([name, value]: readonly [name: string, value: string]): string | undefined {
  if (reservedParameters.has(name)) return `must not set ${name}: the exporter pages by itself`;
  if (value === '' || !/^[\w.-]{1,64}$/.test(name))
    return 'has a part that is no name=value; write it as scope=system, or as {scope: system} in a file';
  if (name !== 'scope' || scopes.includes(value)) return undefined;
  return `has a scope that is none of ${scopes.join(', ')}, and the platform would list one project`;
}

const whole = (minimum: number, maximum: number) =>
  z
    .int({ error: `must be a whole number from ${minimum} to ${maximum}` })
    .min(minimum, { error: `must be at least ${minimum}` })
    .max(maximum, { error: `must be at most ${maximum}` });

const ratio = z
  .number({ error: 'must be a number, such as 1 or 8' })
  .positive({ error: 'must be more than 0' })
  .max(1000, { error: 'must be at most 1000' });

/** Settings that are a text, yes or no, or a span of time. Descriptions feed the documentation. */
const optional = (description: string) => text.optional().describe(description);
const flag = (usual: boolean, description: string) =>
  z.boolean({ error: 'must be true or false' }).default(usual).describe(description);
const span = (usualMs: number, description: string) => duration.default(usualMs).describe(description);

/** Labels of the families that have the extra ones, too: one of the same name would be there twice. */
const takenLabels: ReadonlySet<string> = new Set([
  ...cloudFamilies.flatMap(({ labels: names }) => (names.includes('project_domain') ? names : [])),
  'job',
  'instance',
]);

function labelProblem(label: string, source: string): string | undefined {
  if (!/^[a-zA-Z_]\w*$/.test(label) || label.startsWith('__'))
    return `${label} is not a label name that Prometheus accepts`;
  if (takenLabels.has(label))
    return `${label} is a label that the exporter uses already; choose another name`;
  if (/^metadata\.(login_|__)/.test(source))
    return `${source} holds login secrets of the server and is never exported`;
  if (!/^(metadata\..+|[a-z][a-z0-9_]*)$/.test(source)) return 'is neither a field nor metadata.KEY';
  return undefined;
}

const labels = z
  .record(
    z.string(),
    text,
    emptyOr('must map label names to server fields, such as {team: "metadata.user:team"}'),
  )
  .superRefine((map, context) => {
    for (const [label, source] of Object.entries(map)) {
      const problem = labelProblem(label, source);
      if (problem) context.addIssue({ code: 'custom', message: problem, path: [label] });
    }
  })
  .default({});

/** One cloud as the file (and, translated, the environment) writes it. */
export const cloudShape = {
  auth_url: urlWith(identityProblem).describe('Identity endpoint, with or without a trailing `/v3`.'),
  username: optional('Password method: the user, by name.'),
  user_id: optional('Password method: the user, by id.'),
  password: optional('Password method: the password.'),
  password_file: optional('File that holds the password; read again at each login.'),
  user_domain_name: optional("The user's domain, by name."),
  user_domain_id: optional("The user's domain, by id."),
  token: optional('Token method: a valid token, traded for the exporter’s own.'),
  token_file: optional('File that holds the token.'),
  access_key: optional('Access key method: the key.'),
  access_key_file: optional('File that holds the access key.'),
  secret_key: optional('Access key method: its secret, which signs the login and is never sent.'),
  secret_key_file: optional('File that holds the secret of the access key.'),
  cas_ticket: optional('CAS ticket method: the ticket.'),
  cas_ticket_file: optional('File that holds the CAS ticket.'),
  project_name: optional('Scope: the project, by name.'),
  project_id: optional('Scope: the project, by id.'),
  project_domain_name: optional("The project's domain, by name."),
  project_domain_id: optional("The project's domain, by id."),
  domain_name: optional('Scope: a whole domain, by name.'),
  domain_id: optional('Scope: a whole domain, by id.'),
  base_url: urlWith(urlProblem).optional().describe("Platform API; overrides the token's catalog."),
  region_name: optional('Region of the endpoint in the catalog.'),
  interface: text
    .transform((name) => name.replace(/URL$/, ''))
    .default('public')
    .describe('Interface of the endpoint in the catalog.'),
  query: query.describe(
    'More parameters for GET /servers, such as `pending_delete=all`; `scope=project` keeps to one project.',
  ),
  cacert: optional('CA bundle (PEM): the only CAs that are trusted.'),
  cert: optional('Client certificate (PEM) to show to the platform.'),
  key: optional('Key of the client certificate (PEM).'),
  insecure_skip_verify: flag(false, 'Do not verify the certificate of the platform. For trials only.'),
  proxy_url: urlWith(proxyProblem)
    .optional()
    .describe(
      'HTTP(S) proxy towards the platform; else `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are followed.',
    ),
  fields: z
    .enum(['needed', 'all'], { error: 'must be needed or all' })
    .default('needed')
    .describe('`needed` requests the fields that are read, `all` whole records.'),
  page_size: whole(1, 10_000)
    .default(500)
    .describe('Servers requested per page with details; four times as many without, 2,048 at most.'),
  page_limit: whole(1, 1_000_000).default(10_000).describe('Pages after which a list fails.'),
  concurrency: whole(1, 64)
    .default(4)
    .describe('Pages requested at the same time; the platform has 8 workers for reading.'),
  request_timeout: span(30_000, 'Time for one attempt of one request.'),
  collection_timeout: span(300_000, 'Time for a whole collection, retries included.'),
  response_limit_bytes: whole(1024, 2 ** 31)
    .default(64 * 2 ** 20)
    .describe('Largest answer that is read.'),
  max_age: span(0, 'A snapshot younger than this is served again without collecting.'),
  details_max_age: span(
    1_800_000,
    'How old disks, devices and names of zones, regions and projects may be; 0: every list is detailed.',
  ),
  max_stale: span(
    300_000,
    'How much longer than `max_age` the last good snapshot is served while collections fail.',
  ),
  units: z
    .strictObject(
      { memory: sizeUnit.default(1024 ** 2), disk: sizeUnit.default(1024 ** 2) },
      emptyOr('must hold memory and disk'),
    )
    .prefault({})
    .describe('Units in which the platform gives `vmem_size` (memory) and `disk` (disk).'),
  labels: labels.describe(
    'Extra labels of all servers, from a server field or an allow-listed metadata key.',
  ),
  info_labels: labels.describe(
    'The same for `cloud_server_info` and `cloud_server_problem` only, without more series of sums.',
  ),
  per_host: flag(true, 'Export hosts, and what is on them.'),
  list_hosts: flag(true, 'List the hosts: those without servers too, and what each one has.'),
  list_storages: flag(true, 'List the storages.'),
  list_isolated_devices: flag(true, 'List the GPUs and other devices of hosts.'),
  list_networks: flag(true, 'List the networks, and how many of their addresses are used.'),
  list_syncs: flag(true, 'List when each region of each subscription of another cloud was synchronised.'),
  room_max_age: span(
    300_000,
    'How old the lists of storages, devices, networks and synchronisations may be.',
  ),
  overcommit: z
    .strictObject(
      { cpu: ratio.default(8), memory: ratio.default(1), storage: ratio.default(1) },
      emptyOr('must hold cpu, memory and storage'),
    )
    .prefault({})
    .describe('Ratio of allocatable to real capacity, for hosts and storages that set none.'),
  per_server: flag(false, 'Export a series for each single server, too.'),
  series_limit: whole(1, 100_000_000)
    .default(1_000_000)
    .describe('Maximum of series for servers and hosts of this cloud.'),
  problem_limit: whole(0, 1_000_000)
    .default(1000)
    .describe('Maximum of series of `cloud_server_problem`; the counts stay true.'),
  stuck_after: span(3_600_000, 'A server in transition that was not updated for this long is stuck.'),
  expiring_within: span(
    7 * 86_400_000,
    'A server that expires within this time, without auto-renewal, is expiring.',
  ),
};

export const cloudSchema = z.strictObject(cloudShape);

export type CloudSettings = z.output<typeof cloudSchema>;

/** What clouds may have in common: none of it is needed. */
export const defaultsSchema = cloudSchema.partial();

/** One label twice in a series. */
export function labelMistakes({
  labels: place,
  info_labels: info,
}: Readonly<Record<string, unknown>>): { key: string; message: string }[] {
  const named = (map: unknown) => Object.keys(labels.safeParse(map).data ?? {});
  const both = named(place).filter((label) => named(info).includes(label));
  return both.map((label) => ({
    key: 'info_labels',
    message: `${label} is in labels, too; leave it out of one of the two`,
  }));
}

import { z } from 'zod';
import { cloudFamilies } from '../metrics/page.ts';
import { proxyProblem } from './proxy.ts';
import { suggest } from './suggest.ts';

const millisecondsPer = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationShape = /^(\d+(\.\d+)?(ms|[smhd]))+$/;

function toMilliseconds(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    sum += Number(amount) * millisecondsPer[unit as keyof typeof millisecondsPer];
  }
  return sum;
}

const durationWords = 'must be a duration such as 30s, 5m or 1h30m, or a number of seconds';

/** Written as Prometheus writes them (`90s`, `1h30m`), or as a number of seconds; read as milliseconds. */
export const duration = z
  .union(
    [
      z.string().regex(durationShape, { error: durationWords }),
      z.number().nonnegative({ error: durationWords }),
    ],
    { error: durationWords },
  )
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

const unitNames = Object.keys(bytesPerUnit) as [keyof typeof bytesPerUnit, ...(keyof typeof bytesPerUnit)[]];

/** The size of one step of a number, in bytes. */
export const sizeUnit = z
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
  const parsed = new URL(value);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    return 'must start with http:// or https://';
  if (parsed.username || parsed.password) return 'must not contain a user name or password';
  if (parsed.search || parsed.hash) return 'must not contain a query (?…) or a fragment (#…)';
  return undefined;
}

const isVersion = (part: string | undefined) => /^v[23](\.\d)?$/i.test(part ?? '');

/** An address that goes on behind the version, or has another one than v3: the login would be a wrong path. */
function identityProblem(value: string): string | undefined {
  const problem = urlProblem(value);
  if (problem) return problem;
  const { origin, pathname } = new URL(value);
  const parts = pathname.split('/').filter((part) => part !== '');
  const given = parts.join('/');
  const isCall = parts.at(-1) === 'tokens';
  if (isCall) parts.pop();
  if (parts.at(-1) === 'auth' && (isCall || isVersion(parts.at(-2)))) parts.pop();
  while (isVersion(parts.at(-1))) parts.pop();
  const right = [...parts, 'v3'].join('/');
  if (given === right || given === parts.join('/')) return undefined;
  return `must end in /v3 or before it; did you mean ${origin}/${right}?`;
}

const reservedParameters: ReadonlySet<string> = new Set(['limit', 'offset', 'details', 'field']);

/** The words that the platform knows; it takes any other for `project`, without saying so. */
export const scopes = ['system', 'domain', 'project', 'max'] as const;

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
    const problem = pairs.map(([name, value]) => parameterProblem(name, value)).find((words) => words);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

function parameterProblem(name: string, value: string): string | undefined {
  if (reservedParameters.has(name)) return `must not set ${name}: the exporter pages by itself`;
  const isKnown = name !== 'scope' || scopes.some((scope) => scope === value);
  const nearest = isKnown ? undefined : suggest(value, scopes);
  return (
    nearest &&
    `scope=${value} is not known, and the platform would list one project; did you mean ${nearest}?`
  );
}

/** What the platform would not take as it was meant. */
export function queryOddity(pairs: readonly (readonly [string, string])[]): string | undefined {
  if (pairs.some(([name, value]) => value === '' || !/^[\w.-]{1,64}$/.test(name)))
    return 'has a part that is no name=value; write it as scope=system, or as {scope: system} in a file';
  const isStrange = pairs.some(
    ([name, value]) => name === 'scope' && !scopes.some((scope) => scope === value),
  );
  return isStrange
    ? `has a scope that is none of ${scopes.join(', ')}; the platform would list one project`
    : undefined;
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

const yesOrNo = z.boolean({ error: 'must be true or false' });

/** Labels that families use already; an extra label of the same name would make two of one series. */
const takenLabels: ReadonlySet<string> = new Set([
  ...cloudFamilies.flatMap(({ labels: names }) => names),
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
  });

/** One cloud as the file (and, translated, the environment) writes it. Descriptions feed the documentation. */
export const cloudShape = {
  auth_url: urlWith(identityProblem).describe('Identity endpoint, with or without a trailing `/v3`.'),
  username: text.optional().describe('Password method: the user, by name.'),
  user_id: text.optional().describe('Password method: the user, by id.'),
  password: text.optional().describe('Password method: the password.'),
  password_file: text.optional().describe('File that holds the password; read again at each login.'),
  user_domain_name: text.optional().describe("The user's domain, by name."),
  user_domain_id: text.optional().describe("The user's domain, by id."),
  token: text.optional().describe('Token method: a valid token, traded for the exporter’s own.'),
  token_file: text.optional().describe('File that holds the token.'),
  access_key: text.optional().describe('Access key method: the key.'),
  access_key_file: text.optional().describe('File that holds the access key.'),
  secret_key: text
    .optional()
    .describe('Access key method: its secret, which signs the login and is never sent.'),
  secret_key_file: text.optional().describe('File that holds the secret of the access key.'),
  cas_ticket: text.optional().describe('CAS ticket method: the ticket.'),
  cas_ticket_file: text.optional().describe('File that holds the CAS ticket.'),
  project_name: text.optional().describe('Scope: the project, by name.'),
  project_id: text.optional().describe('Scope: the project, by id.'),
  project_domain_name: text.optional().describe("The project's domain, by name."),
  project_domain_id: text.optional().describe("The project's domain, by id."),
  domain_name: text.optional().describe('Scope: a whole domain, by name.'),
  domain_id: text.optional().describe('Scope: a whole domain, by id.'),
  base_url: urlWith(urlProblem).optional().describe("Platform API; overrides the token's catalog."),
  region_name: text.optional().describe('Region of the endpoint in the catalog.'),
  interface: text
    .transform((name) => name.replace(/URL$/, ''))
    .default('public')
    .describe('Interface of the endpoint in the catalog.'),
  query: query
    .default([])
    .describe(
      'More parameters for GET /servers, such as `pending_delete=all`; `scope=project` keeps to one project.',
    ),
  cacert: text.optional().describe('CA bundle (PEM): the only CAs that are trusted.'),
  cert: text.optional().describe('Client certificate (PEM) to show to the platform.'),
  key: text.optional().describe('Key of the client certificate (PEM).'),
  insecure_skip_verify: yesOrNo
    .default(false)
    .describe('Do not verify the certificate of the platform. For trials only.'),
  proxy_url: urlWith(proxyProblem)
    .optional()
    .describe(
      'HTTP(S) proxy towards the platform; else `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are followed.',
    ),
  fields: z
    .enum(['needed', 'all'], { error: 'must be needed or all' })
    .default('needed')
    .describe('`needed` requests the fields that are read, `all` whole records.'),
  page_size: whole(1, 10_000).default(1000).describe('Servers requested per page.'),
  page_limit: whole(1, 1_000_000).default(10_000).describe('Pages after which a list is given up.'),
  concurrency: whole(1, 64)
    .default(4)
    .describe('Pages requested at the same time; the platform has 8 workers for reading.'),
  request_timeout: duration.default(30_000).describe('Time for one attempt of one request.'),
  collection_timeout: duration.default(300_000).describe('Time for a whole collection, retries included.'),
  response_limit_bytes: whole(1024, 2 ** 31)
    .default(64 * 2 ** 20)
    .describe('Largest answer that is read.'),
  max_age: duration.default(0).describe('A snapshot younger than this is served again without collecting.'),
  details_max_age: duration
    .default(1_800_000)
    .describe(
      'How old disks, devices and names of zones, regions and projects may be; 0: every list is detailed.',
    ),
  list_max_age: duration
    .default(0)
    .describe(
      'How old the full list may be: until then only changes and the total are requested. Needs `details_max_age`; 0: every list is full.',
    ),
  max_stale: duration
    .default(300_000)
    .describe('How long the last good snapshot is served while collections fail.'),
  units: z
    .strictObject(
      { memory: sizeUnit.default(1024 ** 2), disk: sizeUnit.default(1024 ** 2) },
      emptyOr('must hold memory and disk'),
    )
    .prefault({})
    .describe('Units in which the platform gives `vmem_size` (memory) and `disk` (disk).'),
  labels: labels
    .default({})
    .describe('Extra place labels, from a server field or an allow-listed metadata key.'),
  per_host: yesOrNo.default(true).describe('Export hosts, and what is on them.'),
  list_hosts: yesOrNo
    .default(true)
    .describe('List the hosts: those without servers too, and what each one has.'),
  list_storages: yesOrNo.default(true).describe('List the storages.'),
  list_isolated_devices: yesOrNo.default(true).describe('List the GPUs and other devices of hosts.'),
  room_max_age: duration.default(300_000).describe('How old the lists of storages and devices may be.'),
  overcommit: z
    .strictObject(
      { cpu: ratio.default(8), memory: ratio.default(1), storage: ratio.default(1) },
      emptyOr('must hold cpu, memory and storage'),
    )
    .prefault({})
    .describe('Ratio of what may be promised to what is there, for hosts and storages that set none.'),
  per_server: yesOrNo.default(false).describe('Export a series for each single server, too.'),
  series_limit: whole(1, 100_000_000)
    .default(1_000_000)
    .describe('Maximum of series for servers and hosts of this cloud.'),
  problem_limit: whole(0, 1_000_000)
    .default(1000)
    .describe('Maximum of series of `cloud_server_problem`; the counts stay true.'),
  stuck_after: duration
    .default(3_600_000)
    .describe('A server in transition that was not updated for this long is stuck.'),
  expiring_within: duration
    .default(7 * 86_400_000)
    .describe('A server that expires within this time, without auto-renewal, is expiring.'),
};

export const cloudSchema = z.strictObject(cloudShape);

export type CloudSettings = z.output<typeof cloudSchema>;

/** What clouds may have in common: none of it is needed. */
export const defaultsSchema = cloudSchema.partial();

/** What is wrong between the settings of ages, judged on what was written, valid or not. */
export function ageMistakes(settings: Readonly<Record<string, unknown>>): { key: string; message: string }[] {
  const { list_max_age: list, details_max_age: details } = settings;
  const isOn = (duration.safeParse(list).data ?? 0) > 0;
  if (!isOn || duration.safeParse(details).data !== 0) return [];
  const message =
    'needs details_max_age, which is 0: a list of changes has no details; leave one of the two out';
  return [{ key: 'list_max_age', message }];
}

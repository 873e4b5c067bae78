import { parseArgs } from 'node:util';
import { urlProblem } from './config/schema.ts';
import { shardFrom, type Shard } from './config/shard.ts';
import { suggest } from './config/suggest.ts';
import { parseListenAddress, type HostAndPort } from './http/listen.ts';
import { telemetryPathProblem } from './http/paths.ts';
import { logFormats, logLevels, type LogFormat, type LogLevel } from './log.ts';

interface Flag {
  readonly name: string;
  readonly value?: string;
  readonly default?: string;
  readonly help: string;
}

const flags: readonly Flag[] = [
  {
    name: 'config.file',
    value: 'FILE',
    help: 'YAML file with one or many clouds, or a folder of them; may be given more than once; without it, OS_* variables name one',
  },
  { name: 'config.lenient', help: 'leave a bad file of the configuration out, instead of refusing all' },
  {
    name: 'shard',
    value: 'ORDINAL',
    help: 'take one part of the clouds: 0, 1 and so on, or auto for the number at the end of the host name',
  },
  { name: 'total-shards', value: 'NUMBER', help: 'how many parts there are' },
  {
    name: 'web.listen-address',
    value: 'ADDRESS',
    default: ':10700',
    help: 'address to listen on, as :PORT, HOST:PORT or [IPV6]:PORT; may be given more than once',
  },
  { name: 'web.systemd-socket', help: 'listen on the sockets that systemd hands over, not on an address' },
  { name: 'web.telemetry-path', value: 'PATH', default: '/metrics', help: 'path of the metrics' },
  {
    name: 'web.config.file',
    value: 'FILE',
    help: "TLS, client certificates and basic auth, in exporter-toolkit's format",
  },
  { name: 'web.enable-lifecycle', help: 'allow POST /-/reload' },
  {
    name: 'web.enable-discovery',
    help: 'allow /sd/servers, which hands out names and addresses of every server',
  },
  {
    name: 'web.external-url',
    value: 'URL',
    help: 'address under which others reach the exporter, for links in alerts',
  },
  { name: 'web.disable-exporter-metrics', help: 'leave out process_* and nodejs_*' },
  {
    name: 'web.max-requests',
    value: 'NUMBER',
    default: '40',
    help: 'answers written at the same time, 0 for no limit',
  },
  { name: 'log.level', value: 'LEVEL', default: 'info', help: logLevels.join(', ') },
  { name: 'log.format', value: 'FORMAT', default: 'logfmt', help: logFormats.join(' or ') },
  { name: 'json', help: 'with check: print one JSON document, for scripts' },
  { name: 'demo', help: 'export a simulated cloud; needs no account and no configuration' },
  { name: 'version', help: 'print the version and exit' },
  { name: 'help', help: 'print this text and exit' },
];

const flagNames = flags.map(({ name }) => name);

export interface Arguments {
  readonly command: 'serve' | 'check' | 'help' | 'version';
  readonly configFiles: readonly string[] | undefined;
  readonly isLenient: boolean;
  readonly shard: Shard | undefined;
  readonly listenAddresses: readonly HostAndPort[];
  readonly systemdSocket: boolean;
  readonly telemetryPath: string;
  readonly webConfigFile: string | undefined;
  readonly enableLifecycle: boolean;
  readonly enableDiscovery: boolean;
  /** Without a slash at its end. */
  readonly externalUrl: string | undefined;
  readonly disableExporterMetrics: boolean;
  readonly maxRequests: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly json: boolean;
  readonly demo: boolean;
}

/** The arguments, or everything that is wrong with them. */
export function parseFlags(
  argv: readonly string[],
  hostName = '',
): { arguments: Arguments } | { problems: string[] } {
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  );
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const problems: string[] = [];
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  // As a row of flags of one letter each it would be as many mistakes.
  const oneDashed = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const argument = argv[token.index] ?? '';
    if (/^-[^-]./.test(argument)) {
      oneDashed.add(argument);
      continue;
    }
    const name = token.name === 'h' ? 'help' : token.name;
    problems.push(...optionProblems({ ...token, name }));
    given.set(name, [...(given.get(name) ?? []), token.value ?? '']);
  }
  const isCheck = positionals[0] === 'check';
  for (const word of [...oneDashed, ...(isCheck ? positionals.slice(1) : positionals)])
    problems.push(wordProblem(word));
  if (given.has('json') && !isCheck) problems.push('--json: goes with the command check');
  const textOf = (name: string) => given.get(name)?.at(-1) || defaultOf(name);

  const addresses = given.get('web.listen-address') ?? [defaultOf('web.listen-address')];
  const listenAddresses = addresses.flatMap((text) => {
    const address = parseListenAddress(text);
    if (!address)
      problems.push(`--web.listen-address: ${text} is not an address; write :10700 or 127.0.0.1:10700`);
    return address ?? [];
  });
  const telemetryPath = textOf('web.telemetry-path');
  const pathProblem = telemetryPathProblem(telemetryPath);
  if (pathProblem) problems.push(`--web.telemetry-path: ${pathProblem}`);
  const externalUrl = given.get('web.external-url')?.at(-1);
  const urlMistake = externalUrl ? urlProblem(externalUrl) : undefined;
  if (urlMistake) problems.push(`--web.external-url: ${urlMistake}`);
  const part = shardFrom({
    shard: given.get('shard')?.at(-1),
    totalShards: given.get('total-shards')?.at(-1),
    hostName,
  });
  if ('problem' in part) problems.push(part.problem);
  const maxRequests = Number(textOf('web.max-requests'));
  if (!Number.isSafeInteger(maxRequests) || maxRequests < 0)
    problems.push('--web.max-requests: must be a whole number, 0 for no limit');
  const logLevel = oneOf('log.level', logLevels, textOf('log.level'), problems);
  const logFormat = oneOf('log.format', logFormats, textOf('log.format'), problems);
  if (problems.length > 0 || 'problem' in part) return { problems };
  return {
    arguments: {
      command: commandOf(given, isCheck),
      configFiles: given.get('config.file'),
      isLenient: given.has('config.lenient'),
      shard: part.shard,
      listenAddresses,
      systemdSocket: given.has('web.systemd-socket'),
      telemetryPath,
      webConfigFile: given.get('web.config.file')?.at(-1),
      enableLifecycle: given.has('web.enable-lifecycle'),
      enableDiscovery: given.has('web.enable-discovery'),
      externalUrl: externalUrl?.replace(/\/$/, ''),
      disableExporterMetrics: given.has('web.disable-exporter-metrics'),
      maxRequests,
      logLevel,
      logFormat,
      json: given.has('json'),
      demo: given.has('demo'),
    },
  };
}

function commandOf(given: ReadonlyMap<string, unknown>, isCheck: boolean): Arguments['command'] {
  if (given.has('help')) return 'help';
  if (given.has('version')) return 'version';
  return isCheck ? 'check' : 'serve';
}

/** What is no flag and no command: often a flag with one dash, with none, or with one that a word processor made. */
function wordProblem(word: string): string {
  const [, dashes = '', name = ''] = /^(\p{Pd}*)([^=\s]*)/u.exec(word) ?? [];
  const isFlag = dashes !== '' || name.includes('.');
  const nearest = isFlag ? suggest(name, flagNames) : undefined;
  if (dashes === '')
    return `${word}: is not a command; ${nearest ? `did you mean --${nearest}?` : 'see --help'}`;
  return `${dashes}${name}: flags have two dashes; ${nearest ? `did you mean --${nearest}?` : 'see --help'}`;
}

function optionProblems(option: { name: string; rawName: string; value?: string | undefined }): string[] {
  const flag = flags.find(({ name }) => name === option.name);
  if (!flag) {
    const nearest = suggest(option.name, flagNames);
    return [`${option.rawName}: unknown flag${nearest ? `; did you mean --${nearest}?` : '; see --help'}`];
  }
  if (flag.value && !option.value)
    return [`--${flag.name}: needs a value, as in --${flag.name}=${flag.value}`];
  if (!flag.value && option.value !== undefined) return [`--${flag.name}: takes no value`];
  return [];
}

function oneOf<Value extends string>(
  name: string,
  known: readonly Value[],
  text: string,
  problems: string[],
): Value {
  const found = known.find((value) => value === text);
  if (!found) problems.push(`--${name}: must be one of ${known.join(', ')}`);
  return found ?? known[0]!;
}

function defaultOf(name: string): string {
  return flags.find((flag) => flag.name === name)?.default ?? '';
}

export function helpText(): string {
  const rows = flags.map(({ name, value, default: fallback, help }) => {
    const usage = `  --${name}${value ? `=${value}` : ''}`;
    return `${usage.padEnd(34)}${help}${fallback ? ` (${fallback})` : ''}`;
  });
  return `cloud-platform-exporter: Prometheus metrics about the servers of a cloud platform.

Usage:
  cloud-platform-exporter [flags]              export; one cloud from OS_* variables, or many from a file
  cloud-platform-exporter check [flags]        log in, list, and say what the token sees and what looks wrong
  cloud-platform-exporter --demo               see it work against a simulated cloud

Flags:
${rows.join('\n')}

One cloud without a file:
  OS_AUTH_URL        identity endpoint, such as https://cloud.example.com:30500/v3
  OS_USERNAME, OS_PASSWORD, OS_USER_DOMAIN_NAME            who logs in; or OS_TOKEN,
                     OS_ACCESS_KEY and OS_SECRET_KEY, or OS_CAS_TICKET
  OS_PROJECT_NAME, OS_PROJECT_DOMAIN_NAME                  the scope of the token
  CLOUD_QUERY        more parameters for GET /servers, such as pending_delete=all
Secrets may come from files: OS_PASSWORD_FILE and so on.
`;
}

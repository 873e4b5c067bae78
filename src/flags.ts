import { parseArgs } from 'node:util';
import { suggest } from './config/suggest.ts';
import { parseListenAddress, type ListenAddress } from './http/listen.ts';
import { logFormats, logLevels, type LogFormat, type LogLevel } from './log.ts';

interface Flag {
  readonly name: string;
  readonly value?: string;
  readonly standard?: string;
  readonly help: string;
}

const flags: readonly Flag[] = [
  {
    name: 'config.file',
    value: 'FILE',
    help: 'YAML file with one or many clouds; without it, OS_* variables name one',
  },
  {
    name: 'web.listen-address',
    value: 'ADDRESS',
    standard: ':10700',
    help: 'address to listen on, as :PORT, HOST:PORT or [IPV6]:PORT; may be given more than once',
  },
  { name: 'web.telemetry-path', value: 'PATH', standard: '/metrics', help: 'path of the metrics' },
  { name: 'web.enable-lifecycle', help: 'allow POST /-/reload' },
  { name: 'log.level', value: 'LEVEL', standard: 'info', help: logLevels.join(', ') },
  { name: 'log.format', value: 'FORMAT', standard: 'logfmt', help: logFormats.join(' or ') },
  { name: 'demo', help: 'export a simulated cloud; needs no account and no configuration' },
  { name: 'version', help: 'print the version and exit' },
  { name: 'help', help: 'print this text and exit' },
];

export interface Arguments {
  readonly command: 'serve' | 'help' | 'version';
  readonly configFile: string | undefined;
  readonly listenAddresses: readonly ListenAddress[];
  readonly telemetryPath: string;
  readonly enableLifecycle: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly demo: boolean;
}

/** The arguments, or everything that is wrong with them. */
export function parseFlags(argv: readonly string[]): { arguments: Arguments } | { problems: string[] } {
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
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`${token.value}: is not a command; see --help`);
    if (token.kind !== 'option') continue;
    const name = token.name === 'h' ? 'help' : token.name;
    problems.push(...optionProblems({ ...token, name }));
    given.set(name, [...(given.get(name) ?? []), token.value ?? '']);
  }
  const textOf = (name: string) => given.get(name)?.at(-1) || standardOf(name);

  const addresses = given.get('web.listen-address') ?? [standardOf('web.listen-address')];
  const listenAddresses = addresses.flatMap((text) => {
    const address = parseListenAddress(text);
    if (!address)
      problems.push(`--web.listen-address: ${text} is not an address; write :10700 or 127.0.0.1:10700`);
    return address ?? [];
  });
  const telemetryPath = textOf('web.telemetry-path');
  if (!/^\/[\w./-]+$/.test(telemetryPath))
    problems.push('--web.telemetry-path: must start with / and name a path');
  const logLevel = oneOf('log.level', logLevels, textOf('log.level'), problems);
  const logFormat = oneOf('log.format', logFormats, textOf('log.format'), problems);
  if (problems.length > 0) return { problems };
  return {
    arguments: {
      command: given.has('help') ? 'help' : given.has('version') ? 'version' : 'serve',
      configFile: given.get('config.file')?.at(-1),
      listenAddresses,
      telemetryPath,
      enableLifecycle: given.has('web.enable-lifecycle'),
      logLevel,
      logFormat,
      demo: given.has('demo'),
    },
  };
}

function optionProblems(option: { name: string; rawName: string; value?: string | undefined }): string[] {
  const flag = flags.find(({ name }) => name === option.name);
  if (!flag) {
    const nearest = suggest(
      option.name,
      flags.map(({ name }) => name),
    );
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

function standardOf(name: string): string {
  return flags.find((flag) => flag.name === name)?.standard ?? '';
}

export function helpText(): string {
  const rows = flags.map(({ name, value, standard, help }) => {
    const usage = `  --${name}${value ? `=${value}` : ''}`;
    return `${usage.padEnd(34)}${help}${standard ? ` (${standard})` : ''}`;
  });
  return `cloud-platform-exporter: Prometheus metrics about the servers of a cloud platform.

Usage:
  cloud-platform-exporter [flags]              export; one cloud from OS_* variables, or many from a file
  cloud-platform-exporter --demo               see it work against a simulated cloud

Flags:
${rows.join('\n')}

One cloud without a file:
  OS_AUTH_URL        identity endpoint, such as https://cloud.example.com:30500/v3
  OS_USERNAME, OS_PASSWORD, OS_USER_DOMAIN_NAME            who logs in; or OS_TOKEN,
                     OS_ACCESS_KEY and OS_SECRET_KEY, or OS_CAS_TICKET
  OS_PROJECT_NAME, OS_PROJECT_DOMAIN_NAME                  the scope of the token
  CLOUD_QUERY        scope=system, to see the servers of all projects
Secrets may come from files: OS_PASSWORD_FILE and so on.
`;
}

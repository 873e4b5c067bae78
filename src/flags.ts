import { parseArgs } from 'node:util';
import { urlProblem } from './config/schema.ts';
import { shardFrom } from './shard.ts';
import { suggest } from './suggest.ts';
import { paths } from './http/paths.ts';
import { parseListenAddress } from './listen-address.ts';
import { logFormats, logLevels } from './log.ts';

/** Every flag as it is written, and what it is for. */
const helpOfFlags = {
  'config.file=FILE':
    'YAML file with one or many clouds, or a folder of them; may be given more than once; without it, OS_* variables name one',
  'config.lenient': 'leave a bad file of the configuration out, instead of refusing all',
  'shard=ORDINAL':
    'take one part of the clouds: 0, 1 and so on, or auto for the number at the end of the host name',
  'total-shards=NUMBER': 'how many parts there are',
  'web.listen-address=ADDRESS':
    'address to listen on, as :PORT, HOST:PORT or [IPV6]:PORT; may be given more than once',
  'web.systemd-socket': 'listen on the sockets that systemd hands over, not on an address',
  'web.telemetry-path=PATH': 'path of the metrics',
  'web.config.file=FILE': "TLS, client certificates and basic auth, in exporter-toolkit's format",
  'web.enable-lifecycle': 'allow POST /-/reload',
  'web.enable-discovery': 'allow /sd/servers, which hands out names and addresses of every server',
  'web.external-url=URL': 'address under which others reach the exporter, for links in alerts',
  'web.disable-exporter-metrics': 'leave out process_* and nodejs_*',
  'web.max-requests=NUMBER': 'answers written at the same time, 0 for no limit',
  'log.level=LEVEL': logLevels.join(', '),
  'log.format=FORMAT': logFormats.join(' or '),
  json: 'with check: print one JSON document, for scripts',
  demo: 'export a simulated cloud; needs no account and no configuration',
  version: 'print the version and exit',
  help: 'print this text and exit',
};

const usualValues: Readonly<Record<string, string>> = {
  'web.listen-address': ':10700',
  'web.telemetry-path': '/metrics',
  'web.max-requests': '40',
  'log.level': 'info',
  'log.format': 'logfmt',
};

const flags = Object.entries(helpOfFlags).map(([usage, help]) => {
  const [name = '', value] = usage.split('=');
  return { name, value, usage, help, usual: usualValues[name] };
});
const flagNames = flags.map(({ name }) => name);
/** What says which clouds there are, and so contradicts the demo. */
const ofConfiguration = ['config.file', 'config.lenient', 'shard', 'total-shards'];

const options = Object.fromEntries(
  flags.map(({ name, value }) => {
    const type = value ? ('string' as const) : ('boolean' as const);
    return [name, { type, multiple: true, ...(name === 'help' && { short: 'h' }) }];
  }),
);

export type Arguments = Extract<ReturnType<typeof parseFlags>, { arguments: unknown }>['arguments'];

/** The arguments, or everything that is wrong with them. */
export function parseFlags(argv: readonly string[], hostName = '') {
  const problems: string[] = [];
  // As a row of flags of one letter each it would be as many mistakes.
  const oneDashed = argv.filter((word) => /^-[^-]./.test(word)).map((word) => word.split('=')[0]!);
  const { values, positionals } = parseArgs({
    args: argv.filter((word) => !/^-[^-]./.test(word)),
    options,
    strict: false,
    allowPositionals: true,
  });
  const isCheck = positionals[0] === 'check';
  for (const word of [...new Set(oneDashed), ...(isCheck ? positionals.slice(1) : positionals)])
    problems.push(wordProblem(word));
  const given = (name: string) => [values[name] ?? usualValues[name] ?? []].flat();
  const has = (name: string) => values[name] !== undefined;
  const textOf = (name: string) => String(given(name).at(-1) || usualValues[name] || '') || undefined;
  const complain = (name: string, problem: string | undefined) => {
    if (problem) problems.push(`--${name}: ${problem}`);
  };
  const oneOf = <Word extends string>(name: string, known: readonly Word[]): Word => {
    const found = known.find((word) => word === textOf(name));
    complain(name, found ? undefined : `must be one of ${known.join(', ')}`);
    return found ?? known[0]!;
  };

  for (const name of Object.keys(values)) complain(name, valueProblem(name, given(name)));
  if (has('json') && !isCheck) complain('json', 'goes with the command check');
  const beside = has('demo') ? ofConfiguration.filter(has).map((name) => `--${name}`) : [];
  if (beside.length > 0)
    complain('demo', `shows a simulated cloud; leave out ${beside.join(' and ')}, or --demo`);
  const listenAddresses = given('web.listen-address').flatMap((text) => {
    const address = parseListenAddress(String(text));
    if (!address)
      complain('web.listen-address', `${text} is not an address; write :10700 or 127.0.0.1:10700`);
    return address ?? [];
  });
  const telemetryPath = textOf('web.telemetry-path')!;
  complain('web.telemetry-path', telemetryPathProblem(telemetryPath));
  const externalUrl = textOf('web.external-url');
  complain('web.external-url', externalUrl && urlProblem(externalUrl));
  const part = shardFrom({ shard: textOf('shard'), totalShards: textOf('total-shards'), hostName });
  if ('problem' in part && beside.length === 0) problems.push(part.problem);
  const maxRequests = Number(textOf('web.max-requests'));
  if (!Number.isSafeInteger(maxRequests) || maxRequests < 0)
    complain('web.max-requests', 'must be a whole number, 0 for no limit');
  const logLevel = oneOf('log.level', logLevels);
  const logFormat = oneOf('log.format', logFormats);
  if (problems.length > 0 || 'problem' in part) return { problems };
  const asked = (['help', 'version'] as const).find(has);
  return {
    arguments: {
      command: asked ?? (isCheck ? ('check' as const) : ('serve' as const)),
      configFiles: has('config.file') ? given('config.file').map(String) : undefined,
      isLenient: has('config.lenient'),
      shard: part.shard,
      listenAddresses,
      systemdSocket: has('web.systemd-socket'),
      telemetryPath,
      webConfigFile: textOf('web.config.file'),
      enableLifecycle: has('web.enable-lifecycle'),
      enableDiscovery: has('web.enable-discovery'),
      /** Without a slash at its end. */
      externalUrl: externalUrl?.replace(/\/$/, ''),
      disableExporterMetrics: has('web.disable-exporter-metrics'),
      maxRequests,
      logLevel,
      logFormat,
      json: has('json'),
      demo: has('demo'),
    },
  };
}

/** What is no flag and no command: often a flag with one dash, with none, or with one that a word processor made. */
function wordProblem(word: string): string {
  const [, dashes = '', name = ''] = /^(\p{Pd}*)([^=\s]*)/u.exec(word) ?? [];
  const isFlag = dashes !== '' || name.includes('.');
  const told = dashes === '' ? `${word}: is not a command` : `${dashes}${name}: flags have two dashes`;
  return `${told}; ${isFlag ? nearestFlag(name) : 'see --help'}`;
}

function nearestFlag(name: string): string {
  const nearest = suggest(name, flagNames);
  return nearest ? `did you mean --${nearest}?` : 'see --help';
}

function valueProblem(name: string, values: readonly (string | boolean)[]): string | undefined {
  const flag = flags.find((known) => known.name === name);
  if (!flag) return `unknown flag; ${nearestFlag(name)}`;
  if (flag.value && values.some((value) => value === true || value === ''))
    return `needs a value, as in --${name}=${flag.value}`;
  return !flag.value && values.some((value) => value !== true) ? 'takes no value' : undefined;
}

export function helpText(): string {
  const rows = flags.map(
    ({ usage, help, usual }) => `${`  --${usage}`.padEnd(34)}${help}${usual ? ` (${usual})` : ''}`,
  );
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

/** What is wrong with a path for the metrics. Case and a slash at the end make no difference to the router. */
function telemetryPathProblem(path: string): string | undefined {
  if (!/^\/[\w./-]+$/.test(path)) return 'must start with / and name a path';
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'must be a plain path: no //, no . and no .. in it';
  const plain = `/${parts.join('/')}`.toLowerCase();
  const clash = Object.values(paths).find((own) => own === plain);
  return clash && `is ${clash}, which the exporter has for something else; choose another`;
}

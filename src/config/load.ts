import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { clientTlsMistakes } from './client-tls.ts';
import { fromEnvironment, variableOf, type Environment } from './environment.ts';
import { credentialOf, identityMistakes, scopeOf } from './identity.ts';
import { proxyFromEnvironment, proxyVariableProblems } from './proxy.ts';
import { cloudShape, fileSchema, type CloudSettings } from './schema.ts';
import { secretFrom } from './secret.ts';
import { suggest } from './suggest.ts';
import { parseYaml, type Source } from './yaml-source.ts';
import type { Credential, Scope } from '../identity/credentials.ts';
import type { ProxySettings } from '../transport/proxy.ts';

/** One cloud, ready to use. `fingerprint` is equal for two configurations that behave the same. */
export interface CloudConfig {
  readonly name: string;
  readonly settings: CloudSettings;
  readonly credential: Credential;
  readonly scope: Scope | undefined;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly proxy: ProxySettings;
  readonly fingerprint: string;
}

export interface Config {
  readonly clouds: readonly CloudConfig[];
}

/** Everything that is wrong with the configuration, one line a problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const nothingGiven =
  'no configuration: set OS_AUTH_URL, OS_USERNAME, OS_PASSWORD and the others, or give --config.file; `--demo` needs neither';

export async function loadConfig(input: {
  file?: string | undefined;
  environment: Environment;
}): Promise<Config> {
  const source =
    input.file === undefined ? environmentSource(input.environment) : await fileSource(input.file);
  const parsed = fileSchema.safeParse(source.raw);
  const problems = parsed.success ? [] : parsed.error.issues.flatMap((issue) => describe(issue, source));
  problems.push(...proxyVariableProblems(input.environment));
  for (const [name, cloud] of rawClouds(source.raw)) {
    if (!/^[^\p{Cc}]{1,128}$/u.test(name))
      problems.push(`${source.locate(['clouds', name])}: is not a usable name`);
    for (const { key, message } of [...identityMistakes(cloud), ...(await clientTlsMistakes(cloud))]) {
      problems.push(`${source.locate(['clouds', name, key])}: ${message}`);
    }
    problems.push(...(await unreadableFiles(cloud, (key) => source.locate(['clouds', name, key]))));
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const proxy = proxyFromEnvironment(input.environment);
  const clouds = Object.entries(parsed.data.clouds);
  return {
    clouds: await Promise.all(clouds.map(([name, settings]) => finishCloud(name, settings, proxy))),
  };
}

function environmentSource(environment: Environment): Source {
  const raw = fromEnvironment(environment);
  if (!raw) throw new ConfigError([nothingGiven]);
  return { raw, locate: ([, , key]) => variableOf(String(key)) ?? 'CLOUD_NAME' };
}

async function fileSource(file: string): Promise<Source> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`--config.file: ${file} cannot be read (${error.code ?? error.message})`]);
  });
  const source = parseYaml(file, text);
  if ('problems' in source) throw new ConfigError(source.problems);
  if (source.raw === null || source.raw === undefined)
    throw new ConfigError([`${file}: is empty; it needs a key \`clouds\``]);
  return source;
}

function describe(issue: z.core.$ZodIssue, source: Source): string[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known =
      path.length === 0 ? ['clouds'] : path.length === 2 ? Object.keys(cloudShape) : ['memory', 'disk'];
    return issue.keys.map((key) => {
      const nearest = suggest(key, known);
      return `${source.locate([...path, key])}: unknown key${nearest ? `; did you mean ${nearest}?` : ''}`;
    });
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined && path.length > 0;
  return [
    `${source.locate(path)}: ${isMissing && path.at(-1) === 'auth_url' ? 'is missing' : issue.message}`,
  ];
}

function rawClouds(raw: unknown): [string, Partial<CloudSettings>][] {
  const clouds = isRecord(raw) ? raw['clouds'] : undefined;
  return Object.entries(isRecord(clouds) ? clouds : {}).filter(
    (entry): entry is [string, Record<string, never>] => isRecord(entry[1]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const fileKeys: ReadonlySet<string> = new Set(
  Object.keys(cloudShape).filter((key) => key.endsWith('_file') || ['cacert', 'cert', 'key'].includes(key)),
);

/** Every file that a cloud names must be readable now; secrets among them are read again at each login. */
async function unreadableFiles(cloud: object, locate: (key: string) => string): Promise<string[]> {
  const named = Object.entries(cloud).filter(
    (entry): entry is [string, string] => fileKeys.has(entry[0]) && typeof entry[1] === 'string',
  );
  const problems = await Promise.all(
    named.map(async ([key, path]) => {
      const words = await readFile(path, 'utf8').then(
        (content) => (content.trim() === '' ? 'is empty' : undefined),
        (error: NodeJS.ErrnoException) => `cannot be read (${error.code ?? error.message})`,
      );
      return words ? [`${locate(key)}: ${path} ${words}`] : [];
    }),
  );
  return problems.flat();
}

async function finishCloud(
  name: string,
  settings: CloudSettings,
  usualProxy: ProxySettings,
): Promise<CloudConfig> {
  const [ca, cert, key] = await Promise.all([settings.cacert, settings.cert, settings.key].map(readIfNamed));
  const own = settings.proxy_url;
  const proxy = own === undefined ? usualProxy : { http: own, https: own, exceptions: '' };
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return {
    name,
    settings,
    credential: credentialOf(settings, secretFrom),
    scope: scopeOf(settings),
    tls,
    proxy,
    fingerprint: JSON.stringify([settings, tls, proxy]),
  };
}

async function readIfNamed(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : readFile(path, 'utf8');
}

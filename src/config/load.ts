import { ageMistakes } from './ages.ts';
import { readCloudFiles } from './cloud-files.ts';
import { misspeltVariables, type Environment } from './environment.ts';
import { createFileReader, type FileReader } from './file-reader.ts';
import { credentialOf, identityMistakes, scopeOf } from './identity.ts';
import { problemWords } from './problem-words.ts';
import { proxyFromEnvironment, proxyVariableProblems } from './proxy.ts';
import { cloudShape, fileSchema, type CloudSettings } from './schema.ts';
import { secretFrom } from './secret.ts';
import { isOfShard, type Shard } from './shard.ts';
import { environmentSource, fileSources, type NamedSource } from './sources.ts';
import type { Source } from './yaml-source.ts';
import type { Credential, Scope } from '../identity/credentials.ts';
import type { ProxySettings } from '../transport/connections.ts';

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
  /** Files that were left out, with `--config.lenient` only. */
  readonly rejected: readonly { readonly file: string; readonly problems: readonly string[] }[];
  /** What works, and is probably not meant so. */
  readonly warnings: readonly string[];
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

export interface ConfigInput {
  /** Files and folders; without one, the environment names one cloud. */
  readonly file?: string | readonly string[] | undefined;
  readonly environment: Environment;
  /** Leaves a bad file out instead of refusing all of them. */
  readonly isLenient?: boolean;
  readonly shard?: Shard | undefined;
  readonly files?: FileReader;
}

/** What one source has, of which only this exporter's part is finished. */
interface Judged {
  readonly file: string | undefined;
  readonly clouds: readonly CloudConfig[];
  /** Every name that it has, and where. */
  readonly places: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

export async function loadConfig(input: ConfigInput): Promise<Config> {
  const { environment, files = createFileReader(), shard } = input;
  const isFromFile = input.file !== undefined;
  const sources = isFromFile
    ? await fileSources([input.file].flat(), files)
    : [environmentSource(environment)];
  const proxy = proxyFromEnvironment(environment);
  const judged = withoutDoubles(
    await Promise.all(sources.map((source) => judge(source, { files, shard, proxy }))),
  );
  const warnings = isFromFile ? [] : misspeltVariables(environment);
  const bad = judged.filter(({ problems }) => problems.length > 0);
  const isFatal = bad.length > 0 && !(input.isLenient === true && isFromFile);
  const problems = [
    ...(isFatal ? bad.flatMap((source) => source.problems) : []),
    ...proxyVariableProblems(environment),
  ];
  if (problems.length > 0) throw new ConfigError([...new Set([...problems, ...warnings])]);
  return {
    clouds: judged.filter((source) => !bad.includes(source)).flatMap(({ clouds }) => clouds),
    rejected: bad.map((source) => ({ file: source.file ?? '', problems: source.problems })),
    warnings,
  };
}

async function judge(
  { file, content, problems: others }: NamedSource,
  context: { files: FileReader; shard: Shard | undefined; proxy: ProxySettings },
): Promise<Judged> {
  if ('problems' in content) return { file, clouds: [], places: new Map(), problems: content.problems };
  const parsed = fileSchema.safeParse(content.raw);
  const problems = parsed.success
    ? [...others]
    : [...others, ...parsed.error.issues.flatMap((issue) => problemWords(issue, content, knownKeys))];
  const clouds: CloudConfig[] = [];
  const raw = rawClouds(content.raw);
  // Of other shards' clouds nothing is read: their secrets may not be here at all.
  const isOurs = (name: string) => !context.shard || isOfShard(name, context.shard);
  // At once, so that many files that hang cost no more time than one.
  const read = await Promise.all(
    raw.map(async ([name, cloud]) => (isOurs(name) ? readCloudFiles(cloud, context.files) : undefined)),
  );
  for (const [index, [name, cloud]] of raw.entries()) {
    const add = (key: string, message: string) =>
      problems.push(`${content.locate(['clouds', name, key])}: ${message}`);
    if (!/^[^\p{Cc}]{1,128}$/u.test(name))
      problems.push(`${content.locate(['clouds', name], ['clouds'])}: has a name that cannot be used`);
    for (const { key, message } of [...identityMistakes(cloud), ...ageMistakes(cloud)]) add(key, message);
    const found = read[index];
    if (!found) continue;
    for (const { key, message } of found.mistakes) add(key, message);
    const settings = parsed.data?.clouds[name];
    if (settings && problems.length === 0) clouds.push(finishCloud(name, settings, found.tls, context));
  }
  const places = new Map(raw.map(([name]) => [name, placeOf(name, content)]));
  return { file, clouds, places, problems };
}

function placeOf(name: string, source: Source): string {
  return source.locate(['clouds', name]);
}

/** A cloud in two files is an error of the later one. */
function withoutDoubles(sources: readonly Judged[]): Judged[] {
  const first = new Map<string, string>();
  return sources.map((source) => {
    const doubled = [...source.places].filter(([name]) => first.has(name));
    for (const [name, place] of source.places) if (!first.has(name)) first.set(name, place);
    const problems = doubled.map(
      ([name, place]) => `${place}: is in another file as well, ${first.get(name)}`,
    );
    return problems.length > 0 ? { ...source, problems: [...source.problems, ...problems] } : source;
  });
}

function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return ['clouds'];
  return path.length === 2 ? Object.keys(cloudShape) : ['memory', 'disk'];
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

function finishCloud(
  name: string,
  settings: CloudSettings,
  tls: CloudConfig['tls'],
  { files, proxy: usualProxy }: { files: FileReader; proxy: ProxySettings },
): CloudConfig {
  const own = settings.proxy_url;
  const proxy = own === undefined ? usualProxy : { http: own, https: own, exceptions: '' };
  return {
    name,
    settings,
    credential: credentialOf(settings, (source) => secretFrom(source, files)),
    scope: scopeOf(settings),
    tls,
    proxy,
    fingerprint: JSON.stringify([settings, tls, proxy]),
  };
}

import { join } from 'node:path';
import type { z } from 'zod';
import type { Credential, Scope } from '../identity/credentials.ts';
import type { ProxySettings } from '../transport/connections.ts';
import { proxyFromEnvironment, proxyVariableProblems } from '../transport/proxy.ts';
import { readCertificates } from './certificates.ts';
import { fromEnvironment, type Environment } from './environment.ts';
import { createFileReader, unreadable, UnreadableFile, type FileReader } from './file-reader.ts';
import { credentialOf, identityMistakes, readSecretFile, scopeOf, type Mistake } from './identity.ts';
import { cloudSchema, cloudShape, defaultsSchema, labelMistakes, type CloudSettings } from './schema.ts';
import { isOfShard, type Shard } from '../shard.ts';
import { knownKeys, layOut, type Layout } from './structure.ts';
import { firstProblems, parseYaml, problemWords, type Settings, type Source } from './yaml.ts';

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
}

/** Everything that is wrong with the configuration, one line a problem, as far as anybody would read it. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const first = firstProblems(problems);
    super(first.join('\n'));
    this.name = 'ConfigError';
    this.problems = first;
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

/** One file, or the environment, for which there is no name: what it says, or why it says nothing that can be used. */
interface NamedSource {
  readonly file: string | undefined;
  readonly content: Source | { readonly problems: readonly string[] };
  /** What is wrong beside its content. */
  readonly problems?: readonly string[];
  readonly isUnreadable?: boolean;
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
    ? await Promise.all([input.file].flat().map((path) => sourcesAt(path, files)))
    : [environmentSource(environment)];
  const context = { files, shard, proxy: proxyFromEnvironment(environment) };
  const judged = withoutDoubles(await Promise.all(sources.flat().map((source) => judge(source, context))));
  const bad = judged.filter(({ problems }) => problems.length > 0);
  const good = judged.filter((source) => !bad.includes(source));
  const fatal = input.isLenient && isFromFile ? [] : bad.flatMap((source) => source.problems);
  const problems = [...fatal, ...proxyVariableProblems(environment)];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    clouds: good.flatMap(({ clouds }) => clouds),
    rejected: bad.map((source) => ({ file: source.file ?? '', problems: firstProblems(source.problems) })),
  };
}

const nothingGiven =
  'no configuration: set OS_AUTH_URL, OS_USERNAME, OS_PASSWORD and the others, or give --config.file; `--demo` needs neither';

function environmentSource(environment: Environment): NamedSource {
  const cloud = fromEnvironment(environment);
  if (!cloud) return badSource(undefined, nothingGiven);
  const locate: Source['locate'] = ([, , key]) => cloud.variableOf(String(key));
  return { file: undefined, content: { raw: cloud.raw, locate }, problems: cloud.problems };
}

/** A folder that is swapped while it is read is read again, so often at most. */
const mostReadings = 5;

/** The file, or the YAML files of a folder in the order of their names. */
async function sourcesAt(path: string, files: FileReader): Promise<NamedSource[]> {
  let folder = await files.folder(path).catch(unreadable);
  for (let reading = 1; ; reading += 1) {
    if (folder instanceof UnreadableFile) return [badSource(path, `--config.file: ${path} ${folder.words}`)];
    if (!folder) return [await readSource(path, path, files)];
    // Kubernetes and editors keep files of their own whose names begin with a dot.
    const chosen = [...folder]
      .filter(([name]) => /^[^.].*\.ya?ml$/.test(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (chosen.length === 0)
      return [badSource(path, `--config.file: ${path} is a folder without a *.yml or *.yaml file`)];
    const sources = await Promise.all(chosen.map(([name, at]) => readSource(join(path, name), at, files)));
    const isFine = !sources.some(({ isUnreadable }) => isUnreadable);
    const before = [...folder.values()].join();
    if (isFine || reading === mostReadings) return sources;
    folder = await files.folder(path).catch(unreadable);
    if (folder instanceof Map && [...folder.values()].join() === before) return sources;
  }
}

/** `at` is where the file really is. */
async function readSource(file: string, at: string, files: FileReader): Promise<NamedSource> {
  const text = await files.text(at).catch(unreadable);
  if (text instanceof UnreadableFile)
    return { ...badSource(file, `--config.file: ${file} ${text.words}`), isUnreadable: true };
  return { file, content: parseYaml(file, text) };
}

const badSource = (file: string | undefined, problem: string) => ({ file, content: { problems: [problem] } });

async function judge(
  { file, content, problems: others = [] }: NamedSource,
  context: { files: FileReader; shard: Shard | undefined; proxy: ProxySettings },
): Promise<Judged> {
  const layout = 'problems' in content ? content : layOut(content);
  if ('problems' in layout) return { file, clouds: [], places: new Map(), problems: layout.problems };
  const { defaults, clouds: written, locate } = layout;
  const problems = [
    ...others,
    ...layout.leftOut,
    ...schemaProblems(['defaults'], defaultsSchema.safeParse(defaults), layout),
  ];
  const clouds: CloudConfig[] = [];
  // Of other shards' clouds nothing is read: their secrets may not be here at all.
  const isOurs = (name: string) => !context.shard || isOfShard(name, context.shard);
  const read = await Promise.all(
    written.map(async ([name, cloud]) => (isOurs(name) ? readCloudFiles(cloud, context.files) : undefined)),
  );
  for (const [index, [name, cloud]] of written.entries()) {
    const inWords = ({ key, message }: Mistake) => `${locate(['clouds', name, key])}: ${message}`;
    const parsed = cloudSchema.safeParse(cloud);
    for (const words of schemaProblems(['clouds', name], parsed, layout)) problems.push(words);
    if (name === '__proto__' || !/^[^\p{Cc}]{1,128}$/u.test(name))
      problems.push(`${locate(['clouds', name], ['clouds'])}: has a name that cannot be used`);
    for (const mistake of [...identityMistakes(cloud), ...labelMistakes(cloud)])
      problems.push(inWords(mistake));
    const found = read[index];
    if (!found) continue;
    for (const mistake of found.mistakes) problems.push(inWords(mistake));
    const settings = parsed.data;
    if (!settings || problems.length > 0) continue;
    clouds.push(finishCloud(name, settings, found.tls, context));
  }
  const places = new Map(layout.names.map((name) => [name, locate(['clouds', name])]));
  return { file, clouds, places, problems };
}

function schemaProblems(
  path: readonly string[],
  { error }: z.ZodSafeParseResult<unknown>,
  layout: Layout,
): string[] {
  const issues = (error?.issues ?? []).map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  return issues.flatMap((issue) => problemWords(issue, layout, knownKeys));
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

const secretFileKeys = Object.keys(cloudShape).filter((key) => key.endsWith('_file'));

/** Reads every file that a cloud names. Secrets among them are only tried: they are read again at each login. */
async function readCloudFiles(cloud: Settings, files: FileReader) {
  const pathOf = (key: string) => (typeof cloud[key] === 'string' ? cloud[key] : undefined);
  const sourceOf = (setting: string) => ({ setting, path: pathOf(setting) });
  const sources = { ca: sourceOf('cacert'), cert: sourceOf('cert'), key: sourceOf('key') };
  const { texts, mistakes: ofTls } = await readCertificates(sources, files);
  const mistakes = [...pairMistakes(cloud), ...ofTls];
  for (const key of secretFileKeys) {
    const path = pathOf(key);
    if (path === undefined) continue;
    const secret = await readSecretFile(path, files).catch(unreadable);
    if (secret instanceof UnreadableFile) mistakes.push({ key, message: secret.message });
  }
  return { tls: texts, mistakes };
}

function pairMistakes({ cert, key }: Settings): Mistake[] {
  if (cert !== undefined && key === undefined)
    return [{ key: 'key', message: 'is missing: cert needs its key' }];
  if (key !== undefined && cert === undefined)
    return [{ key: 'cert', message: 'is missing: key needs its certificate' }];
  return [];
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
    credential: credentialOf(settings, files),
    scope: scopeOf(settings),
    tls,
    proxy,
    fingerprint: JSON.stringify([settings, tls, proxy]),
  };
}

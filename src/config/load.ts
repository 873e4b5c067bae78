import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { fromEnvironment, variableOf, type Environment } from './environment.ts';
import { credentialOf, identityMistakes, scopeOf } from './identity.ts';
import { cloudShape, fileSchema, type CloudSettings } from './schema.ts';
import { secretFrom } from './secret.ts';
import { suggest } from './suggest.ts';
import type { Credential, Scope } from '../identity/credentials.ts';

/** One cloud, ready to use. `fingerprint` is equal for two configurations that behave the same. */
export interface CloudConfig {
  readonly name: string;
  readonly settings: CloudSettings;
  readonly credential: Credential;
  readonly scope: Scope | undefined;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
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

type Path = readonly PropertyKey[];
interface Source {
  readonly raw: unknown;
  /** How a person finds the setting at this path: a place in the file, or a variable. */
  locate(path: Path): string;
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
  for (const [name, cloud] of rawClouds(source.raw)) {
    if (!/^[^\p{Cc}]{1,128}$/u.test(name))
      problems.push(`${source.locate(['clouds', name])}: is not a usable name`);
    for (const { key, message } of identityMistakes(cloud)) {
      problems.push(`${source.locate(['clouds', name, key])}: ${message}`);
    }
    problems.push(...(await unreadableFiles(cloud, (key) => source.locate(['clouds', name, key]))));
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return { clouds: await Promise.all(Object.entries(parsed.data.clouds).map(finishCloud)) };
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
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  if (document.errors.length > 0) {
    throw new ConfigError(document.errors.map((error) => `${file}: ${error.message.split('\n')[0]}`));
  }
  const raw: unknown = document.toJS();
  if (raw === null || raw === undefined)
    throw new ConfigError([`${file}: is empty; it needs a key \`clouds\``]);
  return {
    raw,
    locate: (path) => `${file}${lineOf(document, lines, path)}: ${path.join('.') || 'the file'}`,
  };
}

/** The line of the nearest thing that exists on the way to `path`. */
function lineOf(document: Document, lines: LineCounter, path: Path): string {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true) as
      { range?: [number, number, number] } | undefined;
    if (node?.range) return `:${lines.linePos(node.range[0]).line}`;
  }
  return '';
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

async function finishCloud([name, settings]: [string, CloudSettings]): Promise<CloudConfig> {
  const [ca, cert, key] = await Promise.all([settings.cacert, settings.cert, settings.key].map(readIfNamed));
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return {
    name,
    settings,
    credential: credentialOf(settings, secretFrom),
    scope: scopeOf(settings),
    tls,
    fingerprint: JSON.stringify([settings, tls]),
  };
}

async function readIfNamed(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : readFile(path, 'utf8');
}

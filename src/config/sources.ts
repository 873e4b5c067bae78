import { join } from 'node:path';
import { fromEnvironment, misspeltVariables, type Environment } from './environment.ts';
import { UnreadableFile, type FileReader } from './file-reader.ts';
import { parseYaml, type Source } from './yaml-source.ts';

/** One file, or the environment: what it says, or why it says nothing that can be used. */
export interface NamedSource {
  /** The file's path; nothing for the environment. */
  readonly file: string | undefined;
  readonly content: Source | { readonly problems: readonly string[] };
  /** What is wrong beside its content. */
  readonly problems: readonly string[];
}

const nothingGiven =
  'no configuration: set OS_AUTH_URL, OS_USERNAME, OS_PASSWORD and the others, or give --config.file; `--demo` needs neither';

export function environmentSource(environment: Environment): NamedSource {
  const cloud = fromEnvironment(environment);
  if (!cloud) {
    const problems = [nothingGiven, ...misspeltVariables(environment)];
    return { file: undefined, content: { problems }, problems: [] };
  }
  const locate = ([, , key]: readonly PropertyKey[]) => cloud.variableOf(String(key));
  return { file: undefined, content: { raw: cloud.raw, locate }, problems: cloud.problems };
}

/** Every file that `--config.file` names; a folder stands for its YAML files, in the order of their names. */
export async function fileSources(paths: readonly string[], files: FileReader): Promise<NamedSource[]> {
  const expanded = await Promise.all(paths.map((path) => expand(path, files)));
  return Promise.all(
    expanded.flat().map(async (found): Promise<NamedSource> => {
      const content = 'problems' in found ? found : await readSource(found.file, files);
      return { file: found.file, content, problems: [] };
    }),
  );
}

type Found = { readonly file: string } | { readonly file: string; readonly problems: readonly string[] };

async function expand(path: string, files: FileReader): Promise<Found[]> {
  try {
    const names = await files.names(path);
    if (!names) return [{ file: path }];
    // Kubernetes and editors keep files of their own whose names begin with a dot.
    const chosen = names.filter((name) => /^[^.].*\.ya?ml$/.test(name));
    if (chosen.length > 0) return chosen.map((name) => ({ file: join(path, name) }));
    return [{ file: path, problems: [`--config.file: ${path} is a folder without a *.yml or *.yaml file`] }];
  } catch (error) {
    return [{ file: path, problems: [unreadable(path, error)] }];
  }
}

async function readSource(file: string, files: FileReader): Promise<NamedSource['content']> {
  try {
    const source = parseYaml(file, await files.text(file));
    if (!('raw' in source) || (source.raw !== null && source.raw !== undefined)) return source;
    return { problems: [`${file}: is empty; it needs a key \`clouds\``] };
  } catch (error) {
    return { problems: [unreadable(file, error)] };
  }
}

function unreadable(path: string, error: unknown): string {
  if (!(error instanceof UnreadableFile)) throw error;
  return `--config.file: ${path} ${error.words}`;
}

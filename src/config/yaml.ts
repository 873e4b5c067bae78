import {
  isAlias,
  isMap,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import { meant } from '../suggest.ts';

export type Path = readonly PropertyKey[];
export type Settings = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was written, before it is judged. */
export interface Source {
  readonly raw: unknown;
  /** How a person finds the setting at this path: a place in the file, or a variable. `shown` is named instead of it. */
  locate(path: Path, shown?: Path): string;
}

/** How often aliases may be repeated: more than a thousand clouds need. */
const mostAliases = 2000;

const doubled = 'two keys of this map are the same name, quoted or not';
/** The library's own words would quote the file, which may hold a password. */
const notYaml =
  'is not YAML as it stands; if the value is a text, quote it, else look at the quotes and the indentation here and above';

/** The content of a YAML file, or what keeps it from being one. */
export function parseYaml(file: string, text: string): Source | { readonly problems: readonly string[] } {
  const encoding = encodingProblem(text);
  if (encoding) return { problems: [`${file}: ${encoding}`] };
  const lineCounter = new LineCounter();
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  const problemAt = (at: number, words: string) => ({ problems: [`${file}:${lineAt(at)}: ${words}`] });
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
    merge: true,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const [first] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (first) {
    const isOpen = /^(Missing closing|Flow )/.test(first.message);
    const at = isOpen ? openedBefore(text, first.pos[0]) : first.pos[0];
    return problemAt(at, notYaml);
  }
  const problem = firstProblem(document);
  if (problem) return problemAt(problem[0] ?? 0, problem[1]);
  try {
    const raw: unknown = document.toJS({ maxAliasCount: mostAliases });
    return {
      raw,
      locate(path, shown = path) {
        const at = placeOf(path, document);
        return `${file}${at === undefined ? '' : `:${lineAt(at)}`}: ${shown.join('.') || 'the file'}`;
      },
    };
  } catch {
    const words = 'its aliases (*…) or merge keys (<<) cannot be followed, or repeat too much';
    return { problems: [`${file}: ${words}`] };
  }
}

/** What was not closed is noticed at the end, and is wrong where it was opened: at the last value that begins so. */
function openedBefore(text: string, noticed: number): number {
  const opened = [...text.slice(0, noticed).matchAll(/^[^\n:]{0,200}:[ \t]+["'[{]/gm)].at(-1);
  return opened ? opened.index : noticed;
}

/** A secret is a value and no key, and hardly ever a plain word in small letters. */
function isPlainWord(key: string): boolean {
  return /^[a-z][a-z_-]{0,39}$/.test(key);
}

/** What the library leaves to its users, or would take minutes for: an alias of nothing, two keys that are one. */
function firstProblem(document: Document): readonly [at: number | undefined, words: string] | undefined {
  const anchors = new Set<string>();
  let problem: ReturnType<typeof firstProblem>;
  visit(document, {
    Alias(_, { source, range }) {
      if (!anchors.has(source)) problem ??= [range?.[0], notYaml];
    },
    Value(_, node) {
      if (node.anchor) anchors.add(node.anchor);
      if (!isMap(node) || entriesOf(node).size === node.items.length) return;
      const places = node.items.map(({ key }) => [entriesOf(node).get(String(key))?.at, key] as const);
      problem ??= [places.find(([at, key]) => at !== (key as Node).range?.[0])?.[0], doubled];
    },
  });
  return problem;
}

type Entries = ReadonlyMap<string, { readonly at: number | undefined; readonly value: unknown }>;
const indexed = new WeakMap<YAMLMap, Entries>();

/** Looked up once for a map, however many problems it has. */
function entriesOf(map: YAMLMap): Entries {
  const entries =
    indexed.get(map) ??
    new Map(map.items.map(({ key, value }) => [String(key), { at: (key as Node).range?.[0], value }]));
  indexed.set(map, entries);
  return entries;
}

/** Where the key at `path` stands, or the nearest key above it that is written there. */
function placeOf(path: Path, document: Document): number | undefined {
  let at: number | undefined;
  let node: unknown = document.contents;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const entry = isMap(node) ? entriesOf(node).get(String(step)) : undefined;
    if (!entry) return at;
    ({ at, value: node } = entry);
  }
  return at;
}

/** What is wrong with a text that was read as UTF-8. */
export function encodingProblem(text: string): string | undefined {
  return text.includes('\0') || text.includes('\uFFFD') ? 'is not UTF-8; save it as that' : undefined;
}

/** The first so many, and how many more there are. */
export function firstProblems(problems: readonly string[], most = 50): readonly string[] {
  const distinct = [...new Set(problems)];
  if (distinct.length <= most) return distinct;
  return [...distinct.slice(0, most), `and ${distinct.length - most} more problems`];
}

/** What the schema found wrong, one line a problem. A value is never quoted, a stray key only if it is a plain word. */
export function problemWords(
  issue: z.core.$ZodIssue | { code: 'unrecognized_keys'; path: PropertyKey[]; keys: readonly string[] },
  { locate }: Pick<Source, 'locate'>,
  knownAt: (path: Path) => readonly string[],
): string[] {
  const { path } = issue;
  if (issue.code !== 'unrecognized_keys') return [`${locate(path)}: ${issue.message}`];
  const known = knownAt(path);
  const isHeader = path.at(-1) === 'headers';
  const words = isHeader ? 'this header cannot be set' : 'unknown key';
  return issue.keys.map((key) => {
    const [shown, hidden] = [locate([...path, key]), locate([...path, key], path)];
    const nearest = meant(key, known);
    if (nearest !== undefined && /^[\w-]+$/.test(key)) return `${shown}: ${words}; did you mean ${nearest}?`;
    if (isPlainWord(key) || (isHeader && /^[\w-]{1,40}$/.test(key))) return `${shown}: ${words}`;
    return `${hidden}: has an unknown key, which is not shown since it may be a secret`;
  });
}

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
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

/** More than a thousand clouds need; a chain of so many merges is still read in time. */
const mostAliases = 2000;
/** How often an alias within an alias may be repeated. */
const mostRepeated = 10_000;

/** By code, for the library's own words would quote the file, which may hold a password. */
const wordsOfCodes: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins (---); keep one, or give each a file of its own',
  TAB_AS_INDENT: 'a tab stands where blanks belong',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
};
const notYaml =
  'is not YAML as it stands; if the value is a text, quote it, else look at the quotes and the indentation here and above';

/** What is wrong at an offset of the file. */
interface Problem {
  readonly at: number;
  readonly words: string;
}

/** The content of a YAML file, or what keeps it from being one. */
export function parseYaml(file: string, text: string): Source | { readonly problems: readonly string[] } {
  const encoding = encodingProblem(text);
  if (encoding) return { problems: [`${file}: ${encoding}`] };
  const lineCounter = new LineCounter();
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  const rows = text.split('\n');
  const inWords = ({ at, words }: Problem) => {
    const key = keyOf(rows[lineAt(at) - 1] ?? '');
    return `${file}:${lineAt(at)}: ${key === undefined ? '' : `${key}: `}${words}`;
  };
  // The library would compare each key with all keys before it; `readMaps` looks names up.
  const options = {
    lineCounter,
    prettyErrors: false,
    uniqueKeys: false,
    merge: true,
    resolveKnownTags: false,
  };
  const document = withoutStacks(() => parseDocument(text, options));
  // What follows the first mistake mostly follows from it.
  const [first] = document.errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (first) {
    const isOpen = /^(Missing closing|Flow )/.test(first.message);
    const at = isOpen ? openedBefore(text, first.pos[0]) : first.pos[0];
    return { problems: [inWords({ at, words: wordsOfCodes[first.code] ?? notYaml })] };
  }
  const { problems, find } = readMaps(document);
  for (const { pos } of document.warnings) problems.push({ at: pos[0], words: notYaml });
  if (problems.length > 0) return { problems: problems.map(inWords) };
  try {
    const raw: unknown = document.toJS({ maxAliasCount: mostRepeated });
    return {
      raw,
      locate(path, shown = path) {
        const at = placeOf(path, document.contents, find);
        return `${file}${at === undefined ? '' : `:${lineAt(at)}`}: ${shown.join('.') || 'the file'}`;
      },
    };
  } catch {
    return {
      problems: [`${file}: its aliases (*…) or merge keys (<<) cannot be followed, or repeat too much`],
    };
  }
}

/** Of 100,000 mistakes of a bad file only the first is shown, and most of the time to find them goes into their stacks. */
function withoutStacks<Done>(work: () => Done): Done {
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = usual;
  }
}

/** What was not closed is noticed at the end, and is wrong where it was opened: at the last value that begins so. */
function openedBefore(text: string, noticed: number): number {
  const opened = [...text.slice(0, noticed).matchAll(/^[^\n:]{0,200}:[ \t]+["'[{]/gm)].at(-1);
  return opened ? opened.index : noticed;
}

/** Only a plain word is shown: what stands in the wrong line may be a password. */
function keyOf(row: string): string | undefined {
  const key = /^\s*(?:-\s+)*["']?([^\s:"']+)["']?\s*:/.exec(row.slice(0, 1000))?.[1];
  return key !== undefined && isPlainWord(key) ? key : undefined;
}

/** A secret is a value and no key, and hardly ever a plain word in small letters. */
function isPlainWord(key: string): boolean {
  return /^[a-z][a-z_-]{0,39}$/.test(key);
}

type Entry = { readonly at: number; readonly value: unknown };
type Find = (node: unknown, key: string) => Entry | undefined;

/** What the library leaves to its users: names that are one, keys that are none, aliases of nothing. */
function readMaps(document: Document) {
  const problems: Problem[] = [];
  const anchors = new Map<string, Node>();
  const maps = new Map<YAMLMap, Map<string, Entry>>();
  let aliases = 0;
  visit(document, {
    Alias(_, { source, range }) {
      const at = range?.[0] ?? 0;
      aliases += 1;
      if (!anchors.has(source))
        problems.push({
          at,
          words: 'is an alias (*…) without its anchor (&…) above; if it is a text, quote it',
        });
      if (aliases === mostAliases) problems.push({ at, words: `has more than ${mostAliases} aliases above` });
    },
    Value(_, node) {
      if (node.anchor) anchors.set(node.anchor, node);
      if (isMap(node)) maps.set(node, readMap(node, problems));
    },
  });
  const find: Find = (node, key) => {
    if (isAlias(node)) return find(anchors.get(node.source), key);
    if (isSeq(node))
      return { at: (node.items[Number(key)] as Node | undefined)?.range?.[0] ?? 0, value: undefined };
    const own = isMap(node) ? maps.get(node) : undefined;
    const merged = own?.get('<<')?.value;
    return (
      own?.get(key) ??
      (isSeq(merged) ? merged.items : [merged ?? []]).flat().flatMap((one) => find(one, key) ?? [])[0]
    );
  };
  return { problems, find };
}

function readMap(map: YAMLMap, problems: Problem[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const { key, value } of map.items) {
    const at = (key as Node | null)?.range?.[0] ?? map.range?.[0] ?? 0;
    // A merge key is a symbol.
    const name = isScalar(key) ? (typeof key.value === 'symbol' ? '<<' : String(key.value ?? '')) : undefined;
    if (name === undefined)
      problems.push({ at, words: 'a key must be a simple name; if it is a text, quote it' });
    else if (name === '__proto__') problems.push({ at, words: '__proto__ is not a usable name' });
    else if (entries.has(name))
      problems.push({ at, words: 'two keys of this map are the same name, quoted or not' });
    entries.set(name ?? '', { at, value });
  }
  return entries;
}

/** Where the key at `path` stands, or the nearest key above it that exists. */
function placeOf(path: Path, contents: unknown, find: Find): number | undefined {
  let at: number | undefined;
  let node = contents;
  for (const step of path) {
    const entry = find(node, String(step));
    if (!entry) return at;
    ({ at, value: node } = entry);
  }
  return at;
}

/** What is wrong with a text that was read as UTF-8. */
export function encodingProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'is UTF-16 or no text at all; save it as UTF-8';
  return text.includes('\uFFFD') ? 'is not UTF-8; save it as that' : undefined;
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
    const glued = known.find((name) => key.startsWith(`${name}:`));
    if (glued) return `${hidden}: a blank is missing after "${glued}:"`;
    const nearest = meant(key, known);
    if (nearest !== undefined && /^[\w-]+$/.test(key)) return `${shown}: ${words}; did you mean ${nearest}?`;
    if (isPlainWord(key) || (isHeader && /^[\w-]{1,40}$/.test(key))) return `${shown}: ${words}`;
    return `${hidden}: has an unknown key, which is not shown since it may be a secret`;
  });
}

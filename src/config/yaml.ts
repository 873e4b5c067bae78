import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import { suggest } from './suggest.ts';

export type Path = readonly PropertyKey[];
export type Settings = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was written, before it is judged. */
export interface Source {
  readonly raw: unknown;
  /** How a person finds the setting at this path: a place in the file, or a variable. `shown` is told instead of it. */
  locate(path: Path, shown?: Path): string;
}

/** Of a line no more is looked at to tell what is wrong with it. */
const longestRow = 1000;

/** So many letters may stand for others by aliases and merge keys: a thousand clouds need a tenth, a bomb needs more. */
const mostRepeated = 4 * 2 ** 20;

/** Of one map or list; far more than anybody writes, and few enough to be judged one by one. */
const mostEntries = 50_000;

/** The content of a YAML file, or what keeps it from being one. */
export function parseYaml(file: string, text: string): Source | { readonly problems: readonly string[] } {
  const encoding = encodingProblem(text);
  if (encoding) return { problems: [`${file}: ${encoding}`] };
  const counter = new LineCounter();
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const rows = text.split('\n').map((row) => row.slice(0, longestRow));
  const tell = ({ line, words }: LineProblem) => {
    const key = keyOf(rows[line - 1] ?? '');
    return `${file}:${line}: ${key === undefined ? '' : `${key}: `}${words}`;
  };
  // The library would compare each key with all keys before it; `readNodes` compares names.
  const document = withoutStacks(() =>
    parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      uniqueKeys: false,
      resolveKnownTags: false,
    }),
  );
  // What follows the first mistake mostly follows from it.
  const [first] = document.errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (first) return { problems: [tell(syntaxProblem(first, lineAt(first.pos[0]), rows))] };
  const { raw, lines, problems } = readNodes(document, lineAt);
  if (problems.length > 0) return { problems: problems.map(tell) };
  return {
    raw,
    locate(path, shown = path) {
      const line = lineOf(raw, lines, path);
      return `${file}${line === undefined ? '' : `:${line}`}: ${shown.join('.') || 'the file'}`;
    },
  };
}

/** Of 100,000 mistakes of a bad file only the first is told, and most of the time to find them goes into their stacks. */
function withoutStacks<Done>(work: () => Done): Done {
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = usual;
  }
}

/** What is wrong in a line of the file; its key is told too, if it has one. */
interface LineProblem {
  readonly line: number;
  readonly words: string;
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

const quoteIt =
  'quote it: without quotes, a text cannot begin with @ % * & ! | > # and the like, nor have ": " or " #" in it';

/** By the code of the library, whose own words would quote the file, which may hold a password. */
const wordsOfCodes: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  MULTIPLE_DOCS: 'a second document begins (---); keep one, or give each a file of its own',
  TAB_AS_INDENT: 'a tab stands where blanks belong',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  BAD_DQ_ESCAPE: 'in double quotes a \\ is written twice; in single quotes it stands for itself',
};

/** By the value in the line: what most often makes it none. */
const wordsOfValues: readonly (readonly [sign: RegExp, words: string])[] = [
  [/^["']/, `its quotes do not fit: in '…' a ' is written twice, in "…" a " is written \\"`],
  [/^[[{]/, 'a bracket, comma or quote is missing; if it is a text, quote it'],
  [/^[@`%*&!|>,#\]}]|^[-?:](\s|$)|:(\s|$)|\s#/, quoteIt],
];

/** What to do about a line that the library does not understand. */
function syntaxProblem({ code, message }: YAMLError, noticed: number, rows: readonly string[]): LineProblem {
  const isOpen = /^(Missing closing|Flow )/.test(message);
  const line = (isOpen && openedAt(rows, noticed)) || noticed;
  const row = rows[line - 1] ?? '';
  const ofValue = wordsOfValues.find(([sign]) => sign.test(valueOf(row)))?.[1];
  const isOdd = code === 'BAD_SCALAR_START' || code === 'BAD_ALIAS';
  const known = wordsOfCodes[code] ?? ofValue ?? (isOdd ? quoteIt : undefined);
  const isSetting = /:(\s|$)/.test(row);
  const unknown = isSetting
    ? 'does not fit the lines around it; look at their indentation'
    : 'is no "key: value": a colon and a blank belong between them';
  return { line, words: known ?? unknown };
}

/** What was not closed is noticed at the next key or at the end. */
function openedAt(rows: readonly string[], noticed: number): number {
  return rows.slice(0, noticed).findLastIndex((row) => /^["'[{]/.test(valueOf(row))) + 1;
}

const valueOf = (row: string) => /^\s*(?:-\s+)*[^\s:]+\s*:\s+(.*)$/.exec(row)?.[1]?.trim() ?? '';

/** Only a plain word is told: what stands in the wrong line may be a password. */
function keyOf(row: string): string | undefined {
  return /^\s*(?:-\s+)*["']?([^\s:"']+)["']?\s*:/.exec(row)?.slice(1).find(isPlainWord);
}

/** A secret is a value and no key, and hardly ever a plain word in small letters. */
function isPlainWord(key: string): boolean {
  return /^[a-z][a-z_-]{0,39}$/.test(key);
}

type Lines = WeakMap<object, Map<string, number>>;

interface Placed {
  readonly range?: readonly number[] | null | undefined;
}

/** The document as plain values, each node read once: an alias is the very object that its anchor is. */
function readNodes(document: Document, lineAt: (offset: number) => number) {
  const lines: Lines = new WeakMap();
  const anchors = new Map<string, { readonly value: unknown; readonly size: number }>();
  const problems: LineProblem[] = [];
  let size = 0;
  let repeated = 0;

  const lineOf = (node: Placed) => lineAt(node.range?.[0] ?? 0);
  const complain = (node: Placed, words: string) => problems.push({ line: lineOf(node), words });

  function read(node: unknown): unknown {
    if (isAlias(node)) return repeat(node);
    const before = size;
    const value = isMap(node) ? readMap(node) : isSeq(node) ? readList(node.items) : readScalar(node);
    if (isCollection(node) && node.items.length > mostEntries)
      complain(node, `has more than ${mostEntries} entries`);
    if ((isCollection(node) || isScalar(node)) && node.anchor)
      anchors.set(node.anchor, { value, size: size - before });
    return value;
  }

  function readScalar(node: unknown): unknown {
    const value = isScalar(node) ? node.value : null;
    size += typeof value === 'string' ? value.length + 1 : 1;
    return value;
  }

  function readList(items: readonly unknown[]): unknown[] {
    const list: unknown[] = [];
    const places = new Map<string, number>();
    lines.set(list, places);
    for (const [index, item] of items.entries()) {
      places.set(String(index), lineOf(item ?? {}));
      list.push(read(item));
    }
    return list;
  }

  function repeat(alias: Placed & { readonly source: string }): unknown {
    const anchored = anchors.get(alias.source);
    if (!anchored)
      complain(alias, 'is an alias (*…) without its anchor (&…) above; if it is a text, quote it');
    if (!anchored || repeated > mostRepeated) return null;
    size += anchored.size;
    repeated += anchored.size;
    if (repeated > mostRepeated) complain(alias, 'is an alias too many: they repeat too much');
    return anchored.value;
  }

  function readMap(map: YAMLMap): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    const places = new Map<string, number>();
    lines.set(record, places);
    const merged: Settings[][] = [];
    for (const { key, value } of map.items) {
      const written = isAlias(key) ? repeat(key) : isScalar(key) ? key.value : key;
      if (!(isScalar(key) || isAlias(key)) || (typeof written === 'object' && written !== null)) {
        complain(map, 'a key must be a simple name; if it is a text, quote it');
        continue;
      }
      const name = String(written ?? '');
      if (isScalar(key) && key.type === 'PLAIN' && name === '<<') {
        const maps = [read(value)].flat();
        if (maps.every(isRecord)) merged.push(maps);
        else complain(key, '<< needs an alias of a map, or a list of such aliases');
        continue;
      }
      const words = nameProblem(name, places);
      if (words) complain(key, words);
      places.set(name, lineOf(key));
      size += name.length + 1;
      if (name !== '__proto__') record[name] = read(value);
    }
    for (const one of merged.flat()) takeOver(one, record);
    return record;
  }

  function takeOver(from: Settings, to: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(from)) {
      if (Object.hasOwn(to, name)) continue;
      to[name] = value;
      lines.get(to)!.set(name, lines.get(from)?.get(name) ?? 0);
    }
  }

  for (const { pos } of document.warnings) problems.push({ line: lineAt(pos[0]), words: quoteIt });
  const raw = read(document.contents);
  return { raw, lines, problems };
}

/** What makes a name that JavaScript or a person would take for another one. */
function nameProblem(name: string, others: ReadonlyMap<string, unknown>): string | undefined {
  if (name === '__proto__') return '__proto__ is not a usable name';
  if (others.has(name)) return 'two keys of this map are the same name, quoted or not';
  return /^\s|\s$/.test(name) ? 'has a blank beside it that is part of the name' : undefined;
}

/** The line of the key at `path`, or of the nearest key above it that exists. */
function lineOf(raw: unknown, lines: Lines, path: Path): number | undefined {
  let line: number | undefined;
  let parent = raw;
  for (const step of path) {
    if (typeof parent !== 'object' || parent === null) break;
    line = lines.get(parent)?.get(String(step)) ?? line;
    parent = Object.hasOwn(parent, step) ? (parent as Record<PropertyKey, unknown>)[step] : undefined;
  }
  return line;
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
    const nearest = suggest(key, known, 2);
    if (nearest !== undefined && /^[\w-]+$/.test(key)) return `${shown}: ${words}; did you mean ${nearest}?`;
    if (isPlainWord(key) || (isHeader && /^[\w-]{1,40}$/.test(key))) return `${shown}: ${words}`;
    return `${hidden}: has an unknown key, which is not shown since it may be a secret`;
  });
}

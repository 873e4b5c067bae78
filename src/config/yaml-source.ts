import { isAlias, isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';

export type Path = readonly PropertyKey[];

/** What was written, before it is judged. */
export interface Source {
  readonly raw: unknown;
  /** How a person finds the setting at this path: a place in the file, or a variable. `shown` is told instead of it. */
  locate(path: Path, shown?: Path): string;
}

/** The content of a YAML file, or what keeps it from being one. */
export function parseYaml(file: string, text: string): Source | { readonly problems: readonly string[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  if (document.errors.length > 0)
    return { problems: document.errors.map((error) => `${file}: ${wordsOf(error)}`) };
  const odd = keyProblems(document, lines);
  if (odd.length > 0) return { problems: odd.map((words) => `${file}${words}`) };
  try {
    return {
      raw: document.toJS(),
      locate: (path, shown = path) =>
        `${file}${lineOf(document, lines, path)}: ${shown.join('.') || 'the file'}`,
    };
  } catch {
    // The library's own words would quote the alias, which may be a password that begins with a star.
    return {
      problems: [
        `${file}: an alias (*name) has no anchor or repeats too much; quote a text that begins with *`,
      ],
    };
  }
}

/** Keys of which JavaScript would silently make one (`1` and `"1"`), or none at all (`__proto__`). */
function keyProblems(document: Document, lines: LineCounter): string[] {
  const problems: string[] = [];
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        const written = isAlias(key) ? key.resolve(document) : key;
        const place = isScalar(key) && key.range ? `:${lines.linePos(key.range[0]).line}` : '';
        if (!isScalar(written)) {
          problems.push(`${place}: a key must be a simple name`);
          continue;
        }
        const name = String(written.value ?? '');
        if (name === '__proto__') problems.push(`${place}: __proto__ is not a usable name`);
        if (seen.has(name)) problems.push(`${place}: two keys of this map are the same name, quoted or not`);
        seen.add(name);
      }
    },
  });
  return problems;
}

/** Without the piece of the file that the library quotes after a colon: it may be a password. */
function wordsOf(error: Error): string {
  return error.message
    .split('\n')[0]!
    .replace(/: .* (at line \d+.*)$/, ' $1')
    .replace(/:$/, '');
}

/** The line of the key at `path`, or of the nearest key above it that exists. */
function lineOf(document: Document, lines: LineCounter, path: Path): string {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent: unknown = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === path[depth - 1])
      : undefined;
    if (isScalar(pair?.key) && pair.key.range) return `:${lines.linePos(pair.key.range[0]).line}`;
  }
  return '';
}

import { isMap, isScalar, parseDocument, stringify, type YAMLMap } from 'yaml';

interface Row {
  readonly path: string;
  readonly value: unknown;
  readonly words: string;
}

/** The chart's values as a table: each with its default, and the comment above it as its meaning. */
export function valuesTable(text: string): string {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) throw new Error('the values are no map');
  const rows = rowsOf(contents, '');
  const silent = rows.filter(({ words }) => words === '').map(({ path }) => path);
  if (silent.length > 0) throw new Error(`values without a comment: ${silent.join(', ')}`);
  const lines = rows.map(({ path, value, words }) => `| \`${path}\` | ${shown(value)} | ${words} |`);
  return ['| value | default | meaning |', '| --- | --- | --- |', ...lines].join('\n');
}

function rowsOf(map: YAMLMap, before: string): Row[] {
  return map.items.flatMap(({ key, value }, place) => {
    if (!isScalar(key)) return [];
    const path = before + String(key.value);
    if (isMap(value) && isExplainedInside(value)) return rowsOf(value, `${path}.`);
    // The comment above the first key of a map belongs to the map itself.
    const comment = key.commentBefore ?? (place === 0 ? map.commentBefore : undefined);
    return { path, value: plain(value), words: wordsOf(comment) };
  });
}

function isExplainedInside({ items, commentBefore }: YAMLMap): boolean {
  const keys = items.map(({ key }) => key);
  return Boolean(commentBefore) || keys.some((key) => isScalar(key) && Boolean(key.commentBefore));
}

/** The last paragraph: one above it is a heading of the file. */
function wordsOf(comment: string | null | undefined): string {
  const lines = (comment ?? '').split('\n').map((line) => line.trim());
  return lines.slice(lines.lastIndexOf('') + 1).join(' ');
}

function plain(node: unknown): unknown {
  return typeof node === 'object' && node !== null && 'toJSON' in node
    ? (node as { toJSON(): unknown }).toJSON()
    : node;
}

function shown(value: unknown): string {
  if (value === '') return '';
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return `\`${text.replaceAll('|', '\\|')}\``;
}

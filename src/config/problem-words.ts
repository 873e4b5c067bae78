import type { z } from 'zod';
import { suggest } from './suggest.ts';
import type { Source } from './yaml-source.ts';

/** What the schema found wrong, one line a problem. Neither a value nor a stray key is quoted: it may be a secret. */
export function problemWords(
  issue: z.core.$ZodIssue,
  source: Source,
  known: (path: readonly PropertyKey[]) => readonly string[],
): string[] {
  const { path } = issue;
  if (issue.code !== 'unrecognized_keys') return [`${source.locate(path)}: ${issue.message}`];
  return issue.keys.map((key) => unknownKey(key, path, source, known(path)));
}

function unknownKey(
  key: string,
  path: readonly PropertyKey[],
  source: Source,
  known: readonly string[],
): string {
  const glued = known.find((name) => key.startsWith(`${name}:`));
  const line = source.locate([...path, key], path);
  if (glued) return `${line}: a blank is missing after "${glued}:"`;
  const isHeader = path.at(-1) === 'headers';
  const words = isHeader ? 'this header cannot be set' : 'unknown key';
  const nearest = suggest(key, known, 2);
  const isMisspelt = nearest !== undefined && /^[\w-]+$/.test(key);
  if (isMisspelt) return `${source.locate([...path, key])}: ${words}; did you mean ${nearest}?`;
  if (isHeader && /^[\w-]{1,40}$/.test(key)) return `${source.locate([...path, key])}: ${words}`;
  return `${line}: has an unknown key, which is not shown since it may be a secret`;
}

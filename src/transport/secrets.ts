import { printable } from '../printable.ts';

/** The password, the keys and tokens of several logins. */
const maxKept = 20;
/** So many letters of a secret in a row are a part of it: in an id, and in what people or addresses name by words. */
const partOfId = 8;
const partOfName = 16;
const longestName = 128;

export type Secrets = ReturnType<typeof createSecrets>;

/** What a cloud's requests carried lately; and the one check of what the other side wants to be shown. */
export function createSecrets() {
  let kept: readonly string[] = [];
  const isShown = (text: string, partLength = partOfName) =>
    kept.some((secret) => shows(text, secret, partLength));
  return {
    add(secrets: readonly (string | undefined)[]): void {
      const added = secrets.flatMap((secret) => (secret && !kept.includes(secret) ? [secret] : []));
      if (added.length > 0) kept = [...kept, ...added].slice(-maxKept);
    },
    isShown,
    /** A word of machines, such as an id or a class: undefined if it is none, or shows a secret. */
    word(text: string | undefined): string | undefined {
      if (text === undefined || !/^[\w./:-]{1,64}$/.test(text) || isShown(text, partOfId)) return undefined;
      return kept.some((secret) => secret.includes(text)) ? undefined : text;
    },
    /** A name that people gave. */
    name(text: string): string {
      return isShown(text) ? '(hidden)' : printable(text.slice(0, longestName));
    },
  };
}

/** Whether a text has a secret in it or a part of one, however it writes its letters. */
export function shows(text: string, secret: string, partLength = partOfName): boolean {
  const [where, what] = [text.toLowerCase(), secret.toLowerCase()];
  if (what.length <= partLength) return where.includes(what);
  for (let start = 0; start + partLength <= where.length; start += 1)
    if (what.includes(where.slice(start, start + partLength))) return true;
  return false;
}

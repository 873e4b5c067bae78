/** The password, the keys and tokens of several logins. */
const maxKept = 20;
/** So many letters of a secret in a row are a part of it. */
const partLength = 8;

/** What a cloud's requests carried lately: neither these nor parts of them are told, whoever sends them back. */
export function createSecrets() {
  let kept: readonly string[] = [];
  return {
    add(secrets: readonly string[]): void {
      const added = secrets.filter((secret) => secret !== '' && !kept.includes(secret));
      if (added.length > 0) kept = [...kept, ...added].slice(-maxKept);
    },
    /** The text, if it looks like an id and shows nothing of a secret, one given beside included: real tokens look like ids. */
    tellable(text: string | undefined, secret = ''): string | undefined {
      if (text === undefined || !/^[\w.:-]{1,64}$/.test(text)) return undefined;
      return [...kept, secret].some((one) => one !== '' && shows(text, one)) ? undefined : text;
    },
  };
}

function shows(text: string, secret: string): boolean {
  if (text.includes(secret) || secret.includes(text)) return true;
  const starts = Array.from({ length: Math.max(0, text.length - partLength + 1) }, (_, start) => start);
  return starts.some((start) => secret.includes(text.slice(start, start + partLength)));
}

import { readFile } from 'node:fs/promises';
import type { ReadSecret } from '../identity/credentials.ts';

export interface SecretSource {
  readonly value: string | undefined;
  readonly file: string | undefined;
}

export function secretFrom({ value, file }: SecretSource): ReadSecret {
  return async () => (file === undefined ? (value ?? '') : readSecretFile(file));
}

/** Editors and `echo` end a file with a newline that is not part of the secret. */
async function readSecretFile(path: string): Promise<string> {
  const content = (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  if (content === '') throw new Error(`${path} is empty`);
  return content;
}

import type { ReadSecret } from '../identity/credentials.ts';
import { UnreadableFile, type FileReader } from './file-reader.ts';

export interface SecretSource {
  readonly value: string | undefined;
  readonly file: string | undefined;
}

export function secretFrom({ value, file }: SecretSource, files: FileReader): ReadSecret {
  return async () => (file === undefined ? (value ?? '') : readSecretFile(file, files));
}

/** Editors and `echo` end a file with a newline that is not part of the secret. */
export async function readSecretFile(path: string, files: FileReader): Promise<string> {
  const content = (await files.text(path)).replace(/\r?\n$/, '');
  if (content.trim() === '') throw new UnreadableFile(path, 'is empty');
  return content;
}

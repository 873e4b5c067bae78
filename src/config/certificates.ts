import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { unreadable, UnreadableFile, type FileReader } from './file-reader.ts';
import type { Mistake } from './identity.ts';

const parts = ['cert', 'key', 'ca'] as const;
type Part = (typeof parts)[number];

/** Where a certificate or key is: in a file, or in the setting itself. */
export interface PemSource {
  readonly setting: string;
  readonly path?: string | undefined;
  readonly text?: string | undefined;
}

export type Certificates = Awaited<ReturnType<typeof readCertificates>>;

/** Reads a CA bundle, a certificate and its key, each of them once, and judges whether they can be used. */
export async function readCertificates(sources: Readonly<Record<Part, PemSource>>, files: FileReader) {
  const mistakes: Mistake[] = [];
  const texts: Partial<Record<Part, string>> = {};
  for (const part of parts) {
    const text = await textOf(sources[part], files).catch(unreadable);
    if (text instanceof UnreadableFile) mistakes.push({ key: sources[part].setting, message: text.message });
    else if (text !== undefined) texts[part] = text;
  }
  const add = (part: Part, problem: string | undefined) => {
    const { setting, path } = sources[part];
    if (problem)
      mistakes.push({ key: setting, message: path === undefined ? problem : `${path} ${problem}` });
    return problem === undefined;
  };
  const { ca, cert, key } = texts;
  const isGood = cert !== undefined && add('cert', certificateProblem(cert));
  if (ca !== undefined) add('ca', certificateProblem(ca));
  if (isGood && key !== undefined) add('key', keyProblem(key, cert));
  return { texts, mistakes };
}

async function textOf(source: PemSource, files: FileReader): Promise<string | undefined> {
  if (source.path === undefined) return source.text;
  if (source.path.includes('-----BEGIN'))
    throw new UnreadableFile('the file', 'must be named by its path; the PEM text itself cannot stand here');
  return (await files.text(source.path)).replace(/^\uFEFF/, '');
}

function certificateProblem(pem: string): string | undefined {
  return problemOf(() => new X509Certificate(pem)) && 'holds no certificate in PEM format';
}

function keyProblem(key: string, cert: string): string | undefined {
  if (problemOf(() => createSecureContext({ key })))
    return 'holds no usable private key in PEM format; a key with a passphrase cannot be used';
  const code = problemOf(() => createSecureContext({ cert, key }));
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') return 'does not belong to the certificate';
  return code && `cannot be used with the certificate (${code})`;
}

/** The code alone: a message of OpenSSL's may quote what it could not read. */
export function problemOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}

import { readFile } from 'node:fs/promises';
import type { Mistake } from './identity.ts';
import { certificateProblem, keyProblem } from './pem.ts';

type Files = Readonly<Partial<Record<'cacert' | 'cert' | 'key', unknown>>>;

/** What is wrong with the certificates towards the platform; a file that cannot be read is told elsewhere. */
export async function clientTlsMistakes(cloud: Files): Promise<Mistake[]> {
  const [ca, cert, key] = await Promise.all([cloud.cacert, cloud.cert, cloud.key].map(readIfPossible));
  const mistakes: Mistake[] = [];
  const add = (name: keyof Files, problem: string | undefined) => {
    if (problem) mistakes.push({ key: name, message: `${String(cloud[name])} ${problem}` });
  };
  if (cloud.cert !== undefined && cloud.key === undefined)
    mistakes.push({ key: 'key', message: 'is missing: cert needs its key' });
  if (cloud.key !== undefined && cloud.cert === undefined)
    mistakes.push({ key: 'cert', message: 'is missing: key needs its certificate' });
  if (ca) add('cacert', certificateProblem(ca));
  const badCert = cert ? certificateProblem(cert) : undefined;
  add('cert', badCert);
  if (cert && key && !badCert) add('key', keyProblem(key, cert));
  return mistakes;
}

async function readIfPossible(path: unknown): Promise<string | undefined> {
  if (typeof path !== 'string') return undefined;
  return readFile(path, 'utf8').catch(() => undefined);
}

import { readCertificates, type Part } from './certificates.ts';
import { UnreadableFile, type FileReader } from './file-reader.ts';
import type { Mistake } from './identity.ts';
import { cloudShape } from './schema.ts';
import { readSecretFile } from './secret.ts';

export interface CloudFiles {
  readonly tls: Readonly<Partial<Record<Part, string>>>;
  readonly mistakes: readonly Mistake[];
}

const keyOf: Readonly<Record<Part, string>> = { ca: 'cacert', cert: 'cert', key: 'key' };
const secretFileKeys = Object.keys(cloudShape).filter((key) => key.endsWith('_file'));

/** Reads every file that a cloud names. Secrets among them are only tried: they are read again at each login. */
export async function readCloudFiles(cloud: object, files: FileReader): Promise<CloudFiles> {
  const paths = cloud as Readonly<Record<string, unknown>>;
  const pathOf = (key: string) => (typeof paths[key] === 'string' ? paths[key] : undefined);
  const { texts, mistakes } = await readCertificates(
    { ca: { path: pathOf('cacert') }, cert: { path: pathOf('cert') }, key: { path: pathOf('key') } },
    files,
  );
  const secrets = await Promise.all(
    secretFileKeys.map(async (key): Promise<Mistake[]> => {
      const path = pathOf(key);
      if (path === undefined) return [];
      return readSecretFile(path, files).then(
        () => [],
        (error: unknown) => {
          if (!(error instanceof UnreadableFile)) throw error;
          return [{ key, message: error.message }];
        },
      );
    }),
  );
  return {
    tls: texts,
    mistakes: [
      ...pairMistakes(paths),
      ...mistakes.map(([part, message]) => ({ key: keyOf[part], message })),
      ...secrets.flat(),
    ],
  };
}

function pairMistakes({ cert, key }: Readonly<Record<string, unknown>>): Mistake[] {
  if (cert !== undefined && key === undefined)
    return [{ key: 'key', message: 'is missing: cert needs its key' }];
  if (key !== undefined && cert === undefined)
    return [{ key: 'cert', message: 'is missing: key needs its certificate' }];
  return [];
}

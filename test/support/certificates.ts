import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownAddress } from './loopback.ts';
import { pathOf } from './real-parts.ts';
import { run } from './run.ts';
import { temporaryFolder } from './simulated.ts';

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
/** Names by which tests reach a server on this machine. */
const ownNames = `DNS:localhost,IP:127.0.0.1,IP:${ownAddress}`;

export type Certificate = Awaited<ReturnType<typeof readPair>>;
export type Authority = Awaited<ReturnType<typeof createAuthority>>;

async function openssl(folder: string, ...words: readonly string[]): Promise<void> {
  await run(pathOf('openssl'), words, { cwd: folder });
}

async function readPair(folder: string, name: string) {
  const certFile = join(folder, `${name}.pem`);
  const keyFile = join(folder, `${name}.key`);
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { certFile, keyFile, cert, key };
}

/** A certificate that vouches for itself. */
export async function selfSigned(name = 'self-signed', extensions = [`subjectAltName=${ownNames}`]) {
  return sign(await temporaryFolder(), name, extensions);
}

async function sign(folder: string, name: string, extensions: readonly string[]): Promise<Certificate> {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  const more = extensions.flatMap((extension) => ['-addext', extension]);
  await openssl(folder, 'req', '-x509', ...newKey, ...files, '-days', '2', '-subj', `/CN=${name}`, ...more);
  return readPair(folder, name);
}

export async function createAuthority(name = 'test-ca') {
  const folder = await temporaryFolder();
  const authority = await sign(folder, name, ['keyUsage=critical,keyCertSign,cRLSign']);
  return {
    ...authority,
    folder,
    /** A certificate signed by this authority; one with a negative number of days has expired. */
    async issue(subject: string, { sans = ownNames, days = 1 } = {}): Promise<Certificate> {
      const request = ['-keyout', `${subject}.key`, '-out', `${subject}.csr`, '-subj', `/CN=${subject}`];
      await openssl(folder, 'req', ...newKey, ...request, '-addext', `subjectAltName=${sans}`);
      const files = ['-in', `${subject}.csr`, '-out', `${subject}.pem`, '-days', String(days)];
      const signer = ['-CA', `${name}.pem`, '-CAkey', `${name}.key`, '-copy_extensions', 'copy'];
      await openssl(folder, 'x509', '-req', ...files, ...signer);
      return readPair(folder, subject);
    },
  };
}

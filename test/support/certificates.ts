import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownAddress } from './loopback.ts';
import { pathOf } from './real-parts.ts';
import { temporaryFolder } from './simulated.ts';

const run = promisify(execFile);
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Certificate {
  readonly folder: string;
  /** A certificate signed by this authority; one with a negative number of days has expired. */
  issue(name: string, wish?: { sans?: string; days?: number }): Promise<Certificate>;
}

/** Names by which tests reach a server on this machine. */
const ownNames = `DNS:localhost,IP:127.0.0.1,IP:${ownAddress}`;

async function openssl(folder: string, ...words: readonly string[]): Promise<void> {
  await run(pathOf('openssl'), [...words], { cwd: folder });
}

async function readPair(folder: string, name: string): Promise<Certificate> {
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

export async function createAuthority(name = 'test-ca'): Promise<Authority> {
  const folder = await temporaryFolder();
  const authority = await sign(folder, name, ['keyUsage=critical,keyCertSign,cRLSign']);
  return {
    ...authority,
    folder,
    async issue(subject, { sans = ownNames, days = 1 } = {}) {
      const request = ['-keyout', `${subject}.key`, '-out', `${subject}.csr`, '-subj', `/CN=${subject}`];
      await openssl(folder, 'req', ...newKey, ...request, '-addext', `subjectAltName=${sans}`);
      const signer = ['-CA', `${name}.pem`, '-CAkey', `${name}.key`, '-copy_extensions', 'copy'];
      const span = ['-days', String(days)];
      await openssl(
        folder,
        'x509',
        '-req',
        '-in',
        `${subject}.csr`,
        ...signer,
        ...span,
        '-out',
        `${subject}.pem`,
      );
      return readPair(folder, subject);
    },
  };
}

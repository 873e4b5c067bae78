import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** What is wrong with a text that should hold certificates; nothing if it holds one. */
export function certificateProblem(pem: string): string | undefined {
  const problem = problemOf(() => new X509Certificate(pem));
  return problem && 'holds no certificate in PEM format';
}

/** What keeps a private key from working with its certificate. */
export function keyProblem(key: string, cert: string): string | undefined {
  if (problemOf(() => createSecureContext({ key })))
    return 'holds no usable private key in PEM format; a key with a passphrase cannot be used';
  const code = problemOf(() => createSecureContext({ cert, key }));
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') return 'does not belong to the certificate';
  return code && `cannot be used with the certificate (${code})`;
}

/** The code alone: a message of OpenSSL's may quote what it could not read. */
function problemOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}

import type { TLSSocket } from 'node:tls';
import type { ServerTls } from '../config/web/file.ts';

/** Whether the client showed the certificate that `client_auth_type` and `client_allowed_sans` ask for. */
export function isAdmitted(socket: TLSSocket, { clientAuth, allowedSans }: ServerTls): boolean {
  const certificate = socket.getPeerX509Certificate();
  const isVerified = certificate !== undefined && socket.authorized;
  if (clientAuth === 'RequireAndVerifyClientCert' && !isVerified) return false;
  if (clientAuth === 'VerifyClientCertIfGiven' && certificate && !isVerified) return false;
  if (clientAuth === 'RequireAnyClientCert' && !certificate) return false;
  if (!allowedSans) return true;
  const names = alternativeNames(certificate?.subjectAltName ?? '');
  return allowedSans.some((allowed) => names.includes(canonical(allowed)));
}

/** Node puts a name with odd characters in quotes, so that it cannot pass for two names. */
export function alternativeNames(text: string): string[] {
  const pieces = text.matchAll(/[\w ]+:("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy);
  return [...pieces].map(([, name = '']) => canonical(name.startsWith('"') ? unquote(name) : name));
}

function unquote(name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    return '';
  }
}

/** One spelling for each IPv6 address, which OpenSSL writes in full and people write short. */
function canonical(name: string): string {
  const address = `http://[${name}]`;
  return name.includes(':') && URL.canParse(address) ? new URL(address).hostname : name;
}

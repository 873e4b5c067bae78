import type { Cause } from './failure.ts';

const tlsCode =
  /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|EPROTO$)/;

export const isHandshakeCode = (code: string) => tlsCode.test(code);

const untrusted = 'the certificate is signed by a CA that is not trusted here';
const giveClientCertificate =
  'Give the client certificate and its key as `cert` and `key` (`OS_CERT`, `OS_KEY`).';

/** What a failed handshake means to a person, by the code of Node or by the words of OpenSSL. */
const handshakes: readonly (readonly [sign: RegExp, meaning: string, cure?: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT/, 'the certificate is self-signed'],
  [/^SELF_SIGNED_CERT_IN_CHAIN/, untrusted],
  [/^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/, `${untrusted}, or the server leaves out an intermediate one`],
  [/^CERT_HAS_EXPIRED/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID/, 'the certificate is not valid yet; is the clock right?'],
  [/^CERT_REVOKED/, 'the certificate was revoked'],
  [/^(ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH)/, 'the certificate is for another host name'],
  [
    /wrong.version.number|packet.length.too.long/i,
    'the other side does not speak TLS; should it be http://?',
    'Write the address with http://, or with the port that speaks TLS.',
  ],
  [
    /alert.(certificate.required|bad.certificate|handshake.failure)/i,
    'it may want a client certificate',
    giveClientCertificate,
  ],
  [
    /alert.unknown.ca/i,
    'the client certificate is signed by a CA that is not trusted there',
    giveClientCertificate,
  ],
  [
    /alert.protocol.version|unsupported.protocol/i,
    'the versions of TLS do not fit',
    'Let both sides speak TLS 1.2 or newer.',
  ],
];

/** The code, with what it means where that is known; the words of OpenSSL are only looked at, not passed on. */
export function causeOfHandshake(code: string, message: string): Cause {
  const [, meaning, cure] = handshakes.find(([sign]) => sign.test(`${code} ${message}`)) ?? [];
  return { reason: 'tls', message: meaning ? `${meaning} (${code})` : code, cure };
}

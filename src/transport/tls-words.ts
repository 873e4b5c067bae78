const untrusted = 'the certificate is signed by a CA that is not trusted here';

/** What a failed handshake means to a person, by the code of Node or by the words of OpenSSL. */
const meanings: readonly (readonly [sign: RegExp, words: string])[] = [
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
  ],
  [/alert.(certificate.required|bad.certificate|handshake.failure)/i, 'it may want a client certificate'],
  [/alert.unknown.ca/i, 'the client certificate is signed by a CA that is not trusted there'],
  [/alert.protocol.version|unsupported.protocol/i, 'the versions of TLS do not fit'],
];

/** The code, with what it means where that is known; the words of OpenSSL are only looked at, not passed on. */
export function tlsWords(code: string, message: string): string {
  const meaning = meanings.find(([sign]) => sign.test(`${code} ${message}`))?.[1];
  return meaning ? `${meaning} (${code})` : code;
}

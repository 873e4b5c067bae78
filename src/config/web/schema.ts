import { z } from 'zod';
import { duration } from '../schema.ts';

const text = z.string({ error: 'must be a text: quote it' });
const yesOrNo = z.boolean({ error: 'must be true or false' });

const oneOf = <Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

/** As in the toolkit, a blank text counts as unset. */
const blankOr = <Shape extends z.ZodType>(shape: Shape) =>
  z.preprocess((value) => (value === '' ? undefined : value), shape.optional());

const clientAuthTypes = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

/** `RequireClientCert` is what the toolkit once called it, and still takes. */
const clientAuth = z.preprocess(
  (word) => (word === 'RequireClientCert' ? 'RequireAnyClientCert' : word),
  oneOf(clientAuthTypes),
);

export type ClientAuth = (typeof clientAuthTypes)[number];

const versions = { TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

const version = z
  .enum(['TLS12', 'TLS13'], { error: 'must be TLS12 or TLS13; older versions are broken and not served' })
  .transform((name) => versions[name]);

/** The names that Go gives to cipher suites, in which such files are written, and those of OpenSSL. */
const newCiphers = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
const olderCiphers = new Map(
  ['ECDSA', 'RSA'].flatMap((signature) =>
    [
      ['AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
      ['AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
      ['CHACHA20_POLY1305_SHA256', 'CHACHA20-POLY1305'],
      ['AES_128_CBC_SHA', 'AES128-SHA'],
      ['AES_256_CBC_SHA', 'AES256-SHA'],
    ].map(([go, openssl]): [string, string] => [
      `TLS_ECDHE_${signature}_WITH_${go}`,
      `ECDHE-${signature}-${openssl}`,
    ]),
  ),
);

const cipherSuite = z.string().refine((name) => olderCiphers.has(name) || newCiphers.includes(name), {
  error: 'is not a cipher suite that is served; see docs/security.md for those that are',
});

/** As in Go, the list rules TLS 1.2 only; the suites of TLS 1.3 are always on. */
const cipherSuites = z
  .array(cipherSuite, { error: 'must be a list of cipher suites' })
  .transform((names) => names.flatMap((name) => olderCiphers.get(name) ?? []))
  .transform((older) => (older.length > 0 ? [...newCiphers, ...older].join(':') : undefined));

const curves = { CurveP256: 'P-256', CurveP384: 'P-384', CurveP521: 'P-521', X25519: 'X25519' } as const;
const curve = oneOf(Object.keys(curves) as (keyof typeof curves)[]);

const tlsShape = {
  cert: text.optional(),
  cert_file: text.optional(),
  key: text.optional(),
  key_file: text.optional(),
  client_auth_type: blankOr(clientAuth).transform((word) => word ?? 'NoClientCert'),
  client_ca: text.optional(),
  client_ca_file: text.optional(),
  client_allowed_sans: z.array(text, { error: 'must be a list of names' }).optional(),
  min_version: version.default('TLSv1.2'),
  max_version: version.default('TLSv1.3'),
  cipher_suites: cipherSuites.optional(),
  prefer_server_cipher_suites: yesOrNo.default(true),
  curve_preferences: z
    .array(curve, { error: 'must be a list of curves' })
    .transform((names) => names.map((name) => curves[name]).join(':') || undefined)
    .optional(),
};

/** A printable value without line breaks: anything else would let the file write further headers. */
const headerValue = text.regex(/^[\t\x20-\x7e]*$/, { error: 'must be one line of plain characters' });

const headerShape = {
  'Content-Security-Policy': headerValue.optional(),
  'Strict-Transport-Security': headerValue.optional(),
  'X-Content-Type-Options': blankOr(oneOf(['nosniff'])),
  'X-Frame-Options': blankOr(oneOf(['deny', 'sameorigin'])),
  'X-XSS-Protection': headerValue.optional(),
};

const httpShape = { http2: yesOrNo.default(true), headers: z.strictObject(headerShape).nullish() };

const rateShape = {
  interval: duration.default(0),
  burst: z.int({ error: 'must be a whole number' }).nonnegative({ error: 'must not be negative' }).default(0),
};

/** Each step of bcrypt's cost doubles the time; this one takes seconds. */
const highestCost = 15;

const bcryptHash = text.superRefine((hash, context) => {
  const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1]);
  const problem = Number.isNaN(cost)
    ? 'is not a bcrypt hash; make one with `htpasswd -nBC 10 ""`'
    : cost < 4 || cost > highestCost
      ? `has a cost of ${cost}; it must be 4 to ${highestCost}, and 10 is usual`
      : undefined;
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

const users = z.record(z.string(), bcryptHash, { error: 'must map user names to bcrypt hashes' });

const rateLimit = z.strictObject(rateShape).refine(({ interval, burst }) => interval === 0 || burst > 0, {
  path: ['burst'],
  error: 'must be at least 1, or no request would pass',
});

const fileShape = {
  tls_server_config: z.strictObject(tlsShape).nullish(),
  http_server_config: z.strictObject(httpShape).nullish(),
  basic_auth_users: users.nullish(),
  rate_limit: rateLimit.nullish(),
};

/** exporter-toolkit's web configuration file, as Prometheus and its exporters share it. */
export const webFileSchema = z.strictObject(fileShape);
export type WebFile = z.output<typeof webFileSchema>;

/** The keys that may stand at a path of the file, for suggestions. */
export function knownWebKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(fileShape);
  if (path[0] === 'tls_server_config') return Object.keys(tlsShape);
  if (path[0] === 'rate_limit') return Object.keys(rateShape);
  return Object.keys(path.length === 2 ? headerShape : httpShape);
}

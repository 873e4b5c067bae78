import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { z } from 'zod';
import { suggest } from '../suggest.ts';
import { readTlsSection, type TlsReading } from './tls.ts';
import { knownWebKeys, webFileSchema, type ClientAuth, type WebFile } from './web.ts';
import { parseYaml, type Source } from '../yaml-source.ts';

/** How the exporter's own door is guarded. */
export interface WebConfig {
  readonly tls: ServerTls | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** bcrypt hashes by user; nobody needs to log in when there are none. */
  readonly users: ReadonlyMap<string, string>;
  readonly rateLimit: { readonly intervalMs: number; readonly burst: number } | undefined;
}

export interface ServerTls {
  /** Certificate, key, versions and ciphers, in the words of Node. */
  readonly context: SecureContextOptions;
  readonly clientAuth: ClientAuth;
  readonly allowedSans: readonly string[] | undefined;
}

export interface WebReading {
  /** Every file that was looked at: a change of any is a reason to read again. */
  readonly files: readonly string[];
  readonly outcome: { readonly config: WebConfig } | { readonly problems: readonly string[] };
}

/** Reads --web.config.file and what it names; synchronous, so that no handshake begins amid a change. */
export function readWebFile(file: string): WebReading {
  const source = readSource(file);
  if ('problems' in source) return { files: [file], outcome: source };
  const parsed = webFileSchema.safeParse(source.raw ?? {});
  const tls = readTlsSection((source.raw as Partial<WebFile> | null)?.tls_server_config, dirname(file));
  const files = [file, ...tls.files];
  const problems = tls.mistakes.map(
    ([key, words]) => `${source.locate(['tls_server_config', key])}: ${words}`,
  );
  if (!parsed.success) {
    const wrong = parsed.error.issues.flatMap((issue) => describe(issue, source));
    return { files, outcome: { problems: [...wrong, ...problems] } };
  }
  if (problems.length > 0) return { files, outcome: { problems } };
  const config = finish(parsed.data, tls);
  const refusal = config.tls && refusalOf(config.tls.context);
  if (refusal)
    return { files, outcome: { problems: [`${source.locate(['tls_server_config'])}: ${refusal}`] } };
  return { files, outcome: { config } };
}

function readSource(file: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(file, readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problems: [`--web.config.file: ${file} cannot be read (${code})`] };
  }
}

function describe(issue: z.core.$ZodIssue, source: Source): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${source.locate(issue.path)}: ${issue.message}`];
  return issue.keys.map((key) => {
    const nearest = suggest(key, knownWebKeys(issue.path));
    const words = issue.path.at(-1) === 'headers' ? 'this header cannot be set' : 'unknown key';
    return `${source.locate([...issue.path, key])}: ${words}${nearest ? `; did you mean ${nearest}?` : ''}`;
  });
}

/** Whatever OpenSSL as built here does not do, though the file is well written. */
function refusalOf(context: SecureContextOptions): string | undefined {
  try {
    createSecureContext(context);
    return undefined;
  } catch (error) {
    return `cannot be used here (${(error as NodeJS.ErrnoException).code})`;
  }
}

function finish(file: WebFile, { texts }: TlsReading): WebConfig {
  const { tls_server_config: tls, http_server_config: http, rate_limit: rate } = file;
  const headers = Object.entries(http?.headers ?? {});
  return {
    tls: tls && texts.cert !== undefined ? finishTls(tls, texts) : undefined,
    headers: Object.fromEntries(headers.filter((header): header is [string, string] => Boolean(header[1]))),
    users: new Map(Object.entries(file.basic_auth_users ?? {})),
    rateLimit: rate && rate.interval > 0 ? { intervalMs: rate.interval, burst: rate.burst } : undefined,
  };
}

function finishTls(tls: NonNullable<WebFile['tls_server_config']>, texts: TlsReading['texts']): ServerTls {
  const { cert, key, client_ca: ca } = texts;
  return {
    context: {
      cert,
      key,
      ca,
      minVersion: tls.min_version,
      maxVersion: tls.max_version,
      honorCipherOrder: tls.prefer_server_cipher_suites,
      ...(tls.cipher_suites && { ciphers: tls.cipher_suites }),
      ...(tls.curve_preferences && { ecdhCurve: tls.curve_preferences }),
    },
    clientAuth: tls.client_auth_type,
    allowedSans: tls.client_allowed_sans,
  };
}

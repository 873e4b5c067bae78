import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { UnreadableFile, type FileReader } from '../file-reader.ts';
import { problemWords } from '../problem-words.ts';
import { readTlsSection, type TlsReading } from './tls.ts';
import { knownWebKeys, webFileSchema, type ClientAuth, type WebFile } from './web.ts';
import { parseYaml } from '../yaml-source.ts';

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
  /** Equal for two readings of the same content. */
  readonly print: string;
  /** Whether the text has an end; of a file that is being written it is often missing. */
  readonly isComplete: boolean;
  readonly outcome: { readonly config: WebConfig } | { readonly problems: readonly string[] };
}

/** Reads --web.config.file and what it names. */
export async function readWebFile(file: string, files: FileReader): Promise<WebReading> {
  const text = await files.text(file).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    return error;
  });
  if (text instanceof UnreadableFile) {
    const problems = [`--web.config.file: ${file} ${text.words}`];
    return { files: [file], print: text.words, isComplete: true, outcome: { problems } };
  }
  const { outcome, tls } = await judge(file, text, files);
  return {
    files: [file, ...(tls?.files ?? [])],
    print: createHash('sha256')
      .update(JSON.stringify([text, tls?.texts]))
      .digest('base64'),
    isComplete: text === '' || /[\n}]$/.test(text),
    outcome,
  };
}

async function judge(
  file: string,
  text: string,
  files: FileReader,
): Promise<{ outcome: WebReading['outcome']; tls?: TlsReading }> {
  const source = parseYaml(file, text);
  if ('problems' in source) return { outcome: source };
  const parsed = webFileSchema.safeParse(source.raw ?? {});
  const section = (source.raw as Partial<WebFile> | null)?.tls_server_config;
  const tls = await readTlsSection(section, dirname(file), files);
  const problems = tls.mistakes.map(
    ([key, words]) => `${source.locate(['tls_server_config', key])}: ${words}`,
  );
  if (!parsed.success) {
    const wrong = parsed.error.issues.flatMap((issue) => problemWords(issue, source, knownWebKeys));
    return { tls, outcome: { problems: [...wrong, ...problems] } };
  }
  if (problems.length > 0) return { tls, outcome: { problems } };
  const config = finish(parsed.data, tls);
  const refusal = config.tls && refusalOf(config.tls.context);
  if (refusal) return { tls, outcome: { problems: [`${source.locate(['tls_server_config'])}: ${refusal}`] } };
  return { tls, outcome: { config } };
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
  const { cert, key, ca } = texts;
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

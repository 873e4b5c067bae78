import { dirname, resolve } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { problemOf, readCertificates, type Certificates, type PemSource } from '../certificates.ts';
import { unreadable, UnreadableFile, type FileReader } from '../file-reader.ts';
import type { Mistake } from '../identity.ts';
import { firstProblems, isRecord, parseYaml, problemWords, type Settings } from '../yaml.ts';
import { knownWebKeys, webFileSchema, type ClientAuth, type WebFile } from './schema.ts';

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

/** Reads --web.config.file and what it names. `content` is equal for two readings of the same. */
export async function readWebFile(file: string, files: FileReader) {
  const text = await files.text(file).catch(unreadable);
  if (text instanceof UnreadableFile) return { problems: [`--web.config.file: ${file} ${text.words}`] };
  const source = parseYaml(file, text);
  if ('problems' in source) return source;
  const parsed = webFileSchema.safeParse(source.raw ?? {});
  const section = (source.raw as Partial<WebFile> | null)?.tls_server_config;
  const tls = await readTlsSection(section, dirname(file), files);
  const problems = firstProblems([
    ...(parsed.error?.issues ?? []).flatMap((issue) => problemWords(issue, source, knownWebKeys)),
    ...tls.mistakes.map(({ key, message }) => `${source.locate(['tls_server_config', key])}: ${message}`),
  ]);
  if (!parsed.success || problems.length > 0) return { problems };
  const config = finish(parsed.data, tls);
  // Whatever OpenSSL as built here does not do, though the file is well written.
  const code = config.tls && problemOf(() => createSecureContext(config.tls?.context));
  if (code) return { problems: [`${source.locate(['tls_server_config'])}: cannot be used here (${code})`] };
  return { config, content: JSON.stringify([text, tls.texts]) };
}

function finish(file: WebFile, { texts }: Certificates): WebConfig {
  const { tls_server_config: tls, http_server_config: http, rate_limit: rate } = file;
  const headers = Object.entries(http?.headers ?? {});
  return {
    tls: tls && texts.cert !== undefined ? finishTls(tls, texts) : undefined,
    headers: Object.fromEntries(headers.filter((header): header is [string, string] => Boolean(header[1]))),
    users: new Map(Object.entries(file.basic_auth_users ?? {})),
    rateLimit: rate && rate.interval > 0 ? { intervalMs: rate.interval, burst: rate.burst } : undefined,
  };
}

function finishTls(tls: NonNullable<WebFile['tls_server_config']>, texts: Certificates['texts']): ServerTls {
  return {
    context: {
      ...texts,
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

/** What `tls_server_config` names, and all that is wrong with it, judged on what was written. */
async function readTlsSection(section: unknown, folder: string, files: FileReader): Promise<Certificates> {
  const settings = isRecord(section) ? section : {};
  const sources = {
    cert: sourceOf(settings, 'cert', folder),
    key: sourceOf(settings, 'key', folder),
    ca: sourceOf(settings, 'client_ca', folder),
  };
  const { texts, mistakes } = await readCertificates(sources, files);
  const isFilled = Object.keys(settings).length > 0;
  return { texts, mistakes: isFilled ? [...settingMistakes(settings), ...mistakes] : mistakes };
}

/** Relative paths start from the folder of the web configuration file, as in the toolkit. */
function sourceOf(settings: Settings, word: string, folder: string): PemSource {
  const [named, inline] = [settings[`${word}_file`], settings[word]];
  if (typeof named === 'string' && named !== '')
    return { setting: `${word}_file`, path: resolve(folder, named) };
  return { setting: word, text: typeof inline === 'string' && inline !== '' ? inline : undefined };
}

const requiringTypes = ['RequireAnyClientCert', 'RequireAndVerifyClientCert', 'RequireClientCert'];

function* settingMistakes(tls: Settings): Generator<Mistake> {
  for (const part of ['cert', 'key', 'client_ca']) {
    const key = `${part}_file`;
    if (tls[part] && tls[key]) yield { key, message: `is given beside ${part}; keep one of them` };
    if (!tls[part] && !tls[key] && part !== 'client_ca')
      yield { key, message: `is missing: TLS needs ${key}, or ${part}` };
  }
  const word = tls['client_auth_type'];
  const clientAuth = typeof word === 'string' && word !== '' ? word : 'NoClientCert';
  const hasCa = Boolean(tls['client_ca'] || tls['client_ca_file']);
  const ofCa = (message: string) => ({ key: 'client_ca_file', message });
  if (hasCa && clientAuth === 'NoClientCert')
    yield ofCa('has no effect without client_auth_type: RequireAndVerifyClientCert');
  // Go would fall back to the CAs of the system, by which half the world could come in.
  if (!hasCa && clientAuth.includes('Verify'))
    yield ofCa(`is missing: ${clientAuth} needs the CA to verify with`);
  if (tls['client_allowed_sans'] && !requiringTypes.includes(clientAuth)) {
    const message = `needs client_auth_type: ${requiringTypes.slice(0, 2).join(' or ')}`;
    yield { key: 'client_allowed_sans', message };
  }
  if (tls['min_version'] === 'TLS13' && tls['max_version'] === 'TLS12')
    yield { key: 'min_version', message: 'is higher than max_version' };
}

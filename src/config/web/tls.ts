import { resolve } from 'node:path';
import { readCertificates, type Part, type PemSource } from '../certificates.ts';
import type { FileReader } from '../file-reader.ts';

/** A mistake in one setting of the section, by its key. */
type Mistake = readonly [key: string, words: string];
type Section = Readonly<Record<string, unknown>>;

/** The word of the section for each part. */
const words: Readonly<Record<Part, string>> = { cert: 'cert', key: 'key', ca: 'client_ca' };
const parts = Object.values(words);

/** What `tls_server_config` names, and all that is wrong with it, judged on what was written. */
export interface TlsReading {
  readonly files: readonly string[];
  readonly texts: Readonly<Partial<Record<Part, string>>>;
  readonly mistakes: readonly Mistake[];
}

/** Relative paths start from the folder of the web configuration file, as in the toolkit. */
export async function readTlsSection(
  section: unknown,
  folder: string,
  files: FileReader,
): Promise<TlsReading> {
  const settings = isFilled(section) ? section : {};
  const sources = {
    cert: sourceOf(settings, words.cert, folder),
    key: sourceOf(settings, words.key, folder),
    ca: sourceOf(settings, words.ca, folder),
  };
  const { texts, mistakes } = await readCertificates(sources, files);
  const ofContent = mistakes.map(([part, problem]): Mistake => [
    sources[part].path ? `${words[part]}_file` : words[part],
    problem,
  ]);
  return {
    files: Object.values(sources).flatMap(({ path }) => path ?? []),
    texts,
    mistakes: [...(isFilled(section) ? settingMistakes(settings) : []), ...ofContent],
  };
}

function isFilled(section: unknown): section is Section {
  return typeof section === 'object' && section !== null && Object.keys(section).length > 0;
}

function sourceOf(settings: Section, word: string, folder: string): PemSource {
  const [named, inline] = [settings[`${word}_file`], settings[word]];
  if (typeof named === 'string' && named !== '') return { path: resolve(folder, named) };
  return { text: typeof inline === 'string' && inline !== '' ? inline : undefined };
}

const requiringTypes = ['RequireAnyClientCert', 'RequireAndVerifyClientCert', 'RequireClientCert'];

function* settingMistakes(tls: Section): Generator<Mistake> {
  for (const part of parts) {
    const key = `${part}_file`;
    if (tls[part] && tls[key]) yield [key, `is given beside ${part}; keep one of them`];
    if (!tls[part] && !tls[key] && part !== 'client_ca')
      yield [key, `is missing: TLS needs ${key}, or ${part}`];
  }
  const word = tls['client_auth_type'];
  const clientAuth = typeof word === 'string' && word !== '' ? word : 'NoClientCert';
  const hasCa = Boolean(tls['client_ca'] || tls['client_ca_file']);
  if (hasCa && clientAuth === 'NoClientCert')
    yield ['client_ca_file', 'has no effect without client_auth_type: RequireAndVerifyClientCert'];
  // Go would fall back to the CAs of the system, by which half the world could come in.
  if (!hasCa && clientAuth.includes('Verify'))
    yield ['client_ca_file', `is missing: ${clientAuth} needs the CA to verify with`];
  if (tls['client_allowed_sans'] && !requiringTypes.includes(clientAuth))
    yield ['client_allowed_sans', `needs client_auth_type: ${requiringTypes.slice(0, 2).join(' or ')}`];
  if (tls['min_version'] === 'TLS13' && tls['max_version'] === 'TLS12')
    yield ['min_version', 'is higher than max_version'];
}

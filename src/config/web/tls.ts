import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { certificateProblem, keyProblem } from '../pem.ts';

/** A mistake in one setting of the section, by its key. */
type Mistake = readonly [key: string, words: string];
type Section = Readonly<Record<string, unknown>>;

const parts = ['cert', 'key', 'client_ca'] as const;
type Part = (typeof parts)[number];

interface Pem {
  /** The key it was given by. */
  readonly key: string;
  readonly path: string | undefined;
  readonly text: string | undefined;
}

/** What `tls_server_config` names, and all that is wrong with it, judged on what was written. */
export interface TlsReading {
  readonly files: readonly string[];
  readonly texts: Readonly<Record<Part, string | undefined>>;
  readonly mistakes: readonly Mistake[];
}

/** Relative paths start from the folder of the web configuration file, as in the toolkit. */
export function readTlsSection(section: unknown, folder: string): TlsReading {
  const settings = isFilled(section) ? section : undefined;
  const mistakes: Mistake[] = settings ? [...settingMistakes(settings)] : [];
  const [cert, key, clientCa] = parts.map((part) => readPem(settings ?? {}, part, folder, mistakes));
  const texts = { cert: cert?.text, key: key?.text, client_ca: clientCa?.text };
  for (const pem of [cert, clientCa]) {
    const problem = pem?.text === undefined ? undefined : certificateProblem(pem.text);
    if (pem && problem) mistakes.push(contentMistake(pem, problem));
  }
  const hasPair = texts.cert !== undefined && texts.key !== undefined && !certificateProblem(texts.cert);
  const problem = hasPair ? keyProblem(texts.key!, texts.cert!) : undefined;
  if (key && problem) mistakes.push(contentMistake(key, problem));
  return { files: [cert, key, clientCa].flatMap((pem) => pem?.path ?? []), texts, mistakes };
}

function isFilled(section: unknown): section is Section {
  return typeof section === 'object' && section !== null && Object.keys(section).length > 0;
}

function readPem(settings: Section, part: Part, folder: string, mistakes: Mistake[]): Pem {
  const named = settings[`${part}_file`];
  const inline = settings[part];
  if (typeof named !== 'string' || named === '')
    return { key: part, path: undefined, text: typeof inline === 'string' && inline ? inline : undefined };
  const path = resolve(folder, named);
  const key = `${part}_file`;
  try {
    return { key, path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    mistakes.push([key, `${path} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
    return { key, path, text: undefined };
  }
}

function contentMistake({ key, path }: Pem, problem: string): Mistake {
  return [key, path === undefined ? problem : `${path} ${problem}`];
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

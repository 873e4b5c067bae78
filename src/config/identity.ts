import type { Credential, ReadSecret, Reference, Scope } from '../identity/credentials.ts';
import { UnreadableFile, type FileReader } from './file-reader.ts';
import type { CloudSettings } from './schema.ts';
import { encodingProblem } from './yaml.ts';

export interface Mistake {
  readonly key: string;
  readonly message: string;
}

type Settings = Partial<Omit<CloudSettings, 'query'>>;

const methods = [
  { name: 'password', secrets: ['password'] },
  { name: 'token', secrets: ['token'] },
  { name: 'access key', secrets: ['access_key', 'secret_key'] },
  { name: 'CAS ticket', secrets: ['cas_ticket'] },
] as const;

type SecretKey = (typeof methods)[number]['secrets'][number];

const secretKeys: readonly SecretKey[] = methods.flatMap(({ secrets }) => secrets);

/** What is wrong between the settings of identity and scope, judged on what was written, valid or not. */
export function identityMistakes(settings: Settings): Mistake[] {
  return [...doubledMistakes(settings), ...methodMistakes(settings), ...scopeMistakes(settings)];
}

function isGiven(settings: Settings, key: SecretKey): boolean {
  return settings[key] !== undefined || settings[`${key}_file`] !== undefined;
}

const nothingGiven =
  'no way to log in: give username and password, token, access_key and secret_key, or cas_ticket';

function methodMistakes(settings: Settings): Mistake[] {
  const given = methods.filter(({ secrets }) => secrets.some((key) => isGiven(settings, key)));
  const [method, second] = given;
  const hasUser = settings.username !== undefined || settings.user_id !== undefined;
  const mistake = (key: string, message: string) => [{ key, message }];
  if (!method && hasUser)
    return mistake('password', 'is missing: the user needs a password or password_file');
  if (!method) return mistake('username', nothingGiven);
  if (second) {
    const names = given.map(({ name }) => name).join(' and ');
    return mistake(second.secrets[0], `two identity methods are given (${names}); keep one of them`);
  }
  if (method.name === 'password' && !hasUser)
    return mistake('username', 'is missing: the password needs a username or user_id');
  const missing = method.secrets.filter((key) => !isGiven(settings, key));
  return missing.map((key) => ({ key, message: `is missing: the ${method.name} method needs it` }));
}

/** By name or by id. */
const references = [
  ['username', 'user_id'],
  ['user_domain_name', 'user_domain_id'],
  ['project_name', 'project_id'],
  ['project_domain_name', 'project_domain_id'],
  ['domain_name', 'domain_id'],
] as const;

const inBothForms = (key: SecretKey) => [key, `${key}_file`] as const;
const pairs = [...secretKeys.map(inBothForms), ...references];

function doubledMistakes(settings: Settings): Mistake[] {
  return pairs
    .filter(([one, other]) => settings[one] !== undefined && settings[other] !== undefined)
    .map(([one, other]) => ({ key: other, message: `is given beside ${one}; keep one of them` }));
}

function scopeMistakes(settings: Settings): Mistake[] {
  const hasProject = (settings.project_name ?? settings.project_id) !== undefined;
  const domain = (['domain_name', 'domain_id'] as const).find((key) => settings[key] !== undefined);
  if (!hasProject || domain === undefined) return [];
  return [{ key: domain, message: 'a project and a domain are both given as scope; keep one of them' }];
}

const secretsOfMethods: readonly (readonly string[])[] = methods.map(({ secrets }) =>
  secrets.flatMap(inBothForms),
);

/** Of each group a cloud needs one key: where it gives one itself, it wants no default for the others. */
const alternatives: readonly (readonly string[])[] = [
  ...pairs,
  ['project_name', 'project_id', 'domain_name', 'domain_id'],
];

/** Whether a cloud that gives these settings says in other words what a default for `key` would say. */
export function isSaidOtherwise(key: string, cloud: object): boolean {
  const isSecret = secretsOfMethods.some((secrets) => secrets.includes(key));
  const otherMethods = isSecret ? secretsOfMethods.filter((secrets) => !secrets.includes(key)) : [];
  const others = [...alternatives.filter((group) => group.includes(key)), ...otherMethods].flat();
  return others.some((other) => Object.hasOwn(cloud, other));
}

/** Editors and `echo` end a file with a newline that is not part of the secret; some begin it with a byte order mark. */
export async function readSecretFile(path: string, files: FileReader): Promise<string> {
  const text = await files.text(path);
  const secret = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  const problem = secret.trim() === '' ? 'is empty' : encodingProblem(secret);
  if (problem) throw new UnreadableFile(path, problem);
  return secret;
}

/** Builds the credential of settings in which `identityMistakes` found nothing. */
export function credentialOf(settings: Settings, files: FileReader): Credential {
  const read =
    (key: SecretKey): ReadSecret =>
    async () => {
      const file = settings[`${key}_file`];
      return file === undefined ? (settings[key] ?? '') : await readSecretFile(file, files);
    };
  if (isGiven(settings, 'token')) return { method: 'token', token: read('token') };
  if (isGiven(settings, 'cas_ticket')) return { method: 'cas', ticket: read('cas_ticket') };
  if (isGiven(settings, 'access_key'))
    return { method: 'aksk', accessKey: read('access_key'), secretKey: read('secret_key') };
  const domain = reference(settings.user_domain_id, settings.user_domain_name);
  const user = reference(settings.user_id, settings.username) ?? { name: '' };
  return { method: 'password', user: { ...user, ...(domain && { domain }) }, password: read('password') };
}

export function scopeOf(settings: Settings): Scope | undefined {
  const project = reference(settings.project_id, settings.project_name);
  if (project) {
    const domain = reference(settings.project_domain_id, settings.project_domain_name);
    return { project: { ...project, ...(domain && { domain }) } };
  }
  const domain = reference(settings.domain_id, settings.domain_name);
  return domain && { domain };
}

function reference(id: string | undefined, name: string | undefined): Reference | undefined {
  if (id !== undefined) return { id };
  return name === undefined ? undefined : { name };
}

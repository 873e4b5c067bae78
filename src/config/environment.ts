import { suggest } from '../suggest.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable, and the setting that it is. */
type Variable = readonly [name: string, key: string];

/** What people of this field have in their shell already. Where one setting has two names, messages use the first. */
export const variables: readonly Variable[] = [
  ['OS_AUTH_URL', 'auth_url'],
  ['OS_USERNAME', 'username'],
  ['OS_USER_ID', 'user_id'],
  ['OS_PASSWORD', 'password'],
  ['OS_PASSWORD_FILE', 'password_file'],
  ['OS_USER_DOMAIN_NAME', 'user_domain_name'],
  ['OS_USER_DOMAIN_ID', 'user_domain_id'],
  ['OS_TOKEN', 'token'],
  ['OS_AUTH_TOKEN', 'token'],
  ['OS_TOKEN_FILE', 'token_file'],
  ['OS_AUTH_TOKEN_FILE', 'token_file'],
  ['OS_ACCESS_KEY', 'access_key'],
  ['OS_ACCESS_KEY_FILE', 'access_key_file'],
  ['OS_SECRET_KEY', 'secret_key'],
  ['OS_SECRET_KEY_FILE', 'secret_key_file'],
  ['OS_CAS_TICKET', 'cas_ticket'],
  ['OS_CAS_TICKET_FILE', 'cas_ticket_file'],
  ['OS_PROJECT_NAME', 'project_name'],
  ['OS_PROJECT_ID', 'project_id'],
  ['OS_PROJECT_DOMAIN_NAME', 'project_domain_name'],
  ['OS_PROJECT_DOMAIN', 'project_domain_name'],
  ['OS_PROJECT_DOMAIN_ID', 'project_domain_id'],
  ['OS_DOMAIN_NAME', 'domain_name'],
  ['OS_DOMAIN_ID', 'domain_id'],
  ['OS_REGION_NAME', 'region_name'],
  ['OS_INTERFACE', 'interface'],
  ['OS_ENDPOINT_TYPE', 'interface'],
  ['OS_CACERT', 'cacert'],
  ['OS_CERT', 'cert'],
  ['YUNION_CERT_FILE', 'cert'],
  ['OS_KEY', 'key'],
  ['YUNION_KEY_FILE', 'key'],
  ['YUNION_INSECURE', 'insecure_skip_verify'],
  ['CLOUD_BASE_URL', 'base_url'],
  ['CLOUD_QUERY', 'query'],
];

const nameVariable = 'CLOUD_NAME';

/** The file's shape with one cloud in it, or nothing if no variable is set. An empty variable counts as unset. */
export function fromEnvironment(environment: Environment) {
  const set = variables.filter(([name]) => environment[name]);
  if (set.length === 0) return undefined;
  const origins = new Map<string, string>();
  const problems: string[] = [];
  for (const [name, key] of set) {
    const first = origins.get(key);
    if (first === undefined) origins.set(key, name);
    else if (environment[first] !== environment[name])
      problems.push(`${name}: says something else than ${first}; keep one of them`);
  }
  giveDomainToUser(origins);
  const settings = [...origins].map(([key, name]) => [key, valueOf(key, environment[name]!)] as const);
  return {
    raw: { clouds: { [environment[nameVariable] || 'default']: Object.fromEntries(settings) } },
    /** The variable that gave a setting, or that would. */
    variableOf: (key: string) => origins.get(key) ?? variableOf(key) ?? nameVariable,
    problems,
  };
}

/** As the platform's own client has it: beside a project, the domain is not a scope but where the user is. */
function giveDomainToUser(origins: Map<string, string>): void {
  if (!origins.has('project_name') && !origins.has('project_id')) return;
  const hasUserDomain = origins.has('user_domain_name') || origins.has('user_domain_id');
  for (const key of ['domain_name', 'domain_id']) {
    const variable = origins.get(key);
    if (variable === undefined) continue;
    origins.delete(key);
    if (!hasUserDomain) origins.set(`user_${key}`, variable);
  }
}

function valueOf(key: string, text: string): unknown {
  if (key !== 'insecure_skip_verify') return text;
  if (/^(1|t|true)$/i.test(text)) return true;
  return /^(0|f|false)$/i.test(text) ? false : text;
}

/** The name by which messages and the documentation call a setting. */
export function variableOf(key: string): string | undefined {
  return variables.find(([, candidate]) => candidate === key)?.[0];
}

/** Variables that are set but not read, because the clouds come from files; names only, no values. */
export function unreadVariables(environment: Environment, reason: string): string[] {
  const names = [...variables.map(([name]) => name), nameVariable].filter((name) => environment[name]);
  const named = names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
  return names.length === 0 ? [] : [`${named}: not read, since ${reason}`];
}

/** Variables with a misspelt name; names only, no values. */
export function misspeltVariables(environment: Environment): string[] {
  const known = [...variables.map(([name]) => name), nameVariable];
  return Object.keys(environment)
    .filter((name) => /^(OS|CLOUD|YUNION)_/.test(name) && environment[name] !== '' && !known.includes(name))
    .flatMap((name) => {
      const nearest = suggest(name, known, 2);
      return nearest ? [`${name}: is no variable of the exporter; did you mean ${nearest}?`] : [];
    });
}

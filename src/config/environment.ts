export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that people of this field have in their shell already, and the setting that each one is. */
export const variables: readonly (readonly [variable: string, key: string])[] = [
  ['OS_AUTH_URL', 'auth_url'],
  ['OS_USERNAME', 'username'],
  ['OS_USER_ID', 'user_id'],
  ['OS_PASSWORD', 'password'],
  ['OS_PASSWORD_FILE', 'password_file'],
  ['OS_USER_DOMAIN_NAME', 'user_domain_name'],
  ['OS_USER_DOMAIN_ID', 'user_domain_id'],
  ['OS_TOKEN', 'token'],
  ['OS_TOKEN_FILE', 'token_file'],
  ['OS_ACCESS_KEY', 'access_key'],
  ['OS_ACCESS_KEY_FILE', 'access_key_file'],
  ['OS_SECRET_KEY', 'secret_key'],
  ['OS_SECRET_KEY_FILE', 'secret_key_file'],
  ['OS_CAS_TICKET', 'cas_ticket'],
  ['OS_CAS_TICKET_FILE', 'cas_ticket_file'],
  ['OS_PROJECT_NAME', 'project_name'],
  ['OS_PROJECT_ID', 'project_id'],
  ['OS_PROJECT_DOMAIN_NAME', 'project_domain_name'],
  ['OS_PROJECT_DOMAIN_ID', 'project_domain_id'],
  ['OS_DOMAIN_NAME', 'domain_name'],
  ['OS_DOMAIN_ID', 'domain_id'],
  ['OS_REGION_NAME', 'region_name'],
  ['OS_INTERFACE', 'interface'],
  ['OS_CACERT', 'cacert'],
  ['CLOUD_BASE_URL', 'base_url'],
  ['CLOUD_QUERY', 'query'],
];

/** The file's shape with one cloud in it, or nothing if no variable is set. An empty variable counts as unset. */
export function fromEnvironment(environment: Environment): { clouds: Record<string, unknown> } | undefined {
  const set = variables.filter(([variable]) => environment[variable]);
  if (set.length === 0) return undefined;
  const cloud = Object.fromEntries(set.map(([variable, key]) => [key, environment[variable]]));
  return { clouds: { [environment['CLOUD_NAME'] || 'default']: cloud } };
}

export function variableOf(key: string): string | undefined {
  return variables.find(([, candidate]) => candidate === key)?.[0];
}

/** From the narrowest to the widest; `none` is what a dead token may see, or an account without any policy. */
const scopes = ['none', 'user', 'project', 'domain', 'system'] as const;
type Scope = (typeof scopes)[number];

/** Why the platform refused: what the operation needs, what the account is allowed, what the request asked for. */
export interface Privilege {
  readonly require: Scope;
  readonly allow: Scope;
  readonly query: Scope;
}

const scope = `(${scopes.join('|')})`;
const pattern = new RegExp(`\\(require:${scope},allow:${scope},query:${scope}\\)`, 'g');

/** Reads the three words, and nothing else: what stands around them may quote the token. */
export function privilegeOf(details: unknown): Privilege | undefined {
  const found = typeof details === 'string' ? [...details.matchAll(pattern)].at(-1) : undefined;
  if (!found) return undefined;
  const [, require, allow, query] = found as unknown as [string, Scope, Scope, Scope];
  return { require, allow, query };
}

/** The token is good, and the request asks for more than its account may see: a new login is of no use. */
export function asksTooMuch({ require, allow, query }: Privilege): boolean {
  const widest = Math.max(scopes.indexOf(require), scopes.indexOf(query));
  return allow !== 'none' && scopes.indexOf(allow) < widest;
}

/** For a person; empty where a new login may help. */
export function privilegeHint(privilege: Privilege): string {
  if (!asksTooMuch(privilege)) return '';
  const { require, allow, query } = privilege;
  const most = `the account may see scope=${allow} at most`;
  if (scopes.indexOf(query) > scopes.indexOf(allow)) return `${most}; set query to scope=${allow}`;
  return `${most}, and this needs scope=${require}; give it a role that has it`;
}

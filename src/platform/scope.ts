import type { Token } from '../identity/issue.ts';
import type { Log } from '../log.ts';
import type { Privilege } from '../transport/privilege.ts';

export const scopes = ['project', 'domain', 'system'] as const;
export type Scope = (typeof scopes)[number];

/** The scope that servers are listed in, and why, for people. */
export interface ScopeInUse {
  readonly scope: Scope;
  readonly isConfigured: boolean;
  readonly why: string;
}

export type ScopeChoice = ReturnType<typeof createScopeChoice>;

/**
 * Of which projects servers are listed: of the widest scope that the account has, unless the configuration names one.
 * Where nothing is known of the account's policies, its own project is what it can see for sure.
 */
export function createScopeChoice(query: readonly (readonly [string, string])[], log: Log) {
  const configured = query.find(([name]) => name === 'scope')?.[1];
  const isConfigured = configured !== undefined;
  /** What a token was refused down to; the next token tries the widest again. */
  let narrowed = new WeakMap<Token, Scope>();
  let proven: Scope = 'project';
  let said: Scope | undefined;

  const scopeOf = (token: Token): Scope => narrowed.get(token) ?? token.widestScope;

  /** What the platform takes the configured word for. */
  function namedScope(token: Token): Scope {
    return configured === 'max' ? token.widestScope : (scopes.find((one) => one === configured) ?? 'project');
  }

  return {
    /** For a request with this token; `query` where the configuration has the word. */
    of: (token: Token): Scope | 'query' => (isConfigured ? 'query' : scopeOf(token)),
    inUse(token: Token): ScopeInUse {
      if (isConfigured) return { scope: namedScope(token), isConfigured, why: 'as query says' };
      const scope = scopeOf(token);
      const isRefused = scope !== token.widestScope;
      const why = isRefused ? `the platform refused ${token.widestScope}` : 'the widest that the account has';
      return { scope, isConfigured, why };
    },
    /** A refusal says what is allowed: whether a request with that is worth while, at once and with the same token. */
    narrow(token: Token, { allow }: Privilege, asked: Scope | 'query'): boolean {
      const scope = scopeOf(token);
      const allowed = scopes.find((one) => one === allow);
      if (isConfigured || allowed === undefined) return false;
      // Asked for beside another page, whose refusal has narrowed it meanwhile.
      if (asked !== scope) return true;
      if (scopes.indexOf(allowed) >= scopes.indexOf(scope)) return false;
      // Live tokens are refused, too, while the identity service is away: the cloud must not shrink by that.
      if (scopes.indexOf(proven) >= scopes.indexOf(scope)) return false;
      narrowed.set(token, allowed);
      if (said !== allowed)
        log.info(
          { scope: allowed },
          `the account may not list with scope=${scope}; listing with scope=${allowed}`,
        );
      said = allowed;
      return true;
    },
    /** A collection has succeeded: from now on a refusal of its scope is not believed, but fails. */
    succeeded(token: Token): void {
      if (scopes.indexOf(scopeOf(token)) > scopes.indexOf(proven)) proven = scopeOf(token);
    },
    /** After a reload, all is tried anew. */
    forget(): void {
      narrowed = new WeakMap();
      proven = 'project';
      said = undefined;
    },
  };
}

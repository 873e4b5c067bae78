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

/** What is known of scopes from list to list. */
export interface ScopeKnown {
  /** The widest in which servers were listed. */
  readonly proven: Scope;
  /** What a token was refused down to; the next token tries the widest again. */
  readonly narrowed: { readonly token: Token; readonly to: Scope } | undefined;
}

type Query = readonly (readonly [string, string])[];

export type ScopeChoice = ReturnType<typeof createScopeChoice>;

/**
 * Of which projects one collection lists servers: of the widest scope that the account has, unless the configuration
 * names one. Where nothing is known of the account's policies, its own project is what it can see for sure.
 */
export function createScopeChoice(query: Query, before: ScopeKnown, log: Log) {
  const configured = configuredScope(query);
  let known = before;

  return {
    /** The word for a request with this token. */
    of: (token: Token): string => configured ?? scopeOf(token, known),
    /** Whether a token says less than has been proven: then it is asked for once more. */
    isNarrower: (token: Token): boolean =>
      configured === undefined && isWider(known.proven, token.widestScope) && known.narrowed?.token !== token,
    /** The second token says the same: it counts. */
    accept(token: Token): void {
      known = { proven: token.widestScope, narrowed: undefined };
    },
    /** A refusal says what is allowed: whether a request with that is worth while, at once and with the same token. */
    narrow(token: Token, { allow }: Privilege, asked: string): boolean {
      const scope = scopeOf(token, known);
      const allowed = scopes.find((one) => one === allow);
      if (configured !== undefined || allowed === undefined) return false;
      // Asked for beside another page, whose refusal has narrowed it meanwhile.
      if (asked !== scope) return true;
      // Live tokens are refused, too, while the identity service is away: the cloud must not shrink by that.
      if (!isWider(scope, allowed) || !isWider(scope, known.proven)) return false;
      if (before.narrowed?.to !== allowed)
        log.info(
          { scope: allowed },
          `the account may not list with scope=${scope}; listing with scope=${allowed}`,
        );
      known = { ...known, narrowed: { token, to: allowed } };
      return true;
    },
    inUse: (token: Token): ScopeInUse => scopeInUse(query, token, known),
    /** What is known once servers were listed with this token: from now on a refusal of its scope fails. */
    provenWith(token: Token | undefined): ScopeKnown {
      if (!token) return known;
      const scope = scopeOf(token, known);
      return isWider(scope, known.proven) ? { ...known, proven: scope } : known;
    },
  };
}

export function scopeInUse(query: Query, token: Token, known: ScopeKnown): ScopeInUse {
  const configured = configuredScope(query);
  // What the platform takes the word for; it takes others for none.
  const named = configured === 'max' ? token.widestScope : scopes.find((one) => one === configured);
  if (configured !== undefined)
    return { scope: named ?? 'project', isConfigured: true, why: 'as query says' };
  const scope = scopeOf(token, known);
  const isRefused = scope !== token.widestScope;
  const why = isRefused ? `the platform refused ${token.widestScope}` : 'the widest that the account has';
  return { scope, isConfigured: false, why };
}

function configuredScope(query: Query): string | undefined {
  return query.find(([name]) => name === 'scope')?.[1];
}

function scopeOf(token: Token, { narrowed }: ScopeKnown): Scope {
  return narrowed?.token === token ? narrowed.to : token.widestScope;
}

function isWider(one: Scope, than: Scope): boolean {
  return scopes.indexOf(one) > scopes.indexOf(than);
}

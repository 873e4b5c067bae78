import { randomBytes } from 'node:crypto';
import type { Account } from '../accounts.ts';
import type { Project } from '../fleet/landscape.ts';

export interface Scope {
  readonly project?: Project;
  readonly domain?: { readonly id: string; readonly name: string };
}

export interface IssuedToken {
  readonly id: string;
  readonly account: Account;
  readonly scope: Scope;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export type TokenState = 'missing' | 'unknown' | 'revoked' | 'expired' | 'unscoped' | 'live';

export interface Tokens {
  readonly issued: readonly IssuedToken[];
  issue(account: Account, scope: Scope): IssuedToken;
  inspect(id: string | undefined): { readonly state: TokenState; readonly token?: IssuedToken };
  revokeAll(): void;
}

export function createTokens({
  now,
  lifetimeSeconds,
}: {
  now: () => number;
  lifetimeSeconds: number;
}): Tokens {
  const issued: IssuedToken[] = [];
  const known = new Map<string, IssuedToken>();
  const revoked = new Set<string>();

  return {
    issued,
    issue(account, scope) {
      const id = randomBytes(32).toString('hex');
      const issuedAtMs = now();
      const token = { id, account, scope, issuedAtMs, expiresAtMs: issuedAtMs + lifetimeSeconds * 1000 };
      issued.push(token);
      known.set(id, token);
      return token;
    },
    inspect(id) {
      if (id === undefined) return { state: 'missing' };
      const token = known.get(id);
      if (token === undefined) return { state: 'unknown' };
      if (revoked.has(id)) return { state: 'revoked', token };
      if (now() >= token.expiresAtMs) return { state: 'expired', token };
      const scoped = token.scope.project !== undefined || token.scope.domain !== undefined;
      return { state: scoped ? 'live' : 'unscoped', token };
    },
    revokeAll() {
      for (const id of known.keys()) revoked.add(id);
    },
  };
}

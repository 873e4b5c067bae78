import { randomBytes } from 'node:crypto';
import { allows, hasRole, type Account, type Rights } from './accounts.ts';
import { timestamp, withoutEmpties } from './answer.ts';
import type { Named, Project } from './fleet/places.ts';
import { createRandom } from './fleet/random.ts';

export type Scope = { readonly project?: Project; readonly domain?: Named };

export interface IssuedToken {
  readonly id: string;
  readonly account: Account;
  readonly scope: Scope;
  /** What its account may do in its project. */
  readonly rights: Rights;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export type Tokens = ReturnType<typeof createTokens>;
export type TokenState = ReturnType<Tokens['inspect']>['state'];

export function createTokens(now: () => number, lifetimeSeconds: number) {
  const issued: IssuedToken[] = [];
  const known = new Map<string, IssuedToken>();
  const revoked = new Set<string>();

  return {
    issued: issued as readonly IssuedToken[],
    issue(account: Account, scope: Scope): IssuedToken {
      const [id, issuedAtMs] = [randomBytes(32).toString('hex'), now()];
      const expiresAtMs = issuedAtMs + lifetimeSeconds * 1000;
      const isBound = account.boundTo === undefined || scope.project?.name === account.boundTo;
      const rights = isBound ? account.rights : 'none';
      const token = { id, account, scope, rights, issuedAtMs, expiresAtMs };
      issued.push(token);
      known.set(id, token);
      return token;
    },
    inspect(id: string | undefined) {
      const token = known.get(id ?? '');
      if (token === undefined) return { state: id === undefined ? 'missing' : 'unknown', token } as const;
      if (revoked.has(token.id)) return { state: 'revoked', token } as const;
      if (now() >= token.expiresAtMs) return { state: 'expired', token } as const;
      return { state: isScoped(token) ? 'live' : 'unscoped', token } as const;
    },
    revokeAll(): void {
      for (const id of known.keys()) revoked.add(id);
    },
  };
}

function isScoped({ scope }: IssuedToken): boolean {
  return scope.project !== undefined || scope.domain !== undefined;
}

export type Addresses = Readonly<Record<'authUrl' | 'baseUrl', string>>;

export interface Login {
  readonly method: string;
  readonly projects: readonly Project[];
  readonly addresses: Addresses;
  /** How many tokens there are: the catalog is in another order each time. */
  readonly turn: number;
  readonly context: { readonly ip: string; readonly source: string };
  readonly told: object | undefined;
}

/** As the platform spells it: small keys, empties left out, and the token itself beside it. */
export function tokenBody(token: IssuedToken, { projects, ...login }: Login): object {
  const { account, scope, rights } = token;
  const { domain, id, name, policy, passwordExpiresAt } = account;
  const role = allows(account.rights, 'domain')
    ? { id: 'b05d086945324f4980ef2d5584549fc4', name: 'admin' }
    : { id: '75389adcf0404f5c9ad72897012089fa', name: 'project_viewer' };
  const user = { domain, id, name };
  const own = projects.filter((project) => hasRole(account, project));
  const scoped = {
    catalog: createCatalog(login.addresses, login.turn),
    // Only the scopes in which there are any.
    policies: policy === '' || rights === 'none' ? {} : { [rights]: [policy] },
    project: scope.project ?? { domain: scope.domain },
    roles: [role],
  };
  const unscoped = {
    projects: own,
    role_assignments: own.map((project) => ({ role: { domain, ...role }, scope: { project }, user })),
  };
  const password_expires_at = passwordExpiresAt === undefined ? undefined : timestamp(passwordExpiresAt);
  return withoutEmpties({
    id: token.id,
    token: {
      ...(isScoped(token) ? scoped : unscoped),
      access_key: { expire: 0 },
      audit_ids: ['1'],
      context: login.context,
      expires_at: timestamp(token.expiresAtMs),
      is_domain: scope.project === undefined && scope.domain !== undefined,
      issued_at: timestamp(token.issuedAtMs),
      methods: [login.method],
      user: { ...user, is_system_account: policy === 'sysadmin', password_expires_at },
      ...login.told,
    },
  });
}

/** In another order each time, as the real one, and with internal addresses that nobody outside can reach. */
function createCatalog({ authUrl, baseUrl }: Addresses, turn: number): object[] {
  const services = [
    ['keystone', 'identity', `${authUrl}/v3`, 30500],
    ['region2', 'compute_v2', baseUrl, 30888],
    ['glance', 'image', 'http://image.cloud.invalid:30292/v1', 30292],
    ['monitor', 'monitor', 'http://monitor.cloud.invalid:30093', 30093],
  ] as const;
  const first = turn % services.length;
  const turned = [...services.slice(first), ...services.slice(0, first)];
  return turned.map(([name, type, publicUrl, port]) => {
    const ids = createRandom(port);
    const internal = `http://default-${name}.onecloud.svc.cluster.invalid:${port}`;
    const urls = { admin: internal, internal, public: publicUrl };
    const region = { region: 'region0', region_id: 'region0' };
    const endpoints = Object.entries(urls).map(([kind, url]) => {
      return { id: ids.hex(32), interface: kind, name: `${name}-${kind}`, ...region, url };
    });
    return { endpoints, id: ids.hex(32), name, type };
  });
}

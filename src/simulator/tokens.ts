import { randomBytes } from 'node:crypto';
import { allows, hasRole, type accessKey, type Account, type Rights } from './accounts.ts';
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
export type TokenState = Inspected['state'];
type Inspected =
  | { readonly state: 'missing' | 'unknown'; readonly token: undefined }
  | { readonly state: 'revoked' | 'expired' | 'unscoped' | 'live'; readonly token: IssuedToken };

export function createTokens(now: () => number, lifetimeSeconds: number) {
  const issued: IssuedToken[] = [];
  const known = new Map<string, IssuedToken>();
  const revoked = new Set<string>();

  function stateOf(token: IssuedToken) {
    if (revoked.has(token.id)) return 'revoked';
    if (now() >= token.expiresAtMs) return 'expired';
    return isScoped(token) ? 'live' : 'unscoped';
  }

  return {
    issued: issued as readonly IssuedToken[],
    issue(account: Account, scope: Scope): IssuedToken {
      const [id, issuedAtMs] = [randomBytes(32).toString('hex'), now()];
      const expiresAtMs = issuedAtMs + lifetimeSeconds * 1000;
      const token = { id, account, scope, rights: rightsIn(account, scope), issuedAtMs, expiresAtMs };
      issued.push(token);
      known.set(id, token);
      return token;
    },
    inspect(id: string | undefined): Inspected {
      const token = known.get(id ?? '');
      if (token === undefined) return { state: id === undefined ? 'missing' : 'unknown', token };
      return { state: stateOf(token), token };
    },
    revokeAll(): void {
      for (const id of known.keys()) revoked.add(id);
    },
  };
}

function rightsIn({ rights, boundTo }: Account, { project }: Scope): Rights {
  return boundTo === undefined || project?.name === boundTo ? rights : 'none';
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
  readonly key: typeof accessKey | undefined;
  readonly passwordExpiresAt: number | undefined;
}

/** As the platform spells it: small keys, empties left out, and the token itself beside it. */
export function tokenBody(token: IssuedToken, { key, projects, passwordExpiresAt, ...login }: Login): object {
  const { account, scope, rights } = token;
  const { domain, id, name } = account;
  const role = allows(account.rights, 'domain')
    ? { id: 'b05d086945324f4980ef2d5584549fc4', name: 'admin' }
    : { id: '75389adcf0404f5c9ad72897012089fa', name: 'project_viewer' };
  const own = projects.filter((project) => hasRole(account, project));
  const scoped = {
    catalog: createCatalog(login.addresses, login.turn),
    policies: policiesOf(account, rights),
    project: scope.project ?? { domain: scope.domain },
    roles: [role],
  };
  const unscoped = {
    projects: own,
    role_assignments: own.map((project) => ({
      policies: policiesOf(account, rightsIn(account, { project })),
      role: { domain, ...role },
      scope: { project },
      user: { domain, id, name },
    })),
  };
  const password_expires_at = passwordExpiresAt === undefined ? undefined : timestamp(passwordExpiresAt);
  return withoutEmpties({
    id: token.id,
    token: {
      ...(isScoped(token) ? scoped : unscoped),
      access_key: { access_key: key?.id, expire: 0, secret: key?.secret },
      audit_ids: [key?.id ?? '1'],
      context: login.context,
      expires_at: timestamp(token.expiresAtMs),
      is_domain: scope.project === undefined && scope.domain !== undefined,
      issued_at: timestamp(token.issuedAtMs),
      methods: [login.method],
      user: { domain, id, is_system_account: account.policy === 'sysadmin', name, password_expires_at },
    },
  });
}

/** Only the scopes in which there are any. */
function policiesOf({ policy }: Account, rights: Rights): object {
  return rights === 'none' || policy === '' ? {} : { [rights]: [policy] };
}

/** In another order each time, as the real one, and with internal addresses that nobody outside can reach. */
function createCatalog({ authUrl, baseUrl }: Addresses, turn: number): object[] {
  const services = [
    ['keystone', 'identity', `${authUrl}/v3`, 30500],
    ['region2', 'compute_v2', baseUrl, 30888],
    ['glance', 'image', 'http://image.cloud.invalid:30292/v1', 30292],
    ['monitor', 'monitor', 'http://monitor.cloud.invalid:30093', 30093],
  ] as const;
  const random = createRandom(turn, 0xca7a);
  const places = new Map(services.map((service) => [service, random.next()]));
  const shuffled = services.toSorted((one, other) => places.get(one)! - places.get(other)!);
  return shuffled.map(([name, type, publicUrl, port]) => {
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

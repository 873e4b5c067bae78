import { randomBytes } from 'node:crypto';
import { allows, hasRole, type accessKey, type Account, type Rights } from '../accounts.ts';
import { withoutEmpties } from '../answer.ts';
import type { Project } from '../fleet/landscape.ts';
import { createRandom } from '../fleet/random.ts';
import { timestamp } from '../timestamp.ts';

export interface Scope {
  readonly project?: Project;
  readonly domain?: { readonly id: string; readonly name: string };
}

export interface IssuedToken {
  readonly id: string;
  readonly account: Account;
  readonly scope: Scope;
  /** What its account may do in its project. */
  readonly rights: Rights;
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
      const expiresAtMs = issuedAtMs + lifetimeSeconds * 1000;
      const token = { id, account, scope, rights: rightsIn(account, scope), issuedAtMs, expiresAtMs };
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
      return { state: isScoped(token) ? 'live' : 'unscoped', token };
    },
    revokeAll() {
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

export interface Login {
  readonly method: string;
  readonly token: IssuedToken;
  readonly projects: readonly Project[];
  readonly addresses: Addresses;
  /** Of tokens issued so far: the catalog is in another order each time. */
  readonly turn: number;
  readonly context: { readonly ip: string; readonly source: string };
  readonly accessKey?: typeof accessKey;
  readonly passwordExpiresAtMs: number | undefined;
}

/** As the platform spells it: small keys, empties left out, and the token itself beside it. */
export function tokenBody(login: Login): object {
  const { token, accessKey, projects } = login;
  const { account, scope } = token;
  const { id, name, domain } = account;
  const scoped = isScoped(token);
  const roles = [allows(account.rights, 'domain') ? adminRole : viewerRole];
  const own = projects.filter((project) => hasRole(account, project));
  return withoutEmpties({
    id: token.id,
    token: {
      access_key: { access_key: accessKey?.id, expire: 0, secret: accessKey?.secret },
      audit_ids: [accessKey?.id ?? '1'],
      catalog: scoped ? createCatalog(login.addresses, login.turn) : undefined,
      context: login.context,
      expires_at: timestamp(token.expiresAtMs),
      is_domain: scope.project === undefined && scope.domain !== undefined,
      issued_at: timestamp(token.issuedAtMs),
      methods: [login.method],
      policies: scoped ? policiesOf(account, token.rights) : undefined,
      project: scope.project ?? (scope.domain === undefined ? undefined : { domain: scope.domain }),
      projects: scoped ? undefined : own,
      role_assignments: scoped
        ? undefined
        : own.map((project) => ({
            policies: policiesOf(account, rightsIn(account, { project })),
            role: { domain, ...roles[0] },
            scope: { project },
            user: { domain, id, name },
          })),
      roles: scoped ? roles : undefined,
      user: {
        domain,
        id,
        is_system_account: account.policy === 'sysadmin',
        name,
        password_expires_at:
          login.passwordExpiresAtMs === undefined ? undefined : timestamp(login.passwordExpiresAtMs),
      },
    },
  });
}

const adminRole = { id: 'b05d086945324f4980ef2d5584549fc4', name: 'admin' };
const viewerRole = { id: '75389adcf0404f5c9ad72897012089fa', name: 'project_viewer' };

/** Only the scopes in which there are any. */
function policiesOf({ policy }: Account, rights: Rights): object {
  return rights === 'none' || policy === undefined ? {} : { [rights]: [policy] };
}

export interface Addresses {
  readonly authUrl: string;
  readonly baseUrl: string;
}

/** In another order each time, as the real one, and with internal addresses that nobody outside can reach. */
function createCatalog({ authUrl, baseUrl }: Addresses, turn: number): object[] {
  const services = [
    { name: 'keystone', type: 'identity', publicUrl: `${authUrl}/v3`, port: 30500 },
    { name: 'region2', type: 'compute_v2', publicUrl: baseUrl, port: 30888 },
    { name: 'glance', type: 'image', publicUrl: 'http://image.cloud.invalid:30292/v1', port: 30292 },
    { name: 'monitor', type: 'monitor', publicUrl: 'http://monitor.cloud.invalid:30093', port: 30093 },
  ];
  const random = createRandom(turn, 0xca7a);
  const shuffled = services.map((service) => ({ service, place: random.next() }));
  shuffled.sort((one, other) => one.place - other.place);
  return shuffled.map(({ service: { name, type, publicUrl, port } }) => {
    const ids = createRandom(port);
    const internal = `http://default-${name}.onecloud.svc.cluster.invalid:${port}`;
    const urls = { admin: internal, internal, public: publicUrl };
    const endpoints = Object.entries(urls).map(([kind, url]) => ({
      id: ids.hex(32),
      interface: kind,
      name: `${name}-${kind}`,
      region: 'region0',
      region_id: 'region0',
      url,
    }));
    return { endpoints, id: ids.hex(32), name, type };
  });
}

import { allows, type Account, type accessKey } from '../accounts.ts';
import { withoutEmpties } from '../empties.ts';
import type { createServiceCatalog } from './service-catalog.ts';
import { timestamp } from '../timestamp.ts';
import type { IssuedToken } from './tokens.ts';
import type { Project } from '../fleet/landscape.ts';

export interface Login {
  readonly method: string;
  readonly token: IssuedToken;
  readonly projects: readonly Project[];
  readonly catalog: ReturnType<typeof createServiceCatalog>;
  readonly context: { readonly ip: string; readonly source: string };
  readonly accessKey?: typeof accessKey;
  readonly passwordExpiresAtMs?: number;
}

const adminRole = { id: 'b05d086945324f4980ef2d5584549fc4', name: 'admin' };
const viewerRole = { id: '75389adcf0404f5c9ad72897012089fa', name: 'project_viewer' };
const noDomain = { id: '', name: '' };

/** The token object in the document's spelling, with its mix of capital and small keys, every documented key there. */
export function documentBody(login: Login): object {
  const { token, accessKey } = login;
  const { scope, account } = token;
  const [domain, project, system] = policiesOf(login);
  return {
    token: {
      access_key: { AccessKey: accessKey?.id ?? '', expire: 0, secret: accessKey?.secret ?? '' },
      catalog: isScoped(login) ? login.catalog : [],
      context: login.context,
      expires_at: timestamp(token.expiresAtMs),
      is_domain: scope.project === undefined && scope.domain !== undefined,
      issued_at: timestamp(token.issuedAtMs),
      methods: [login.method],
      policies: { Domain: domain, Project: project, System: system },
      project: {
        Domain: scope.project?.domain ?? scope.domain ?? noDomain,
        Id: scope.project?.id ?? '',
        Name: scope.project?.name ?? '',
      },
      projects: login.projects.map(({ domain, id, name }) => ({ Domain: domain, Id: id, Name: name })),
      role_assignments: login.projects.map((project) => assignment(account, project)),
      roles: isScoped(login) ? [roleOf(account)] : [],
      user: {
        Displayname: 'Simulated exporter',
        Domain: account.domain,
        Email: `${account.name}@example.test`,
        Id: account.id,
        Mobile: '13800000000',
        Name: account.name,
        PasswordExpiresAt:
          login.passwordExpiresAtMs === undefined ? '' : timestamp(login.passwordExpiresAtMs),
      },
    },
  };
}

/** As the running platform spells it: small keys, empties left out, and the token itself beside it. */
export function platformBody(login: Login): object {
  const { token, accessKey } = login;
  const { account, scope } = token;
  const scoped = isScoped(login);
  const [domain, project, system] = policiesOf(login);
  const echoed = { access_key: accessKey?.id, expire: 0, secret: accessKey?.secret };
  return withoutEmpties({
    id: token.id,
    token: {
      access_key: echoed,
      audit_ids: [accessKey?.id ?? '1'],
      catalog: scoped ? login.catalog : undefined,
      context: login.context,
      expires_at: timestamp(token.expiresAtMs),
      is_domain: scope.project === undefined && scope.domain !== undefined,
      issued_at: timestamp(token.issuedAtMs),
      methods: [login.method],
      policies: { domain, project, system },
      project: scope.project ?? (scope.domain === undefined ? undefined : { domain: scope.domain }),
      projects: scoped ? undefined : login.projects,
      role_assignments: scoped
        ? undefined
        : login.projects.map((project) => ({ ...assignment(account, project), scope: { project } })),
      roles: scoped ? [roleOf(account)] : undefined,
      user: {
        domain: account.domain,
        id: account.id,
        name: account.name,
        password_expires_at:
          login.passwordExpiresAtMs === undefined ? undefined : timestamp(login.passwordExpiresAtMs),
      },
    },
  });
}

function isScoped({ token: { scope } }: Login): boolean {
  return scope.project !== undefined || scope.domain !== undefined;
}

type Policies = readonly [domain: readonly string[], project: readonly string[], system: readonly string[]];

const policiesByRights: Readonly<Record<Account['rights'], Policies>> = {
  system: [[], [], ['sysadmin']],
  domain: [['domainadmin'], [], []],
  project: [[], ['project-viewer'], []],
  none: [[], [], []],
};

function policiesOf(login: Login): Policies {
  return policiesByRights[isScoped(login) ? login.token.account.rights : 'none'];
}

function roleOf({ rights }: Account) {
  return allows(rights, 'domain') ? adminRole : viewerRole;
}

function assignment(account: Account, project: Project) {
  return {
    group: { domain: noDomain, id: '', name: '' },
    policies: { domain: [], project: [], system: account.rights === 'system' ? ['sysadmin'] : [] },
    role: { domain: account.domain, ...roleOf(account) },
    scope: { domain: project.domain, project },
    user: { domain: account.domain, id: account.id, name: account.name },
  };
}

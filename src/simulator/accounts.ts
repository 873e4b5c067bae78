import { defaultDomain, retailDomain, sharedProjectName } from './fleet/catalogue.ts';
import type { Project } from './fleet/landscape.ts';

/** From the least to the most. */
export const rightsByWidth = ['none', 'project', 'domain', 'system'] as const;
export type Rights = (typeof rightsByWidth)[number];

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly domain: { readonly id: string; readonly name: string };
  /** The widest scope that its policies allow it to ask for. */
  readonly rights: Rights;
  /** The name of its policy. */
  readonly policy?: string;
  /** The one project in which its role has that policy; in others it may log in, and nothing more. */
  readonly boundTo?: string;
  /** Nothing by its id. */
  readonly listsOnly?: boolean;
  readonly disabled?: boolean;
}

export function allows(rights: Rights, scope: Rights): boolean {
  return rights !== 'none' && rightsByWidth.indexOf(rights) >= rightsByWidth.indexOf(scope);
}

export const exporterAccount: Account = {
  id: '01e117f21beb42db8e8d1bb780819f8b',
  name: 'exporter',
  password: 'exporter-password',
  domain: defaultDomain,
  rights: 'system',
  policy: 'sysadmin',
};

/** The account that the handbook advises: it lists the whole system, and may do nothing else. */
export const listAccount: Account = {
  id: 'dd4b41a4c5b4474f8baa126a1fe329c2',
  name: 'lister',
  password: 'lister-password',
  domain: defaultDomain,
  rights: 'system',
  policy: 'exporter-list',
  boundTo: 'system',
  listsOnly: true,
};

/** The same name in another domain: a login that does not say its domain is ambiguous. */
export const namesakeAccount: Account = {
  id: '7d3c0f6e2a5b4b0e8f9a1c2d3e4f5a6b',
  name: 'exporter',
  password: 'namesake-password',
  domain: retailDomain,
  rights: 'project',
  policy: 'project-viewer',
};

/** A plain user, with a role in the project `web` of the domain `Default` only. */
export const plainAccount: Account = {
  id: '465fd77a63c04cd882377923cf264340',
  name: 'alice',
  password: 'alice-password',
  domain: defaultDomain,
  rights: 'project',
  policy: 'project-viewer',
};

/** Administrates the domain `Default`, and nothing beyond it. */
export const domainAccount: Account = {
  id: 'c0ae2b1f6f7d4f0c9f1d6a4b5e8d7c21',
  name: 'dora',
  password: 'dora-password',
  domain: defaultDomain,
  rights: 'domain',
  policy: 'domainadmin',
};

/** Logs in to the project `web`, and no policy allows it anything. */
export const powerlessAccount: Account = {
  id: '2f4b7e1c9d8a4c6fb3a5d7e9f1c2b4a6',
  name: 'bob',
  password: 'bob-password',
  domain: defaultDomain,
  rights: 'none',
};

/** Was switched off by an administrator. */
export const disabledAccount: Account = {
  ...plainAccount,
  id: '9a1f6c3d5e7b4a2c8d0e1f2a3b4c5d6e',
  name: 'carol',
  disabled: true,
};

export const accounts: readonly Account[] = [
  exporterAccount,
  listAccount,
  namesakeAccount,
  plainAccount,
  domainAccount,
  powerlessAccount,
  disabledAccount,
];

/** Belongs to the exporter's account and to the project `system`. */
export const accessKey = {
  id: '840a217328ab46f889f3a2c953f96edf',
  secret: 'simulated-access-key-secret-0001',
};

export const systemProject = { name: 'system', domain: defaultDomain };

export function hasRole(account: Account, project: Project): boolean {
  if (account.rights === 'system') return true;
  const isOwnDomain = project.domain.id === account.domain.id;
  return isOwnDomain && (account.rights === 'domain' || project.name === sharedProjectName);
}

import { defaultDomain, retailDomain, sharedProjectName, type Named, type Project } from './fleet/places.ts';

/** From the least to the most. */
const rightsByWidth = ['none', 'project', 'domain', 'system'] as const;
export type Rights = (typeof rightsByWidth)[number];

export function allows(rights: Rights, scope: Rights): boolean {
  return rights !== 'none' && rightsByWidth.indexOf(rights) >= rightsByWidth.indexOf(scope);
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly domain: Named;
  /** The widest scope that its policy allows it to ask for. */
  readonly rights: Rights;
  readonly policy: string;
  /** The one project in which its role has that policy; in others it may log in, and nothing more. */
  readonly boundTo?: string;
  /** Nothing by its id. */
  readonly listsOnly?: boolean;
  readonly disabled?: boolean;
}

function account(id: string, name: string, rights: Rights, more: Partial<Account>): Account {
  return { id, name, password: `${name}-password`, domain: defaultDomain, rights, policy: '', ...more };
}

const listsOnly = { policy: 'exporter-list', boundTo: 'system', listsOnly: true };
export const accounts = [
  account('01e117f21beb42db8e8d1bb780819f8b', 'exporter', 'system', { policy: 'sysadmin' }),
  /** The account that the handbook advises: it lists the whole system, and may do nothing else. */
  account('dd4b41a4c5b4474f8baa126a1fe329c2', 'lister', 'system', listsOnly),
  /** A plain user, with a role in the project `web` of the domain `Default` only. */
  account('465fd77a63c04cd882377923cf264340', 'alice', 'project', { policy: 'project-viewer' }),
  /** Administrates the domain `Default`, and nothing beyond it. */
  account('c0ae2b1f6f7d4f0c9f1d6a4b5e8d7c21', 'dora', 'domain', { policy: 'domainadmin' }),
  /** Logs in to the project `web`, and no policy allows it anything. */
  account('2f4b7e1c9d8a4c6fb3a5d7e9f1c2b4a6', 'bob', 'none', {}),
  /** The same name in another domain: a login that does not say its domain is ambiguous. */
  account('7d3c0f6e2a5b4b0e8f9a1c2d3e4f5a6b', 'exporter', 'project', { domain: retailDomain }),
  /** Was switched off by an administrator. */
  account('9a1f6c3d5e7b4a2c8d0e1f2a3b4c5d6e', 'carol', 'project', { disabled: true }),
] as const;
export const [exporterAccount, listAccount, plainAccount, domainAccount, powerlessAccount] = accounts;

/** Belongs to the exporter's account and to the project `system`. */
export const accessKey = {
  id: '840a217328ab46f889f3a2c953f96edf',
  secret: 'simulated-access-key-secret-0001',
};

export const systemProject = { name: 'system', domain: defaultDomain };

export function hasRole({ rights, domain }: Account, project: Project): boolean {
  if (rights === 'system') return true;
  return project.domain.id === domain.id && (rights === 'domain' || project.name === sharedProjectName);
}

import { defaultDomain, retailDomain, sharedProjectName } from './fleet/catalogue.ts';
import type { Project } from './fleet/landscape.ts';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly domain: { readonly id: string; readonly name: string };
  /** Has a role in every project and domain, and may ask for scope=system. */
  readonly administrator: boolean;
}

export const exporterAccount: Account = {
  id: '01e117f21beb42db8e8d1bb780819f8b',
  name: 'exporter',
  password: 'exporter-password',
  domain: defaultDomain,
  administrator: true,
};

/** The same name in another domain: a login that does not say its domain is ambiguous. */
export const namesakeAccount: Account = {
  id: '7d3c0f6e2a5b4b0e8f9a1c2d3e4f5a6b',
  name: 'exporter',
  password: 'namesake-password',
  domain: retailDomain,
  administrator: false,
};

/** A plain user, with a role in the project `web` of the domain `Default` only. */
export const plainAccount: Account = {
  id: '465fd77a63c04cd882377923cf264340',
  name: 'alice',
  password: 'alice-password',
  domain: defaultDomain,
  administrator: false,
};

/** Belongs to the exporter's account and to the project `system`. */
export const accessKey = {
  id: '840a217328ab46f889f3a2c953f96edf',
  secret: 'simulated-access-key-secret-0001',
};

export const systemProject = { name: 'system', domain: defaultDomain };

export function hasRole(account: Account, project: Project): boolean {
  if (account.administrator) return true;
  return project.name === sharedProjectName && project.domain.id === account.domain.id;
}

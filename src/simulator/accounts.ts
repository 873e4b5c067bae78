import { defaultDomain, sharedProjectName, type Named, type Project } from './fleet/places.ts';

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
  /** By default never. */
  readonly passwordExpiresAt?: number | undefined;
  readonly domain: Named;
  /** The widest scope that its policy allows it to ask for. */
  readonly rights: Rights;
  readonly policy: string;
  /** The one project in which its role has that policy; in others it may log in, and nothing more. */
  readonly boundTo?: string;
  readonly disabled?: boolean;
}

export const exporterAccount: Account = {
  id: '01e117f21beb42db8e8d1bb780819f8b',
  name: 'exporter',
  password: 'exporter-password',
  domain: defaultDomain,
  rights: 'system',
  policy: 'sysadmin',
};

export const systemProject = { name: 'system', domain: defaultDomain };

export function hasRole({ rights, domain }: Account, project: Project): boolean {
  if (rights === 'system') return true;
  return project.domain.id === domain.id && (rights === 'domain' || project.name === sharedProjectName);
}

/** What the platform is asked to list, in its own words. */
export const resources = [
  'servers',
  'hosts',
  'storages',
  'isolated_devices',
  'networks',
  'cloudproviderregions',
  'zones',
  'cloudregions',
] as const;
export type Resource = (typeof resources)[number];

export type Operation = 'login' | `list_${Resource}`;

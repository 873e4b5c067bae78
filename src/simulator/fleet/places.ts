import { dayMs, stamp } from '../answer.ts';
import { createNamed, createRandom, type Random } from './random.ts';
import type { Row } from './rows.ts';

/** A kind of cloud within the cloud: own machines, a virtualization that it manages, or a public cloud. */
export type Site = (typeof sites)[number][0];

/** Weight, hypervisor, provider, storage, zones, account, region at its provider, region. Own machines have no account. */
const siteRows = [
  '68 kvm OneCloud local beijing-a,beijing-b,shanghai-a - - Default',
  '4 baremetal OneCloud baremetal beijing-a,shanghai-a - - Default',
  '11 esxi VMware vsan cluster-1,cluster-2 vcenter-main VMware/datacenter-2 VMware Frankfurt',
  '8 aliyun Aliyun cloud_essd cn-hangzhou-b,cn-hangzhou-h ali-main Aliyun/cn-hangzhou Aliyun China East 1 (Hangzhou)',
  '5 huawei Huawei SSD cn-north-4a,cn-north-4b hw-main Huawei/cn-north-4 Huawei China North (Beijing 4)',
  '4 aws Aws gp3 eu-west-1a,eu-west-1b aws-main Aws/eu-west-1 AWS Europe (Ireland)',
];

export const sites = siteRows.map((row) => {
  const words = row.split(' ').map((word) => (word === '-' ? '' : word));
  const [weight, hypervisor = '', provider = '', storage = ''] = words;
  const [zones = '', account = '', regionExternal = ''] = words.slice(4);
  const managed = hypervisor === 'esxi' ? 'private' : 'public';
  const environment = account === '' ? 'onpremise' : managed;
  const place = { region: words.slice(7).join(' '), regionExternal, account, zones: zones.split(',') };
  return [{ hypervisor, provider, storage, environment, ...place }, Number(weight)] as const;
});

export function siteOf({ host_type }: { readonly host_type: string }): Site {
  const hypervisor = host_type === 'hypervisor' ? 'kvm' : host_type;
  return sites.find(([site]) => site.hypervisor === hypervisor)![0];
}

export const defaultDomain = { id: 'default', name: 'Default' };
export const retailDomain = { id: '5a0e6d1c7b7e4a4c9d0f2b8c6e1a3f47', name: 'Retail' };
export const domains = [defaultDomain, retailDomain];

export type Named = Readonly<Record<'id' | 'name', string>>;
export type Project = Named & { readonly domain: Named };

/** The same name in both domains, as happens on the real platform: a project's name alone identifies nothing. */
export const sharedProjectName = 'web';
const projectNames = (
  'billing search media analytics payments identity logistics mobile warehouse support ' +
  'research training inference gateway monitoring build catalog orders pricing mail ' +
  'reporting archive ads maps video chat fraud loyalty returns stock ' +
  'crm erp hr legal finance events notify geo sessions recommendations ' +
  'ledger vouchers sandbox staging partners iot edge backup'
).split(' ');

type Told<Field extends string> = Row & Readonly<Record<Field | 'external_id' | 'status', string>>;
type ZoneRecord = Told<'cloudregion' | 'cloudregion_id'>;
type RegionRecord = Told<'environment' | 'provider'>;

/** The places are the same in every fleet of a seed; the projects are more where there are more servers. */
export function createPlaces(servers: number, seed: number, nowMs: number) {
  const random = createRandom(seed, 0x1a2d);
  const populated = createProjects(servers, random);
  const at = { created_at: stamp(nowMs - 1300 * dayMs), updated_at: stamp(nowMs - 1300 * dayMs) };
  const zones = new Map<string, ZoneRecord>();
  const regions = new Map<string, RegionRecord>();
  for (const [site] of sites) {
    const { region, regionExternal, provider, environment } = site;
    for (const zone of site.zones) {
      const { zone_id, region_id } = placeIds(site, zone, seed);
      const external_id = site.account === '' ? '' : `${regionExternal}/${zone}`;
      const within = { cloudregion: region, cloudregion_id: region_id };
      zones.set(zone_id, { ...at, ...within, id: zone_id, name: zone, external_id, status: 'enable' });
      const access = environment === 'public' ? 'InternationalCloud' : '';
      const from = { provider, external_id: regionExternal, environment: access };
      regions.set(region_id, { ...at, ...from, id: region_id, name: region, status: 'inservice' });
    }
  }
  return {
    /** Every project that identity knows; the last one never holds a server. */
    projects: [...populated, { id: random.hex(32), name: 'empty', domain: defaultDomain }],
    populated: populated.map((project, position) => [project, 1 + 12 / (position + 1)] as const),
    zones: [...zones.values()],
    regions: [...regions.values()],
  };
}

function createProjects(servers: number, random: Random): readonly Project[] {
  const wanted = Math.min(60, Math.max(12, Math.round(4 * Math.log2(Math.max(1, servers / 12)))));
  const named = [sharedProjectName, 'system', ...projectNames].slice(0, wanted - 1).map((name, position) => {
    const domain = position > 1 && position % 3 === 2 ? retailDomain : defaultDomain;
    return { id: random.hex(32), name, domain };
  });
  return [...named, { id: random.hex(32), name: sharedProjectName, domain: retailDomain }];
}

/** Two sites in one zone agree on what it is. */
export function placeIds(site: Pick<Site, 'account' | 'region'>, zone: string, seed: number) {
  return {
    zone_id: createNamed(seed, site.region + zone).uuid(),
    region_id: site.account === '' ? 'default' : createNamed(seed, site.region).uuid(),
  };
}

export function networkIn({ zone_id }: { readonly zone_id: string }): string {
  return `4e7${zone_id.slice(3)}`;
}

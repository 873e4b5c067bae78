import {
  defaultDomain,
  kvm,
  projectNames,
  retailDomain,
  sharedProjectName,
  sites,
  type Site,
} from './catalogue.ts';
import { createRandom, type Random, type Weighted } from './random.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly domain: { readonly id: string; readonly name: string };
}

export interface Host {
  readonly id: string;
  readonly name: string;
  readonly serial: string;
  readonly online: boolean;
  readonly site: Site;
  readonly zone: string;
  readonly zoneId: string;
  readonly regionId: string;
  readonly accountId: string;
  readonly managerId: string;
  readonly networkId: string;
  readonly vpcId: string;
}

export interface Landscape {
  /** Every project that identity knows; the last one never holds a server. */
  readonly projects: readonly Project[];
  readonly populated: Weighted<Project>;
  readonly hosts: Weighted<readonly Host[]>;
  /** Hosts that no server is on. */
  readonly spareHosts: readonly Host[];
  /** Ids of hosts that take no new servers. */
  readonly disabled: ReadonlySet<string>;
}

const serversPerHost = 24;
const fewestHosts = 16;
const hostsPerOutage = 32;
const hostsPerSpare = 40;

export function createLandscape(servers: number, seed: number): Landscape {
  const random = createRandom(seed, 0x1a2d);
  const populated = createProjects(servers, random);
  const empty = { id: random.hex(32), name: 'empty', domain: defaultDomain };
  const hosts = sites.map(([site, weight]) => [createHosts(site, servers, seed), weight] as const);
  const virtual = hosts.find(([[host]]) => host?.site === kvm)?.[0] ?? [];
  const spareHosts = createSpareHosts(virtual, seed);
  return {
    projects: [...populated, empty],
    populated: populated.map((project, position) => [project, 1 + 12 / (position + 1)]),
    hosts,
    spareHosts,
    disabled: new Set([
      ...virtual.filter((_, position) => position % hostsPerOutage === 9).map(({ id }) => id),
      ...spareHosts.filter((_, position) => position % 2 === 1).map(({ id }) => id),
    ]),
  };
}

/** In the first two zones only: the third has nothing in reserve. */
function createSpareHosts(virtual: readonly Host[], seed: number): Host[] {
  const random = named(seed, 'spare');
  const count = Math.max(2, Math.ceil(virtual.length / hostsPerSpare));
  return Array.from({ length: count }, (_, position) => ({
    ...virtual[position % 2]!,
    id: random.uuid(),
    name: `kvm-host-${String(virtual.length + position + 1).padStart(4, '0')}`,
    serial: `SN-${random.hex(8).toUpperCase()}`,
    online: true,
  }));
}

function createProjects(servers: number, random: Random): Project[] {
  const wanted = Math.min(60, Math.max(12, Math.round(4 * Math.log2(Math.max(1, servers / 12)))));
  const named = [sharedProjectName, 'system', ...projectNames].slice(0, wanted - 1).map((name, position) => ({
    id: random.hex(32),
    name,
    domain: position > 1 && position % 3 === 2 ? retailDomain : defaultDomain,
  }));
  return [...named, { id: random.hex(32), name: sharedProjectName, domain: retailDomain }];
}

function createHosts(site: Site, servers: number, seed: number): Host[] {
  const random = named(seed, site.hypervisor);
  const onPremise = site.account === '';
  const vendorIds = { regionId: random.uuid(), accountId: random.uuid(), managerId: random.uuid() };
  const shared = onPremise ? { regionId: 'default', accountId: '', managerId: '' } : vendorIds;
  const zones = site.zones.map((zone) => {
    const ofZone = named(seed, site.region + zone);
    return {
      zone,
      zoneId: ofZone.uuid(),
      networkId: ofZone.uuid(),
      vpcId: onPremise ? 'default' : ofZone.uuid(),
    };
  });
  if (site !== kvm) {
    return zones.map((zone, position) => ({
      ...shared,
      ...zone,
      id: random.uuid(),
      name: onPremise ? `${site.hypervisor}-host-${position + 1}` : `${site.account}-sub-${zone.zone}`,
      serial: onPremise ? `SN-BM-${random.hex(6).toUpperCase()}` : '',
      online: true,
      site,
    }));
  }
  const count = Math.max(fewestHosts, Math.ceil((servers * 0.7) / serversPerHost));
  return Array.from({ length: count }, (_, position) => ({
    ...shared,
    ...zones[position % zones.length]!,
    id: random.uuid(),
    name: `kvm-host-${String(position + 1).padStart(4, '0')}`,
    serial: `SN-${random.hex(8).toUpperCase()}`,
    online: position % hostsPerOutage !== 5,
    site,
  }));
}

function named(seed: number, name: string): Random {
  return createRandom(seed, ...Buffer.from(name));
}

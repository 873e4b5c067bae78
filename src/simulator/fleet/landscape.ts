import { domains, environmentOf, projectNames, sharedProjectName, sites, type Site } from './catalogue.ts';
import { createRandom, type Random, type Weighted } from './random.ts';
import type { Row } from './rows.ts';
import { dayMs, stamp } from '../timestamp.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly domain: { readonly id: string; readonly name: string };
}

/** A zone of one site: where hosts are. */
export interface Place {
  readonly site: Site;
  readonly zone: ZoneRecord;
  readonly account_id: string;
  readonly manager_id: string;
  readonly network_id: string;
  readonly vpc_id: string;
}

export interface ZoneRecord extends Row {
  readonly cloudregion: string;
  readonly cloudregion_id: string;
  readonly external_id: string;
  readonly status: string;
  readonly updated_at: string;
}

export interface RegionRecord extends Row {
  readonly enabled: boolean;
  readonly environment: string;
  readonly external_id: string;
  readonly provider: string;
  readonly status: string;
  readonly updated_at: string;
}

export interface Landscape {
  /** Every project that identity knows; the last one never holds a server. */
  readonly projects: readonly Project[];
  readonly populated: Weighted<Project>;
  readonly places: readonly Place[];
  readonly zones: readonly ZoneRecord[];
  readonly regions: readonly RegionRecord[];
}

export function createLandscape(servers: number, seed: number, nowMs: number): Landscape {
  const random = createRandom(seed, 0x1a2d);
  const populated = createProjects(servers, random);
  const since = stamp(nowMs - 1300 * dayMs);
  const places = sites.flatMap(([site]) => createPlaces(site, seed, since));
  const zones = new Map(places.map(({ zone }) => [zone.id, zone]));
  const regions = new Map(places.map((place) => [place.zone.cloudregion_id, regionOf(place, since)]));
  return {
    projects: [...populated, { id: random.hex(32), name: 'empty', domain: domains[0]! }],
    populated: populated.map((project, position) => [project, 1 + 12 / (position + 1)]),
    places,
    zones: [...zones.values()],
    regions: [...regions.values()],
  };
}

function createProjects(servers: number, random: Random): Project[] {
  const [own, other] = domains as [Project['domain'], Project['domain']];
  const wanted = Math.min(60, Math.max(12, Math.round(4 * Math.log2(Math.max(1, servers / 12)))));
  const named = [sharedProjectName, 'system', ...projectNames].slice(0, wanted - 1);
  return [
    ...named.map((name, position) => {
      const domain = position > 1 && position % 3 === 2 ? other : own;
      return { id: random.hex(32), name, domain };
    }),
    { id: random.hex(32), name: sharedProjectName, domain: other },
  ];
}

/** Two sites in one zone agree on what it is. */
function createPlaces(site: Site, seed: number, since: string): Place[] {
  const random = createNamed(seed, site.hypervisor);
  const isOwn = site.account === '';
  const [cloudregion_id, account_id, manager_id] = isOwn
    ? ['default', '', '']
    : [random.uuid(), random.uuid(), random.uuid()];
  return site.zones.map((name) => {
    const ofZone = createNamed(seed, site.region + name);
    const zone = {
      id: ofZone.uuid(),
      name,
      created_at: since,
      updated_at: since,
      status: 'enable',
      cloudregion: site.region,
      cloudregion_id,
      external_id: isOwn ? '' : `${site.regionExternal}/${name}`,
    };
    const network_id = ofZone.uuid();
    return { site, zone, account_id, manager_id, network_id, vpc_id: isOwn ? 'default' : ofZone.uuid() };
  });
}

function regionOf({ site, zone }: Place, since: string): RegionRecord {
  return {
    id: zone.cloudregion_id,
    name: site.region,
    created_at: since,
    updated_at: since,
    enabled: true,
    environment: environmentOf(site) === 'public' ? 'InternationalCloud' : '',
    external_id: site.regionExternal,
    provider: site.provider,
    status: 'inservice',
  };
}

export function createNamed(seed: number, name: string): Random {
  return createRandom(seed, ...Buffer.from(name));
}

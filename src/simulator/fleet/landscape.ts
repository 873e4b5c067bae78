import { domains, environmentOf, projectNames, sharedProjectName, sites, type Site } from './catalogue.ts';
import { createRandom, type Random, type Weighted } from './random.ts';
import type { Row } from './rows.ts';
import { dayMs, stamp } from '../answer.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly domain: { readonly id: string; readonly name: string };
}

export type ZoneRecord = Row &
  Readonly<Record<'cloudregion' | 'cloudregion_id' | 'external_id' | 'status', string>>;
export type RegionRecord = Row &
  Readonly<Record<'environment' | 'external_id' | 'provider' | 'status', string>>;

export interface Landscape {
  /** Every project that identity knows; the last one never holds a server. */
  readonly projects: readonly Project[];
  readonly populated: Weighted<Project>;
  readonly zones: readonly ZoneRecord[];
  readonly regions: readonly RegionRecord[];
}

/** The places are the same in every fleet of a seed; the projects are more where there are more servers. */
export function createLandscape(servers: number, seed: number, nowMs: number): Landscape {
  const random = createRandom(seed, 0x1a2d);
  const populated = createProjects(servers, random);
  const at = { created_at: stamp(nowMs - 1300 * dayMs), updated_at: stamp(nowMs - 1300 * dayMs) };
  const places = sites.flatMap(([site]) =>
    site.zones.map((zone) => ({ site, zone, ...placeIds(site, zone, seed) })),
  );
  const zones = places.map(({ site, zone, zone_id, region_id }): ZoneRecord => {
    const external_id = site.account === '' ? '' : `${site.regionExternal}/${zone}`;
    const region = { cloudregion: site.region, cloudregion_id: region_id };
    return { ...at, ...region, id: zone_id, name: zone, external_id, status: 'enable' };
  });
  const regions = places.map(({ site, region_id }): RegionRecord => {
    const environment = environmentOf(site) === 'public' ? 'InternationalCloud' : '';
    const { region: name, regionExternal: external_id, provider } = site;
    return { ...at, id: region_id, name, environment, external_id, provider, status: 'inservice' };
  });
  return {
    projects: [...populated, { id: random.hex(32), name: 'empty', domain: domains[0]! }],
    populated: populated.map((project, position) => [project, 1 + 12 / (position + 1)]),
    zones: [...new Map(zones.map((zone) => [zone.id, zone])).values()],
    regions: [...new Map(regions.map((region) => [region.id, region])).values()],
  };
}

function createProjects(servers: number, random: Random): Project[] {
  const [own, other] = domains as [Project['domain'], Project['domain']];
  const wanted = Math.min(60, Math.max(12, Math.round(4 * Math.log2(Math.max(1, servers / 12)))));
  const named = [sharedProjectName, 'system', ...projectNames].slice(0, wanted - 1).map((name, position) => {
    const domain = position > 1 && position % 3 === 2 ? other : own;
    return { id: random.hex(32), name, domain };
  });
  return [...named, { id: random.hex(32), name: sharedProjectName, domain: other }];
}

/** Two sites in one zone agree on what it is. */
export function placeIds(site: Pick<Site, 'account' | 'region'>, zone: string, seed: number) {
  return {
    zone_id: createNamed(seed, site.region + zone).uuid(),
    region_id: site.account === '' ? 'default' : createNamed(seed, site.region).uuid(),
  };
}

export function createNamed(seed: number, name: string): Random {
  return createRandom(seed, ...Buffer.from(name));
}

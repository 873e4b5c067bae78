import type { ListedNetwork, ListedStorage, ListedSync, NamedPlace } from '../platform/side-records.ts';
import type { Groups } from './groups.ts';
import type { Overcommit } from './hosts.ts';
import { withDistinctLabels, type Labels } from './label-sets.ts';
import type { PlaceOf } from './names.ts';

/** As it is listed, with labels. */
type Labelled<Item> = Item & { readonly labels: Labels };

/** A storage by region, zone, name, type and medium. Sizes are in the platform's units; undefined where it does not say. */
export interface Storage extends Labelled<ListedStorage> {
  readonly allocatable: number | undefined;
  readonly allocated: number | undefined;
}

/** A network by region, zone, VPC, name and type. */
export type Network = Labelled<ListedNetwork>;

/** What is synchronised, by account, subscription and region. */
export type Sync = Labelled<ListedSync>;

/** What is exported of the lists beside the servers, but for hosts and their devices; undefined where none is served. */
export interface SideSeries {
  /** What it was made from. */
  readonly from: readonly unknown[];
  readonly storages: readonly Storage[] | undefined;
  readonly networks: readonly Network[] | undefined;
  readonly syncs: readonly Sync[] | undefined;
}

type Items<Item> = { readonly items: readonly Item[] } | undefined;

interface Lists {
  readonly storages?: Items<ListedStorage>;
  readonly networks?: Items<ListedNetwork>;
  readonly cloudproviderregions?: Items<ListedSync>;
  readonly zones?: Items<NamedPlace>;
  readonly cloudregions?: Items<NamedPlace>;
}

/** The same as before, where the lists are: most of them are read every few minutes, and seldom change. */
export function sideSeries(
  { storages, networks, cloudproviderregions, zones, cloudregions }: Lists,
  before: SideSeries | undefined,
  groups: Groups,
  overcommit: Overcommit,
): SideSeries {
  const lists = [storages, networks, cloudproviderregions, zones, cloudregions];
  const from = [groups, ...lists.map((list) => list?.items)];
  if (before && from.every((one, index) => one === before.from[index])) return before;
  const placeOf = placesOf({ zones, cloudregions });
  const place = ({ region, zone, zoneId }: ListedStorage | ListedNetwork) => {
    const usual = placeOf(zoneId);
    return [region || usual.region, zone || usual.zone];
  };
  const storagesHere = storages?.items.map((one) => ({
    ...withCapacity(one, overcommit),
    labels: groups.storages.of([...place(one), one.name, one.type, one.mediumType]).labels,
  }));
  const networksHere = networks?.items.map((one) => ({
    ...one,
    labels: groups.networks.of([...place(one), one.vpc, one.name, one.serverType]).labels,
  }));
  const syncs = cloudproviderregions?.items.map((one) => ({
    ...one,
    id: String(Number(one.id)),
    labels: groups.syncs.of([one.account, one.subscription, one.region]).labels,
  }));
  return {
    from,
    storages: storagesHere && withDistinctLabels(storagesHere, 2, groups.storages),
    networks: networksHere && withDistinctLabels(networksHere, 3, groups.networks),
    syncs: syncs && withDistinctLabels(syncs, 1, groups.syncs),
  };
}

function withCapacity(one: ListedStorage, { storage: usualOvercommit }: Overcommit) {
  const { capacity, reserved, overcommit = usualOvercommit, promised, wasted = 0 } = one;
  return {
    ...one,
    allocatable: capacity === undefined ? undefined : Math.floor((capacity - reserved) * overcommit),
    allocated: promised === undefined ? undefined : promised + wasted,
  };
}

/** By the lists of zones and regions. */
export function placesOf({ zones, cloudregions }: Pick<Lists, 'zones' | 'cloudregions'>): PlaceOf {
  const zonesById = new Map(zones?.items.map((zone) => [zone.id, zone]));
  const regions = new Map(cloudregions?.items.map(({ id, name }) => [id, name]));
  return (zoneId) => {
    const { name = '', regionId = '' } = zonesById.get(zoneId) ?? {};
    return { zone: name, region: regions.get(regionId) ?? '' };
  };
}

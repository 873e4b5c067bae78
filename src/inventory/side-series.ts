import type { ListedNetwork, ListedStorage, ListedSync, NamedPlace } from '../platform/side-records.ts';
import type { Groups } from './groups.ts';
import type { Overcommit } from './hosts.ts';
import { withDistinctLabels, type Labels, type LabelSets } from './label-sets.ts';
import type { PlaceOf } from './names.ts';

/** A storage by region, zone, name, type and medium. Sizes are in the platform's units; undefined where it does not say. */
export interface Storage {
  readonly id: string;
  readonly labels: Labels;
  readonly isUp: boolean;
  readonly capacity: number | undefined;
  readonly allocatable: number | undefined;
  readonly allocated: number | undefined;
  readonly used: number | undefined;
}

/** A network by region, zone, VPC, name and type. */
export interface Network extends Pick<ListedNetwork, 'id' | 'isUp' | 'addresses' | 'used'> {
  readonly labels: Labels;
}

/** What is synchronised, by account, subscription and region. */
export interface Sync extends Pick<ListedSync, 'id' | 'isEnabled' | 'syncedAt'> {
  readonly labels: Labels;
}

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
  return {
    from,
    storages: storages && joinStorages(storages.items, placeOf, overcommit, groups.storages),
    networks: networks && joinNetworks(networks.items, placeOf, groups.networks),
    syncs: cloudproviderregions && joinSyncs(cloudproviderregions.items, groups.syncs),
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

export function joinStorages(
  listed: readonly ListedStorage[],
  placeOf: PlaceOf,
  { storage: usualOvercommit }: Overcommit,
  sets: LabelSets,
): readonly Storage[] {
  const storages = listed.map((one): Storage => {
    const { id, isUp, capacity, reserved, overcommit = usualOvercommit, promised, wasted = 0, written } = one;
    const { region, zone } = placeOf(one.zoneId);
    const place = [one.region || region, one.zone || zone];
    return {
      id,
      labels: sets.of([...place, one.name, one.type, one.mediumType]).labels,
      isUp,
      capacity,
      allocatable: capacity === undefined ? undefined : Math.floor((capacity - reserved) * overcommit),
      allocated: promised === undefined ? undefined : promised + wasted,
      used: written,
    };
  });
  return withDistinctLabels(storages, 2, sets);
}

function joinNetworks(
  listed: readonly ListedNetwork[],
  placeOf: PlaceOf,
  sets: LabelSets,
): readonly Network[] {
  const networks = listed.map(({ id, isUp, addresses, used, ...one }): Network => {
    const { region, zone } = placeOf(one.zoneId);
    const place = [one.region || region, one.zone || zone];
    const { labels } = sets.of([...place, one.vpc, one.name, one.serverType]);
    return { id, isUp, addresses, used, labels };
  });
  return withDistinctLabels(networks, 3, sets);
}

function joinSyncs(listed: readonly ListedSync[], sets: LabelSets): readonly Sync[] {
  const syncs = listed.map(({ id, isEnabled, syncedAt, account, subscription, region }): Sync => ({
    id: String(Number(id)),
    isEnabled,
    syncedAt,
    labels: sets.of([account, subscription, region]).labels,
  }));
  return withDistinctLabels(syncs, 1, sets);
}

import type { ListedNetwork, ListedStorage, ListedSync, NamedPlace } from '../platform/side-records.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import type { Groups } from './groups.ts';
import type { Overcommit } from './hosts.ts';
import { withDistinctLabels, type Labels, type LabelSets } from './label-sets.ts';
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
export async function sideSeries(
  { storages, networks, cloudproviderregions, zones, cloudregions }: Lists,
  before: SideSeries | undefined,
  groups: Groups,
  overcommit: Overcommit,
  slices: Slices,
): Promise<SideSeries> {
  const lists = [storages, networks, cloudproviderregions, zones, cloudregions];
  const from = [groups, ...lists.map((list) => list?.items)];
  if (before && from.every((one, index) => one === before.from[index])) return before;
  const placeOf = placesOf({ zones, cloudregions });
  const place = ({ region, zone, zoneId }: ListedStorage | ListedNetwork) => {
    const usual = placeOf(zoneId);
    return [region || usual.region, zone || usual.zone];
  };
  return {
    from,
    storages: await labelAll<ListedStorage, Storage>(storages, 2, groups.storages, slices, (one, sets) => {
      const { capacity, reserved, overcommit: ratio = overcommit.storage, promised, wasted = 0 } = one;
      return {
        ...one,
        labels: sets.of([...place(one), one.name, one.type, one.mediumType]).labels,
        allocatable: capacity === undefined ? undefined : Math.floor((capacity - reserved) * ratio),
        allocated: promised === undefined ? undefined : promised + wasted,
      };
    }),
    networks: await labelAll<ListedNetwork, Network>(networks, 3, groups.networks, slices, (one, sets) => ({
      ...one,
      labels: sets.of([...place(one), one.vpc, one.name, one.serverType]).labels,
    })),
    syncs: await labelAll<ListedSync, Sync>(cloudproviderregions, 1, groups.syncs, slices, (one, sets) => ({
      ...one,
      id: String(Number(one.id)),
      labels: sets.of([one.account, one.subscription, one.region]).labels,
    })),
  };
}

interface Labelling<Item, Series> {
  readonly items: readonly Item[];
  readonly sets: LabelSets;
  readonly label: (item: Item, sets: LabelSets) => Series;
  readonly series: Series[];
}

async function labelAll<Item, Series extends Labelled<{ readonly id: string }>>(
  list: Items<Item>,
  nameAt: number,
  sets: LabelSets,
  slices: Slices,
  label: Labelling<Item, Series>['label'],
): Promise<readonly Series[] | undefined> {
  if (!list) return undefined;
  const labelling: Labelling<Item, Series> = { items: list.items, sets, label, series: [] };
  await inSlices(slices, list.items.length, labelling, labelOne);
  return withDistinctLabels(labelling.series, nameAt, sets);
}

function labelOne<Item, Series>({ items, sets, label, series }: Labelling<Item, Series>, at: number): void {
  series.push(label(items[at]!, sets));
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

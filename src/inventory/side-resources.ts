import {
  readDevice,
  readHost,
  readNetwork,
  readPlaceName,
  readStorage,
  readSync,
  type ListedDevice,
  type ListedHost,
  type ListedNetwork,
  type ListedStorage,
  type ListedSync,
  type NamedPlace,
} from '../platform/side-records.ts';

/** What the configuration says of the lists beside the servers. */
export interface SideSettings {
  readonly per_host: boolean;
  readonly list_hosts: boolean;
  readonly list_storages: boolean;
  readonly list_isolated_devices: boolean;
  readonly list_networks: boolean;
  readonly list_syncs: boolean;
  readonly room_max_age: number;
  readonly details_max_age: number;
}

export interface SideResourceOf<Item> {
  readonly read: (record: unknown) => Item | undefined;
  /** For how long a list is good; undefined if it is not wanted. */
  readonly maxAgeMs: (settings: SideSettings) => number | undefined;
  /** What switches it off. */
  readonly setting?: keyof SideSettings;
  readonly details?: true;
  /** A number that records have in place of an id. */
  readonly key?: string;
  /** What the platform looks up beside each record, with the fields that one lookup fills: an answer may lack it. */
  readonly lookedUp?: readonly (readonly (keyof Item)[])[];
  /** Whether a first list that lacks most of it is read once more: for others, to have none is usual. */
  readonly isReadTwice?: true;
  readonly parameters?: readonly (readonly [string, string])[];
}

/** What is listed beside the servers. One more is an entry here, and a file that reads its records. */
export const sideResources = {
  hosts: {
    read: readHost,
    maxAgeMs: (settings) => (wantsHosts(settings) ? 0 : undefined),
    setting: 'list_hosts',
    parameters: [['show_emulated', 'true']],
  } satisfies SideResourceOf<ListedHost>,
  storages: {
    read: readStorage,
    maxAgeMs: (settings) => (settings.list_storages ? settings.room_max_age : undefined),
    setting: 'list_storages',
    details: true,
    lookedUp: [['promised', 'wasted'], ['region'], ['zone']],
    isReadTwice: true,
  } satisfies SideResourceOf<ListedStorage>,
  isolated_devices: {
    read: readDevice,
    maxAgeMs: (settings) =>
      wantsHosts(settings) && settings.list_isolated_devices ? settings.room_max_age : undefined,
    setting: 'list_isolated_devices',
    parameters: [['show_baremetal_isolated_devices', 'true']],
  } satisfies SideResourceOf<ListedDevice>,
  networks: {
    read: readNetwork,
    maxAgeMs: (settings) => (settings.list_networks ? settings.room_max_age : undefined),
    setting: 'list_networks',
    details: true,
    lookedUp: [['used'], ['region'], ['zone'], ['vpc']],
  } satisfies SideResourceOf<ListedNetwork>,
  cloudproviderregions: {
    read: readSync,
    maxAgeMs: (settings) => (settings.list_syncs ? settings.room_max_age : undefined),
    setting: 'list_syncs',
    details: true,
    key: 'row_id',
    lookedUp: [['account'], ['subscription'], ['region']],
  } satisfies SideResourceOf<ListedSync>,
  zones: { read: readPlaceName, maxAgeMs: namesMaxAgeMs } satisfies SideResourceOf<NamedPlace>,
  cloudregions: { read: readPlaceName, maxAgeMs: namesMaxAgeMs } satisfies SideResourceOf<NamedPlace>,
};
export type SideResource = keyof typeof sideResources;
export type ItemOf<Resource extends SideResource> = NonNullable<
  ReturnType<(typeof sideResources)[Resource]['read']>
>;
export type SideItem = ItemOf<SideResource>;

function wantsHosts({ per_host, list_hosts }: SideSettings): boolean {
  return per_host && list_hosts;
}

/** Of names of zones and regions, where details are never old. */
const usualNamesMaxAgeMs = 1_800_000;

/** Names are read for the hosts alone. */
function namesMaxAgeMs(settings: SideSettings): number | undefined {
  return wantsHosts(settings) ? settings.details_max_age || usualNamesMaxAgeMs : undefined;
}

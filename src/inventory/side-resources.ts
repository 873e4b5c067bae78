import type { WithId } from '../platform/records.ts';
import {
  readDevice,
  readHost,
  readNetwork,
  readPlaceName,
  readStorage,
  readSync,
} from '../platform/side-records.ts';

/** What the configuration says of the lists beside the servers, under its own names. */
export interface SideSettings {
  readonly per_host: boolean;
  readonly list_hosts: boolean;
  readonly list_storages: boolean;
  readonly list_isolated_devices: boolean;
  readonly list_networks: boolean;
  readonly list_syncs: boolean;
  readonly room_max_age: number;
  readonly details_max_age: number;
  readonly max_stale: number;
}

/** A record of any of them, as it is read. */
export interface SideItem extends WithId {
  readonly [field: string]: unknown;
}

export interface SideKind {
  readonly read: (record: unknown) => SideItem | undefined;
  /** What switches it off. */
  readonly setting?: keyof SideSettings;
  /** Whether it is of use only where hosts are exported. */
  readonly isOfHosts?: true;
  /** For how long a list is good, if not for `room_max_age`. */
  readonly maxAgeMs?: (settings: SideSettings) => number;
  readonly details?: true;
  /** A number that records have in place of an id. */
  readonly key?: string;
  /** What the platform looks up beside each record, with the fields that one lookup fills: an answer may lack it. */
  readonly lookedUp?: readonly (readonly string[])[];
  /** Whether a first list that lacks most of it is read once more: for others, to have none is usual. */
  readonly isReadTwice?: true;
  readonly parameters?: readonly (readonly [string, string])[];
}

interface SideKindOf<Item extends SideItem> extends SideKind {
  readonly read: (record: unknown) => Item | undefined;
  readonly lookedUp?: readonly (readonly (keyof NoInfer<Item> & string)[])[];
}

function resource<Item extends SideItem>(kind: SideKindOf<Item>): SideKindOf<Item> {
  return kind;
}

/** What is listed beside the servers. One more is an entry here, and a file that reads its records. */
export const sideResources = {
  hosts: resource({
    read: readHost,
    setting: 'list_hosts',
    isOfHosts: true,
    maxAgeMs: () => 0,
    parameters: [['show_emulated', 'true']],
  }),
  storages: resource({
    read: readStorage,
    setting: 'list_storages',
    details: true,
    lookedUp: [['promised', 'wasted'], ['region'], ['zone']],
    isReadTwice: true,
  }),
  isolated_devices: resource({
    read: readDevice,
    setting: 'list_isolated_devices',
    isOfHosts: true,
    parameters: [['show_baremetal_isolated_devices', 'true']],
  }),
  networks: resource({
    read: readNetwork,
    setting: 'list_networks',
    details: true,
    lookedUp: [['used'], ['region'], ['zone'], ['vpc']],
  }),
  cloudproviderregions: resource({
    read: readSync,
    setting: 'list_syncs',
    details: true,
    key: 'row_id',
    lookedUp: [['account'], ['subscription'], ['region']],
  }),
  zones: resource({ read: readPlaceName, isOfHosts: true, maxAgeMs: namesMaxAgeMs }),
  cloudregions: resource({ read: readPlaceName, isOfHosts: true, maxAgeMs: namesMaxAgeMs }),
};
export type SideResource = keyof typeof sideResources;
export type ItemOf<Resource extends SideResource> = NonNullable<
  ReturnType<(typeof sideResources)[Resource]['read']>
>;

/** Of names of zones and regions, where details are never old. */
const usualNamesMaxAgeMs = 1_800_000;

function namesMaxAgeMs({ details_max_age }: SideSettings): number {
  return details_max_age || usualNamesMaxAgeMs;
}

/** For how long its list is good; undefined if it is not wanted. */
export function maxAgeMsOf(resource: SideResource, settings: SideSettings): number | undefined {
  const { setting, isOfHosts, maxAgeMs }: SideKind = sideResources[resource];
  if (setting && !settings[setting]) return undefined;
  if (isOfHosts && !(settings.per_host && settings.list_hosts)) return undefined;
  return maxAgeMs ? maxAgeMs(settings) : settings.room_max_age;
}

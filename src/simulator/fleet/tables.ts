import type { HostRecord } from './host.ts';
import type { Project, RegionRecord, ZoneRecord } from './landscape.ts';
import type { ServerRecord } from './record.ts';
import type { DeviceRecord, StorageRecord } from './room.ts';
import type { Table } from './rows.ts';

export interface Tables {
  readonly servers: Table<ServerRecord>;
  readonly hosts: Table<HostRecord>;
  readonly storages: Table<StorageRecord>;
  readonly isolated_devices: Table<DeviceRecord>;
  readonly zones: Table<ZoneRecord>;
  readonly cloudregions: Table<RegionRecord>;
}

/** Everything that there is, and what may become of the servers. */
export interface Population {
  readonly tables: Tables;
  readonly bornAtMs: number;
  /** In the platform's list order. Replaced at every change, never changed itself: a page cut from it stays true. */
  readonly servers: readonly ServerRecord[];
  readonly hosts: readonly HostRecord[];
  /** Every project that identity knows. */
  readonly projects: readonly Project[];
  /** Rows of servers that were deleted, the latest last; the oldest are cleaned away in time. */
  readonly tombstones: readonly ServerRecord[];
  create(count: number, patch?: Partial<ServerRecord>): readonly ServerRecord[];
  remove(ids: Iterable<string>, removal?: Removal): void;
  /** A column that changes moves `updated_at` and `update_version`, unless the patch says these itself. */
  change(id: string, patch: Partial<ServerRecord>, moment?: Moment): ServerRecord;
  /** Many at once, for the price of one. */
  changeAll(
    ids: Iterable<string>,
    patchOf: (server: ServerRecord) => Partial<ServerRecord>,
    moment?: Moment,
  ): void;
  setStatus(id: string, status: string): ServerRecord;
  find(id: string): ServerRecord | undefined;
}

export interface Moment {
  /**
   * The time that a change is stamped with, by default now. An earlier one is a change that waited behind a lock and
   * shows after its own time; a later one is a row from the future.
   */
  readonly at?: number;
}

export interface Removal extends Moment {
  /** Deleted with its host or its cloud account: `deleted_at` is the only trace. */
  readonly withHost?: boolean;
}

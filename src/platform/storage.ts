import { isId, isRecord, sizeOf, text, wordOf } from './server.ts';

/** One storage as the detailed list has it; sizes are in the platform's units, and undefined where it does not say. */
export interface ListedStorage {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly type: string;
  readonly mediumType: string;
  readonly isUp: boolean;
  readonly capacity: number | undefined;
  readonly reserved: number;
  /** How much is promised for each that is there, where somebody has set it. */
  readonly overcommit: number | undefined;
  /** What is promised to disks, and what else is taken. */
  readonly promised: number | undefined;
  readonly wasted: number | undefined;
  /** What is really written. */
  readonly written: number | undefined;
}

/** Undefined for a record that is no storage. */
export function readStorage(record: unknown): ListedStorage | undefined {
  if (!isRecord(record)) return undefined;
  const [id, name] = [record['id'], text(record['name'])];
  if (!isId(id) || name === '') return undefined;
  return {
    id,
    name,
    region: text(record['region']) || text(record['cloudregion']),
    zone: text(record['zone']),
    zoneId: text(record['zone_id']),
    type: text(record['storage_type']),
    mediumType: text(record['medium_type']),
    isUp: text(record['status']) === 'online' && wordOf(record['enabled']) !== false,
    capacity: sizeOf(record['capacity']),
    reserved: sizeOf(record['reserved']) ?? 0,
    overcommit: sizeOf(record['cmtbound']) || undefined,
    promised: sizeOf(record['used_capacity']),
    wasted: sizeOf(record['waste_capacity']),
    // 0 means that the platform does not know.
    written: sizeOf(record['actual_capacity_used']) || undefined,
  };
}

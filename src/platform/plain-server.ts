import { timestampOf } from '../timestamp.ts';
import { isId, isRecord, quantityOf } from './required.ts';
import type { Rejection } from './server.ts';
import { toldInFull, type Listed } from './suspicion.ts';

/** What a list without details has of a server, as far as its place, its state and its sizes hang on it. */
export interface Plain extends Listed {
  readonly hostId: string;
  readonly projectId: string;
  /** `update_version`, which grows with each change; undefined on a platform that has none. */
  readonly version: number | undefined;
  /** `updated_at` in whole seconds, as the platform has it; 0 if it has none. */
  readonly changedAt: number;
  /** All other columns that are looked at, as one text. */
  readonly facts: string;
}

const factFields = [
  'status',
  'power_states',
  'pending_deleted',
  'vcpu_count',
  'vmem_size',
  'billing_type',
  'expired_at',
  'release_at',
  'auto_renew',
] as const;

/** The fields to ask for in a list without details. */
export const plainFields: readonly string[] = [
  'id',
  'host_id',
  'tenant_id',
  'update_version',
  'updated_at',
  ...factFields,
];

const lookedUp = ['host', 'zone', 'region', 'project', 'disk', 'disk_count'] as const;

/** Of a record with or without details. `share` gives one copy of a text that many servers have in common. */
export function createPlainReader(share: (text: string) => string): (record: unknown) => Plain | Rejection {
  return (record) => {
    if (!isRecord(record)) return 'not_an_object';
    const raw = record;
    const { id } = raw;
    if (!isId(id)) return 'no_id';
    const sizes = [quantityOf(raw['vcpu_count']), quantityOf(raw['vmem_size'])];
    if (sizes.includes(undefined)) return 'bad_number';
    const version = Number(raw['update_version'] ?? NaN);
    return {
      id,
      mark: 0,
      telling: toldInFull,
      hostId: share(word(raw['host_id'])),
      projectId: share(word(raw['tenant_id'])),
      version: Number.isSafeInteger(version) ? version : undefined,
      changedAt: secondOf(raw['updated_at']),
      facts: share(factFields.map((field) => word(raw[field])).join('\n')),
    };
  };
}

function word(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

/** A moment of the platform in seconds of Unix time, or 0. Seconds, because a small number takes no memory of its own. */
export function secondOf(value: unknown): number {
  return Math.floor((timestampOf(word(value)) ?? 0) / 1000);
}

/** Whether a record has what only details have. */
export function hasDetails(record: unknown): boolean {
  return typeof record === 'object' && record !== null && lookedUp.some((field) => field in record);
}

/** Whether nothing that the list tells has changed in between. */
export function isUnchanged(one: Plain, other: Plain): boolean {
  return (
    one === other ||
    (one.version === other.version &&
      one.hostId === other.hostId &&
      one.projectId === other.projectId &&
      one.facts === other.facts)
  );
}

/** Whether one of them can stand for both. */
export function isSame(one: Plain, other: Plain): boolean {
  return one.changedAt === other.changedAt && isUnchanged(one, other);
}

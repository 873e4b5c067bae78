import {
  flag,
  isId,
  isRecord,
  momentOf,
  quantityOf,
  readEnd,
  text,
  type Rejection,
  type Server,
} from './server.ts';
import { stateOf } from './state.ts';

/** What a server and a list without details both tell of it, as far as its place, its state and its sizes hang on it. */
const told = [
  'version',
  'hostId',
  'projectId',
  'status',
  'state',
  'billingType',
  'endsAt',
  'autoRenew',
  'vcpus',
  'memory',
] as const satisfies readonly (keyof Server)[];
type Told = Pick<Server, (typeof told)[number]>;

/** A server of a list without details. */
export interface Listed extends Told, Pick<Server, 'id' | 'updatedAt'> {
  readonly deletedAt: number | undefined;
  /** Whether it has what only details have. */
  readonly hasDetails: boolean;
}

/** The fields to ask for in a list without details. */
export const listedFields: readonly string[] = [
  'id',
  'host_id',
  'tenant_id',
  'update_version',
  'updated_at',
  'status',
  'power_states',
  'pending_deleted',
  'vcpu_count',
  'vmem_size',
  'billing_type',
  'expired_at',
  'release_at',
  'auto_renew',
];

const lookedUp = ['host', 'zone', 'region', 'project', 'disk', 'disk_count'] as const;

export function readListed(record: unknown): Listed | Rejection {
  if (!isRecord(record)) return 'not_an_object';
  const { id } = record;
  if (!isId(id)) return 'no_id';
  const [vcpus, memory] = [quantityOf(record['vcpu_count']), quantityOf(record['vmem_size'])];
  if (vcpus === undefined || memory === undefined) return 'bad_number';
  const status = text(record['status']);
  const pendingDeleted = flag(record['pending_deleted']);
  return {
    id,
    hostId: text(record['host_id']),
    projectId: text(record['tenant_id']) || text(record['project_id']),
    version: quantityOf(record['update_version']),
    updatedAt: momentOf(record['updated_at']),
    deletedAt: momentOf(record['deleted_at']),
    status,
    state: stateOf({ status, pendingDeleted, power: text(record['power_states']) }),
    billingType: text(record['billing_type']),
    endsAt: readEnd(record),
    autoRenew: flag(record['auto_renew']),
    vcpus,
    memory,
    hasDetails: lookedUp.some((field) => field in record),
  };
}

/** Whether nothing that such a list tells has changed in between; a server that is known in detail has the same. */
export function isAsListed(known: Told, listed: Told): boolean {
  return told.every((field) => known[field] === listed[field]);
}

import { flag, isId, isRecord, momentOf, quantityOf, readEnd, text, type Rejection } from './server.ts';
import { stateOf, type State } from './state.ts';

/** What a list without details has of a server, as far as its place, its state and its sizes hang on it. */
export interface Listed {
  readonly id: string;
  readonly hostId: string;
  readonly projectId: string;
  /** `update_version`; undefined on a platform that has none. */
  readonly version: number | undefined;
  readonly updatedAt: number | undefined;
  readonly deletedAt: number | undefined;
  readonly status: string;
  readonly state: State;
  readonly billingType: string;
  readonly endsAt: number | undefined;
  readonly autoRenew: boolean;
  readonly vcpus: number;
  readonly memory: number;
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
export function isAsListed(known: Compared, listed: Compared): boolean {
  return (
    known.version === listed.version &&
    known.hostId === listed.hostId &&
    known.projectId === listed.projectId &&
    known.status === listed.status &&
    known.state === listed.state &&
    known.billingType === listed.billingType &&
    known.endsAt === listed.endsAt &&
    known.autoRenew === listed.autoRenew &&
    known.vcpus === listed.vcpus &&
    known.memory === listed.memory
  );
}

type Compared = Omit<Listed, 'id' | 'updatedAt' | 'deletedAt' | 'hasDetails'>;

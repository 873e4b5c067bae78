import { fieldsOf, leastServer, readEnd, type Rejection, type Server } from './server.ts';
import { flag, isId, isRecord, momentOf, quantityOf, text } from './values.ts';
import { stateOf } from './state.ts';

/** A server of a list without details: what the lists with and without them both have of it. */
export type PlainServer = Readonly<Exclude<ReturnType<typeof readPlainServer>, Rejection>>;

const detailed = ['host', 'zone', 'region', 'project', 'disk', 'disk_count'] as const;

export function readPlainServer(record: unknown) {
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
    backupHostId: text(record['backup_host_id']),
    projectId: text(record['tenant_id']) || text(record['project_id']),
    version: quantityOf(record['update_version']),
    updatedAt: momentOf(record['updated_at']),
    status,
    state: stateOf({ status, pendingDeleted, power: text(record['power_states']) }),
    pendingDeleted,
    billingType: text(record['billing_type']),
    endsAt: readEnd(record),
    autoRenew: flag(record['auto_renew']),
    vcpus,
    memory,
  } satisfies Partial<Server>;
}

/** The fields to ask for in a list without details. */
export const plainFields: readonly string[] = fieldsOf(readPlainServer);

/** Whether a record has what only details have. */
export function hasDetails(record: unknown): boolean {
  return isRecord(record) && detailed.some((field) => field in record);
}

const shared = Object.keys(readPlainServer(leastServer)) as readonly (keyof PlainServer)[];

/** Whether two records of a server, with details or without, say the same. */
export function agrees(one: PlainServer, other: PlainServer): boolean {
  for (const field of shared) if (one[field] !== other[field]) return false;
  return true;
}

/** Whether a record is of an earlier time than another one of the same server. */
export function isOlder(one: PlainServer, than: PlainServer): boolean {
  if (one.version !== than.version) return (one.version ?? 0) < (than.version ?? 0);
  return (one.updatedAt ?? 0) < (than.updatedAt ?? 0);
}

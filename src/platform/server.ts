import { timestampOf } from '../timestamp.ts';
import { isId, isRecord, quantityOf } from './required.ts';
import { stateOf, type State } from './state.ts';

export interface Device {
  readonly type: string;
  readonly model: string;
}

/** One disk, as far as it is told apart from others. */
export interface DiskPart {
  readonly storageType: string;
  readonly mediumType: string;
  readonly size: number;
}

export interface Nic {
  readonly network: string;
  readonly ipv4: string;
  readonly ipv6: string;
}

/** One server as the exporter knows it. Absent, null and empty are the same: ''. Sizes are in the platform's units. */
export interface Server {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly state: State;
  readonly region: string;
  readonly zone: string;
  readonly hypervisor: string;
  readonly projectDomain: string;
  readonly project: string;
  readonly host: string;
  readonly hostId: string;
  readonly projectId: string;
  readonly hostStatus: string;
  readonly hostServiceStatus: string;
  readonly backupHostStatus: string;
  readonly osType: string;
  readonly instanceType: string;
  readonly brand: string;
  readonly billingType: string;
  readonly ips: string;
  readonly eip: string;
  readonly nics: readonly Nic[];
  readonly hasPublicAddress: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Its end, in milliseconds of Unix time: read once, and asked for many times. */
  readonly endsAt: number | undefined;
  readonly autoRenew: boolean;
  readonly pendingDeleted: boolean;
  readonly isGpu: boolean;
  readonly devices: readonly Device[];
  readonly vcpus: number;
  readonly memory: number;
  readonly disk: number;
  readonly disks: number;
  /** Single disks, where the list has them. */
  readonly diskParts: readonly DiskPart[];
  /** Values of the configured extra labels, in their order. */
  readonly extra: readonly string[];
}

export const rejections = ['not_an_object', 'no_id', 'bad_number'] as const;
export type Rejection = (typeof rejections)[number];

/** More than this is not a name that somebody reads, and each scrape would carry it. */
const longestLabel = 1024;

type Raw = Readonly<Record<string, unknown>>;

export type ReadServer = (record: unknown) => Server | Rejection;

/** `sources` are the configured extra labels: a field, or `metadata.KEY`. No other metadata is looked at. */
export function createServerReader(sources: readonly string[]): ReadServer {
  const extras = sources.map((source) =>
    source.startsWith('metadata.')
      ? (raw: Raw) => text(object(raw['metadata'])[source.slice('metadata.'.length)])
      : (raw: Raw) => text(raw[source]),
  );
  const read: ReadServer = (record) => {
    if (!isRecord(record)) return 'not_an_object';
    const raw: Raw = record;
    const { id } = raw;
    if (!isId(id)) return 'no_id';
    const [vcpus, memory] = [quantityOf(raw['vcpu_count']), quantityOf(raw['vmem_size'])];
    const [disk, disks] = [quantityOf(raw['disk']), quantityOf(raw['disk_count'])];
    if (vcpus === undefined || memory === undefined || disk === undefined || disks === undefined)
      return 'bad_number';
    // Everything else is read leniently, so that one new field breaks nothing.
    const status = text(raw['status']);
    const pendingDeleted = flag(raw['pending_deleted']);
    return {
      id,
      name: text(raw['name']),
      status,
      state: stateOf({ status, pendingDeleted, power: text(raw['power_states']) }),
      region: text(raw['region']) || text(raw['cloudregion']),
      zone: text(raw['zone']),
      hypervisor: text(raw['hypervisor']),
      projectDomain: text(raw['project_domain']),
      project: text(raw['project']) || text(raw['tenant']),
      host: text(raw['host']),
      hostId: text(raw['host_id']),
      projectId: text(raw['tenant_id']) || text(raw['project_id']),
      hostStatus: text(raw['host_status']),
      hostServiceStatus: text(raw['host_service_status']),
      backupHostStatus: text(raw['backup_host_status']),
      osType: text(raw['os_type']),
      instanceType: text(raw['instance_type']),
      brand: text(raw['brand']),
      billingType: text(raw['billing_type']),
      ips: text(raw['ips']),
      eip: text(raw['eip']),
      nics: all(raw['nics'], readNic),
      hasPublicAddress: text(raw['eip']) !== '' || all(raw['nics'], isExit).includes(true),
      createdAt: text(raw['created_at']),
      updatedAt: text(raw['updated_at']),
      endsAt: readEnd(raw),
      autoRenew: flag(raw['auto_renew']),
      pendingDeleted,
      isGpu: flag(raw['is_gpu']),
      devices: all(raw['isolated_devices'], readDevice),
      vcpus,
      memory,
      disk,
      disks,
      diskParts: all(raw['disks_info'], readDisk),
      extra: extras.length === 0 ? none : extras.map((one) => one(raw)),
    };
  };
  for (let shape = 0; shape < manyShapes; shape += 1) read({ ...smallest, [`shape ${shape}`]: true });
  return read;
}

/** The least that is a server. */
export const smallest = { id: '-', vcpu_count: 0, vmem_size: 0, disk: 0, disk_count: 0 };

/**
 * Servers lack one field or the other, so their records have many shapes. An engine that has seen so compiles the reader
 * once for all of them, and not first for one, then for four, and for all at last.
 */
const manyShapes = 16;

function readDevice(value: unknown): Device {
  const raw = object(value);
  return { type: text(raw['dev_type']), model: text(raw['model']) };
}

/** Before this, it is no end but an empty moment, such as the year 1 in which Go's clock starts. */
const firstEnd = Date.UTC(1971, 0);

/** Newer releases write the planned end of a postpaid server as `release_at`. */
function readEnd(raw: Raw): number | undefined {
  const release = raw['billing_type'] === 'prepaid' ? undefined : endOf(raw['release_at']);
  return release ?? endOf(raw['expired_at']);
}

function endOf(value: unknown): number | undefined {
  const end = timestampOf(text(value));
  return end !== undefined && end >= firstEnd ? end : undefined;
}

function readNic(value: unknown): Nic {
  const raw = object(value);
  return { network: text(raw['network_id']), ipv4: text(raw['ip_addr']), ipv6: text(raw['ip6_addr']) };
}

function isExit(nic: unknown): boolean {
  return flag(object(nic)['is_exit']);
}

function readDisk(value: unknown): DiskPart {
  const raw = object(value);
  return {
    storageType: text(raw['storage_type']),
    mediumType: text(raw['medium_type']),
    size: quantityOf(raw['size']) ?? 0,
  };
}

const nothing: Raw = {};
/** One empty list for all: most servers have no device, and a large fleet is kept. */
const none: readonly never[] = [];

/**
 * Half a surrogate pair has no UTF-8 form, and a text may be too long for a label: replaced and cut here,
 * before servers are counted, so that two names which become one are one series.
 */
export function text(value: unknown): string {
  if (typeof value !== 'string') return '';
  return (value.length > longestLabel ? `${value.slice(0, longestLabel - 1)}…` : value).toWellFormed();
}

function flag(value: unknown): boolean {
  return value === true || value === 'true';
}

function all<Item>(value: unknown, read: (item: unknown) => Item): readonly Item[] {
  return Array.isArray(value) && value.length > 0 ? value.map(read) : none;
}

function object(value: unknown): Raw {
  return typeof value === 'object' && value !== null ? (value as Raw) : nothing;
}

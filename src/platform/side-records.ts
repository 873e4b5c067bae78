import { flag, isId, isRecord, momentOf, quantityOf, sizeOf, text, wordOf, type Raw } from './values.ts';

type ReadBy<Reader extends (record: unknown) => object | undefined> = Readonly<
  NonNullable<ReturnType<Reader>>
>;

/** Whether it has an id, and a name to tell it from others. */
function isNamed(record: unknown): record is Raw & { readonly id: string } {
  return isRecord(record) && isId(record['id']) && text(record['name']) !== '';
}

function regionOf(record: Raw): string {
  return text(record['region']) || text(record['cloudregion']);
}

export const bareMetal = 'baremetal';

const maintenance: ReadonlySet<string> = new Set(['start_maintain', 'maintaining', 'maintain_fail']);
/** In kibibytes: larger pages are huge. */
const usualPageSize = 4;

/**
 * One host as the list of hosts has it, without names of its place. Sizes are in the platform's units; undefined is what
 * the platform does not say.
 */
export type ListedHost = ReadBy<typeof readHost>;

/** Undefined for a record that is no host: one without an id, or without a name to tell it from others. */
export function readHost(record: unknown) {
  if (!isNamed(record)) return undefined;
  const type = text(record['host_type']);
  const hypervisor = type === 'hypervisor' ? 'kvm' : type;
  const isEnabled = wordOf(record['enabled']);
  const status = text(record['status']);
  const service = text(record['host_status']);
  const isInReach = service === '' ? undefined : service !== 'offline';
  const isKnown = status !== '' && service !== '' && isEnabled !== undefined;
  return {
    id: record.id,
    name: text(record['name']),
    zoneId: text(record['zone_id']),
    /** The word that servers carry. */
    hypervisor,
    /** A stand-in for the hosts of a public cloud: it has a name, and nothing else. */
    isEmulated: flag(record['is_emulated']),
    // The platform calls all bare metal offline, from the start.
    isUp: hypervisor === bareMetal ? isWell(status) : isInReach,
    isEnabled,
    isInMaintenance: isInMaintenance(record, status),
    /** Whether the platform's scheduler would put a virtual machine there. */
    isSchedulable: isKnown
      ? isEnabled && status === 'running' && service !== 'offline' && hypervisor !== bareMetal
      : undefined,
    cpus: sizeOf(record['cpu_count']),
    reservedCpus: sizeOf(record['cpu_reserved']) ?? 0,
    memory: sizeOf(record['mem_size']),
    reservedMemory: sizeOf(record['mem_reserved']) ?? 0,
    storage: sizeOf(record['storage_size']),
    /** How many virtual ones are promised for a real one. The platform writes 0 where nobody has set it. */
    cpuOvercommit: sizeOf(record['cpu_cmtbound']) || undefined,
    memoryOvercommit: sizeOf(record['mem_cmtbound']) || undefined,
    /** Memory in huge pages can be promised once only. */
    hasHugePages: (sizeOf(record['page_size_kb']) ?? 0) > usualPageSize,
  };
}

function isInMaintenance(record: Raw, status: string): boolean | undefined {
  const isFlagged = wordOf(record['is_maintenance']);
  if (status === '' && isFlagged === undefined) return undefined;
  return maintenance.has(status) || isFlagged === true;
}

function isWell(status: string): boolean | undefined {
  return status === '' ? undefined : status !== 'unknown' && !status.includes('fail');
}

/** One storage as the detailed list has it; sizes are in the platform's units, and undefined where it does not say. */
export type ListedStorage = ReadBy<typeof readStorage>;

/** Undefined for a record that is no storage. */
export function readStorage(record: unknown) {
  if (!isNamed(record)) return undefined;
  return {
    id: record.id,
    name: text(record['name']),
    region: regionOf(record),
    zone: text(record['zone']),
    zoneId: text(record['zone_id']),
    type: text(record['storage_type']),
    mediumType: text(record['medium_type']),
    isUp: text(record['status']) === 'online' && wordOf(record['enabled']) !== false,
    capacity: sizeOf(record['capacity']),
    reserved: sizeOf(record['reserved']) ?? 0,
    /** How much is promised for each that is there, where somebody has set it. */
    overcommit: sizeOf(record['cmtbound']) || undefined,
    /** What is promised to disks, and what else is taken. */
    promised: sizeOf(record['used_capacity']),
    wasted: sizeOf(record['waste_capacity']),
    /** What is really written; 0 means that the platform does not know. */
    written: sizeOf(record['actual_capacity_used']) || undefined,
  };
}

/** What the platform keeps for a GPU that does not say. */
const usuallyReserved = 8;

/** One device that can be passed through to a server. */
export type ListedDevice = ReadBy<typeof readDevice>;

/** Undefined for a record that is no device. */
export function readDevice(record: unknown) {
  if (!isRecord(record) || !isId(record['id'])) return undefined;
  const type = text(record['dev_type']);
  return {
    id: record['id'],
    hostId: text(record['host_id']),
    type,
    model: text(record['model']),
    /** '' for one that no server has. */
    serverId: text(record['guest_id']),
    /** CPUs of its host that are kept for servers with devices. */
    reservedCpus: type.startsWith('GPU') ? (sizeOf(record['reserved_cpu']) ?? usuallyReserved) : 0,
  };
}

/** One range of IPv4 addresses as the detailed list has it; numbers are undefined where it does not say. */
export type ListedNetwork = ReadBy<typeof readNetwork>;

/** Undefined for a record that is no network. */
export function readNetwork(record: unknown) {
  if (!isNamed(record)) return undefined;
  const [addresses, used] = [quantityOf(record['ports']), quantityOf(record['ports_used'])];
  return {
    id: record.id,
    name: text(record['name']),
    region: regionOf(record),
    zone: text(record['zone']),
    /** '' for a network that is in no zone. */
    zoneId: text(record['zone_id']),
    vpc: text(record['vpc']),
    serverType: text(record['server_type']),
    isUp: text(record['status']) === 'available',
    addresses,
    /** Never more than there are: some releases count load balancers twice. */
    used: addresses === undefined || used === undefined ? undefined : Math.min(used, addresses),
  };
}

const longestKey = String(Number.MAX_SAFE_INTEGER).length;

/** What is synchronised of one subscription in one region of another cloud. */
export type ListedSync = ReadBy<typeof readSync>;

/** Undefined for a record without its key. */
export function readSync(record: unknown) {
  if (!isRecord(record)) return undefined;
  const key = quantityOf(record['row_id']);
  if (key === undefined || !Number.isInteger(key)) return undefined;
  // While one runs there is no end, or that of the one before.
  const [began, ended] = [momentOf(record['last_sync']), momentOf(record['last_sync_end_at'])];
  return {
    /** The key of the record, a number, so that texts are in its order. */
    id: String(key).padStart(longestKey, '0'),
    account: text(record['cloudaccount']),
    subscription: text(record['cloudprovider']),
    region: regionOf(record),
    /** Undefined where the platform does not say. */
    isEnabled: wordOf(record['enabled']),
    /** When the latest one ended, or began where it has not ended; undefined where there was none. */
    syncedAt: Math.max(began ?? 0, ended ?? 0) || undefined,
  };
}

/** A zone, or a region, which is in no other one. */
export type NamedPlace = ReadBy<typeof readPlaceName>;

/** Undefined for a record without an id or a name. */
export function readPlaceName(record: unknown) {
  if (!isNamed(record)) return undefined;
  return { id: record.id, name: text(record['name']), regionId: text(record['cloudregion_id']) };
}

import { flag, isId, isRecord, sizeOf, text, wordOf, type Raw } from './server.ts';

/** One host as the list of hosts has it, without names of its place. Sizes are in the platform's units. */
export interface ListedHost {
  readonly id: string;
  readonly name: string;
  readonly zoneId: string;
  /** The word that servers carry. */
  readonly hypervisor: string;
  /** A stand-in for the hosts of a public cloud: it has a name, and nothing else. */
  readonly isEmulated: boolean;
  /** Undefined, as each of the others, where the platform does not say. */
  readonly isUp: boolean | undefined;
  readonly isEnabled: boolean | undefined;
  readonly isInMaintenance: boolean | undefined;
  /** Whether the platform's scheduler would put a virtual machine there. */
  readonly isSchedulable: boolean | undefined;
  readonly cpus: number | undefined;
  readonly reservedCpus: number;
  readonly memory: number | undefined;
  readonly reservedMemory: number;
  readonly storage: number | undefined;
  /** How many virtual ones are promised for a real one, where somebody has set it. */
  readonly cpuOvercommit: number | undefined;
  readonly memoryOvercommit: number | undefined;
  /** Memory in huge pages can be promised once only. */
  readonly hasHugePages: boolean;
}

export const bareMetal = 'baremetal';

const maintenance: ReadonlySet<string> = new Set(['start_maintain', 'maintaining', 'maintain_fail']);
/** In kibibytes: larger pages are huge. */
const usualPageSize = 4;

/** Undefined for a record that is no host: one without an id, or without a name to tell it from others. */
export function readHost(record: unknown): ListedHost | undefined {
  if (!isRecord(record)) return undefined;
  const [id, name] = [record['id'], text(record['name'])];
  if (!isId(id) || name === '') return undefined;
  const type = text(record['host_type']);
  const hypervisor = type === 'hypervisor' ? 'kvm' : type;
  const isEnabled = wordOf(record['enabled']);
  const status = text(record['status']);
  const service = text(record['host_status']);
  const isInReach = service === '' ? undefined : service !== 'offline';
  const isKnown = status !== '' && service !== '' && isEnabled !== undefined;
  return {
    id,
    name,
    zoneId: text(record['zone_id']),
    hypervisor,
    isEmulated: flag(record['is_emulated']),
    // The platform calls all bare metal offline, from the start.
    isUp: hypervisor === bareMetal ? isWell(status) : isInReach,
    isEnabled,
    isInMaintenance: isInMaintenance(record, status),
    isSchedulable: isKnown
      ? isEnabled && status === 'running' && service !== 'offline' && hypervisor !== bareMetal
      : undefined,
    cpus: sizeOf(record['cpu_count']),
    reservedCpus: sizeOf(record['cpu_reserved']) ?? 0,
    memory: sizeOf(record['mem_size']),
    reservedMemory: sizeOf(record['mem_reserved']) ?? 0,
    storage: sizeOf(record['storage_size']),
    // The platform writes 0 where none is set.
    cpuOvercommit: sizeOf(record['cpu_cmtbound']) || undefined,
    memoryOvercommit: sizeOf(record['mem_cmtbound']) || undefined,
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

import { text } from './server.ts';

/** One host as the list of hosts has it, without names of its place. Sizes are in the platform's units. */
export interface ListedHost {
  readonly id: string;
  readonly name: string;
  readonly zoneId: string;
  /** Undefined, as each of the others, where the platform does not say. */
  readonly isUp: boolean | undefined;
  readonly isEnabled: boolean | undefined;
  /** What servers may have of it: without what the platform keeps for itself. */
  readonly cpus: number | undefined;
  readonly memory: number | undefined;
  readonly storage: number | undefined;
  /** How many virtual ones the platform promises for a real one. */
  readonly cpuOvercommit: number | undefined;
  readonly memoryOvercommit: number | undefined;
}

/** The columns that `readHost` reads. A test holds this list against the reader. */
export const hostFields = [
  'id',
  'name',
  'zone_id',
  'host_status',
  'enabled',
  'cpu_count',
  'cpu_reserved',
  'cpu_cmtbound',
  'mem_size',
  'mem_reserved',
  'mem_cmtbound',
  'storage_size',
] as const;

type Raw = Readonly<Record<string, unknown>>;

/** Undefined for a record that is no host: one without an id, or without a name to tell it from others. */
export function readHost(record: unknown): ListedHost | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const raw = record as Raw;
  const [id, name, status] = [text(raw['id']), text(raw['name']), text(raw['host_status'])];
  if (id === '' || name === '') return undefined;
  return {
    id,
    name,
    zoneId: text(raw['zone_id']),
    isUp: status === '' ? undefined : status !== 'offline',
    isEnabled: yesOrNo(raw['enabled']),
    cpus: less(number(raw['cpu_count']), number(raw['cpu_reserved'])),
    memory: less(number(raw['mem_size']), number(raw['mem_reserved'])),
    storage: number(raw['storage_size']),
    // The platform writes 0 where no bound was set, and then goes by a default of its own.
    cpuOvercommit: number(raw['cpu_cmtbound']) || undefined,
    memoryOvercommit: number(raw['mem_cmtbound']) || undefined,
  };
}

/** Numbers may come as digits. */
function number(value: unknown): number | undefined {
  const parsed = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof parsed !== 'number') return undefined;
  return parsed >= 0 && parsed <= Number.MAX_SAFE_INTEGER ? parsed : undefined;
}

function yesOrNo(value: unknown): boolean | undefined {
  const word = String(value);
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

function less(size: number | undefined, reserved = 0): number | undefined {
  return size === undefined ? undefined : Math.max(0, size - reserved);
}

/** Where a host is, by name. Absent, null and empty are the same: ''. */
export interface HostPlace {
  readonly region: string;
  readonly zone: string;
}

/** The names that only a detailed record has. */
export function readHostPlace(record: Raw): HostPlace {
  return { region: text(record['region']) || text(record['cloudregion']), zone: text(record['zone']) };
}

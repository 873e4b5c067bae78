import { z } from 'zod';
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

const quantity = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);
const digits = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number)
  .pipe(quantity);
const number = z.union([quantity, digits]).optional().catch(undefined);

const shape = z.object({
  // A host without a name cannot be told from others.
  id: z.string().min(1).max(256),
  name: z.string().min(1),
  zone_id: z.string().catch(''),
  host_status: z.string().catch(''),
  enabled: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  cpu_count: number,
  cpu_reserved: number,
  cpu_cmtbound: number,
  mem_size: number,
  mem_reserved: number,
  mem_cmtbound: number,
  storage_size: number,
});

/** Undefined for a record that is no host. */
export function readHost(record: unknown): ListedHost | undefined {
  const parsed = shape.safeParse(record);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  return {
    id: data.id,
    name: text(data.name),
    zoneId: data.zone_id,
    isUp: data.host_status === '' ? undefined : data.host_status !== 'offline',
    isEnabled: data.enabled,
    cpus: less(data.cpu_count, data.cpu_reserved),
    memory: less(data.mem_size, data.mem_reserved),
    storage: data.storage_size,
    // The platform writes 0 where no bound was set, and then goes by a default of its own.
    cpuOvercommit: data.cpu_cmtbound || undefined,
    memoryOvercommit: data.mem_cmtbound || undefined,
  };
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
export function readHostPlace(record: Readonly<Record<string, unknown>>): HostPlace {
  return { region: text(record['region']) || text(record['cloudregion']), zone: text(record['zone']) };
}

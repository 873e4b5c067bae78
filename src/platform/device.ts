import { isId, isRecord, sizeOf, text, type Device } from './server.ts';

/** One device that can be passed through to a server. */
export interface ListedDevice extends Device {
  readonly hostId: string;
  /** '' for one that no server has. */
  readonly serverId: string;
  /** CPUs of its host that are kept for servers with devices. */
  readonly reservedCpus: number;
}

/** What the platform keeps for a GPU that does not say. */
const usuallyReserved = 8;

/** Undefined for a record that is no device. */
export function readDevice(record: unknown): ListedDevice | undefined {
  if (!isRecord(record)) return undefined;
  const { id } = record;
  if (!isId(id)) return undefined;
  const type = text(record['dev_type']);
  return {
    id,
    hostId: text(record['host_id']),
    type,
    model: text(record['model']),
    serverId: text(record['guest_id']),
    reservedCpus: type.startsWith('GPU') ? (sizeOf(record['reserved_cpu']) ?? usuallyReserved) : 0,
  };
}

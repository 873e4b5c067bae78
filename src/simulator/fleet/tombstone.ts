import type { ServerRecord } from './record.ts';
import { stamp } from '../timestamp.ts';

/** The row that is left of a deleted server: its disks, devices and addresses are gone. */
export function createTombstone(server: ServerRecord, at: number): ServerRecord {
  return {
    ...server,
    deleted: true,
    deleted_at: stamp(at),
    disk: 0,
    disk_count: 0,
    disks: '',
    disks_info: [],
    eip: '',
    eip_mode: '',
    ips: '',
    is_gpu: false,
    isolated_devices: [],
    metadata: {},
    networks: '',
    nics: [],
  };
}

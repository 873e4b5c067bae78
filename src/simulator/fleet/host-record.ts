import type { Host } from './landscape.ts';
import { createRandom, type Random } from './random.ts';
import type { ServerRecord } from './record.ts';
import { dayMs, stamp } from '../timestamp.ts';

/** A host as `GET /hosts` has it: its columns, and the names that only details bring. Sizes are mebibytes. */
export interface HostRecord {
  readonly cpu_cmtbound: number;
  readonly cpu_count: number;
  readonly cpu_reserved: number;
  readonly created_at: string;
  readonly deleted: boolean;
  readonly domain_id: string;
  readonly enabled: boolean;
  /** Whether its agent is heard of: `online` or `offline`. */
  readonly host_status: string;
  readonly host_type: string;
  readonly id: string;
  readonly is_emulated: boolean;
  readonly mem_cmtbound: number;
  readonly mem_reserved: number;
  readonly mem_size: number;
  readonly name: string;
  readonly sn: string;
  readonly status: string;
  readonly storage_size: number;
  readonly update_version: number;
  readonly updated_at: string;
  readonly zone_id: string;
  readonly brand: string;
  readonly cloudregion: string;
  readonly cloudregion_id: string;
  readonly provider: string;
  readonly region: string;
  readonly region_id: string;
  readonly zone: string;
}

/** What servers take of a host. */
export interface Load {
  vcpus: number;
  memory: number;
  disk: number;
}

export interface HostPlan {
  readonly host: Host;
  readonly load: Load;
  readonly enabled: boolean;
  readonly seed: number;
  readonly nowMs: number;
}

export function createHostRecord({ host, load, enabled, seed, nowMs }: HostPlan): HostRecord {
  const { site } = host;
  const random = createRandom(seed, ...Buffer.from(host.id));
  const createdAt = stamp(nowMs - (400 + random.below(800)) * dayMs);
  return {
    ...(site.cloudEnvironment === 'public' ? noCapacity : capacityFor(host, load, random)),
    created_at: createdAt,
    deleted: false,
    domain_id: 'default',
    enabled,
    ...agentFields(host.online),
    host_type: site.hostType,
    id: host.id,
    is_emulated: site.cloudEnvironment === 'public',
    name: host.name,
    sn: host.serial,
    update_version: random.below(30),
    updated_at: createdAt,
    zone_id: host.zoneId,
    brand: site.provider,
    cloudregion: site.region,
    cloudregion_id: host.regionId,
    provider: site.provider,
    region: site.region,
    region_id: host.regionId,
    zone: host.zone,
  };
}

export function agentFields(online: boolean) {
  return { host_status: online ? 'online' : 'offline', status: online ? 'running' : 'unknown' };
}

const gibibyte = 1024;
const coreCounts = [32, 48, 64, 96, 128];
const noCapacity = {
  cpu_cmtbound: 1,
  cpu_count: 0,
  cpu_reserved: 0,
  mem_cmtbound: 1,
  mem_reserved: 0,
  mem_size: 0,
  storage_size: 0,
};

/** How much more memory than its servers take a host has. One zone is nearly full, and fills up as the fleet lives. */
const memoryPerUsed: Readonly<Record<string, number>> = {
  'beijing-a': 1.9,
  'beijing-b': 1.5,
  'shanghai-a': 1.2,
};
export const fillingZone = 'shanghai-a';

function capacityFor({ site, zone }: Host, load: Load, random: Random) {
  const isVirtual = site.hypervisor !== 'baremetal';
  const bounds = { cpu_cmtbound: isVirtual ? 8 : 1, mem_cmtbound: 1 };
  const cpu_reserved = isVirtual ? 2 : 0;
  const mem_reserved = isVirtual ? 8 * gibibyte : 0;
  const cores = Math.ceil(load.vcpus / bounds.cpu_cmtbound) + cpu_reserved;
  const step = (zone === fillingZone ? 16 : 64) * gibibyte;
  const least = zone === fillingZone ? step : 4 * step;
  const memory = load.memory * (isVirtual ? (memoryPerUsed[zone] ?? 1.6) : 1.5) + mem_reserved;
  return {
    ...bounds,
    cpu_count: coreCounts.find((count) => count >= cores * 1.5) ?? Math.ceil(cores * 1.5),
    cpu_reserved,
    mem_reserved,
    mem_size: Math.max(least, Math.ceil(memory / step) * step),
    storage_size: Math.ceil((load.disk * (1.2 + random.next())) / (1000 * gibibyte) + 1) * 1000 * gibibyte,
  };
}

/** By host, the servers in the recycle bin too: these still hold their place until they are gone. */
export function loadsOf(servers: readonly ServerRecord[]): Map<string, Load> {
  const loads = new Map<string, Load>();
  for (const server of servers) addLoad(loads, server);
  return loads;
}

export function addLoad(
  loads: Map<string, Load>,
  { host_id, vcpu_count, vmem_size, disk }: ServerRecord,
): void {
  if (host_id === '') return;
  const load = loads.get(host_id) ?? { vcpus: 0, memory: 0, disk: 0 };
  load.vcpus += vcpu_count;
  load.memory += vmem_size;
  load.disk += disk;
  loads.set(host_id, load);
}

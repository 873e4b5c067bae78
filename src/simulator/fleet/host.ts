import { dayMs, stamp } from '../answer.ts';
import { placeIds, type Site } from './places.ts';
import { createNamed } from './random.ts';

/** A host as `GET /hosts` has it: its columns, and the names that only details bring. Sizes are mebibytes. */
export type HostRecord = Readonly<ReturnType<typeof createHost>>;

interface HostPlan extends Readonly<Record<'position' | 'place' | 'seed' | 'nowMs', number>> {
  readonly site: Site;
}

/** One of its site, in the zone of that place. It has nothing yet, unless it is a machine that one server gets. */
export function createHost({ site, position, place, seed, nowMs }: HostPlan) {
  const { account, provider, hypervisor, environment, region } = site;
  const [isPublic, isOwn] = [environment === 'public', account === ''];
  const zone = site.zones[place % site.zones.length]!;
  const number = String(position + 1).padStart(4, '0');
  const name = isPublic ? `${account}-sub-${zone}` : `${hypervisor}-host-${number}`;
  const named = { account, name, provider, region, zone };
  const random = createNamed(seed, `${hypervisor} ${name}`);
  const since = stamp(nowMs - (400 + random.below(800)) * dayMs);
  return {
    ...kindOf(hypervisor, position),
    ...placeIds(site, zone, seed),
    ...named,
    access_ip: hypervisor === 'kvm' ? `10.200.${(position >> 8) & 255}.${position & 255}` : '',
    brand: provider,
    cloud_env: environment,
    created_at: since,
    domain_id: 'default',
    external_id: isOwn ? '' : `host-${position}`,
    host_type: hypervisor === 'kvm' ? 'hypervisor' : hypervisor,
    id: random.uuid(),
    is_baremetal: hypervisor === 'baremetal',
    is_emulated: isPublic,
    manager: isOwn ? '' : `${account}-sub`,
    manager_id: isOwn ? '' : createNamed(seed, `manager${account}`).uuid(),
    sn: isOwn ? `SN-${random.hex(8).toUpperCase()}` : '',
    update_version: random.below(30),
    updated_at: since,
  };
}

const gibibyte = 1024;
const noCpu = { cpu_count: 0, cpu_reserved: 0, cpu_cmtbound: 0 };
const noMemory = { mem_size: 0, mem_reserved: 0, mem_cmtbound: 0, page_size_kb: 4 };
const none = { ...noCpu, ...noMemory, storage_size: 0 };
/** All of it goes to one server, or none of it. */
const machine = { ...none, cpu_count: 32, mem_size: 128 * gibibyte, storage_size: 2_000_000 };
const usual = { ...none, cpu_reserved: 2, mem_reserved: 8 * gibibyte };

/** How much may be promised: set, not set (which comes as 0), and memory in huge pages, which is never promised twice. */
const sizes = [
  { ...usual, cpu_cmtbound: 8, mem_cmtbound: 1 },
  { ...usual, cpu_reserved: 4 },
  none,
  { ...none, cpu_cmtbound: 4, mem_cmtbound: 2 },
  { ...usual, cpu_cmtbound: 2.5, mem_cmtbound: 1.3 },
  { ...usual, cpu_cmtbound: 4, mem_cmtbound: 2, page_size_kb: 2048 },
];

/** Nothing is wrong with it. */
export const isWell = { enabled: true, host_status: 'online', is_maintenance: false, status: 'running' };

/** Of the hosts of virtual machines one in so many is silent, one takes no new servers, and one is being maintained. */
const states: Readonly<Record<number, Partial<typeof isWell>>> = {
  5: heard(false),
  9: { enabled: false },
  13: { is_maintenance: true, status: 'maintaining' },
};

function kindOf(hypervisor: string, position: number) {
  // The platform calls all bare metal offline.
  if (hypervisor === 'baremetal') return { ...machine, ...isWell, host_status: 'offline', status: 'ready' };
  if (hypervisor !== 'kvm') return { ...none, ...isWell };
  return { ...sizes[position % sizes.length]!, ...isWell, ...states[position % 32] };
}

export function heard(isHeard: boolean) {
  return { host_status: isHeard ? 'online' : 'offline', status: isHeard ? 'running' : 'unknown' };
}

/** How much of a host may be promised, as the platform ships. */
export function boundsOf({ cpu_cmtbound, mem_cmtbound, page_size_kb }: typeof none) {
  return { cpu: cpu_cmtbound || 8, memory: page_size_kb > 4 ? 1 : mem_cmtbound || 1 };
}

/** What servers take of a host: of the disk only what is its own. */
export type Load = Readonly<Record<'vcpus' | 'memory' | 'disk', number>>;

export const noLoad: Load = { vcpus: 0, memory: 0, disk: 0 };
/** An empty host is large enough for the largest server. */
export const spareLoad: Load = { vcpus: 200, memory: 420 * gibibyte, disk: 6_000 * gibibyte };

/** How much more memory than its servers take a host has. One zone is nearly full, and fills up as the fleet lives. */
const memoryPerUsed: Readonly<Record<string, number>> = { 'beijing-a': 1.9, 'shanghai-a': 1.2 };
export const fillingZone = 'shanghai-a';
const coreCounts = [32, 48, 64, 96, 128];

/** Large enough for what is on it, and some more. */
export function equip(host: HostRecord, load: Load): HostRecord {
  if (host.is_emulated) return host;
  if (host.is_baremetal) return { ...host, status: load.vcpus > 0 ? 'running' : 'ready' };
  const random = createNamed(0xca9a, host.id);
  const bounds = boundsOf(host);
  const cores = load.vcpus / bounds.cpu + host.cpu_reserved;
  const step = (host.zone === fillingZone ? 16 : 64) * gibibyte;
  const least = host.zone === fillingZone ? step : 4 * step;
  const memory = (load.memory * (memoryPerUsed[host.zone] ?? 1.5)) / bounds.memory + host.mem_reserved;
  /** So much of its own storage is promised, and where it may be promised twice, less. */
  const share = 0.45 + 0.25 * random.next();
  return {
    ...host,
    cpu_count: coreCounts.find((count) => count >= cores * 1.5) ?? Math.ceil(cores * 1.5),
    mem_size: Math.max(least, Math.ceil(memory / step) * step),
    storage_size: Math.ceil((load.disk || 1000 * gibibyte) / share / (100 * gibibyte)) * 100 * gibibyte,
  };
}

/** What a server says of the host that it is on. Its life and whether its agent is heard of are two vocabularies. */
export function hostFields(there: Partial<HostRecord> = {}) {
  const { account = '', brand = 'Unknown', cloud_env = '', host_type = '', manager = '' } = there;
  const { provider = 'Unknown', region = '', region_id = '', zone = '', zone_id = '' } = there;
  const { id: host_id = '', name: host = '', status = '', host_status = '' } = there;
  const place = { region, region_id, zone, zone_id, host, host_id, host_type };
  const state = { host_service_status: host_status, host_status: status };
  return { ...place, ...state, account, brand, cloud_env, manager, provider };
}

/** `backup_host_status` speaks of the agent, despite its name. */
export function standbyFields({ id = '', name = '', host_status = '' }: Partial<HostRecord> = {}) {
  return { backup_host_id: id, backup_host_name: name, backup_host_status: host_status };
}

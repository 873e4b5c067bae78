import * as catalogue from './catalogue.ts';
import { createDevices, createDisks, createMetadata, createNics, publicAddress } from './hardware.ts';
import { hostFields, standbyFields, type HostRecord } from './host.ts';
import type { Place, Project } from './landscape.ts';
import { createRandom, type Random } from './random.ts';
import { dayMs, minuteMs, stamp, timestamp } from '../timestamp.ts';

/** A server: every field there, '' or null where the platform knows nothing. What is the same for all is told in server-fields. */
export type ServerRecord = Readonly<ReturnType<typeof createServer>> & {
  /** By default what the status lets one expect. */
  readonly power_states?: string;
};

export interface ServerPlan {
  readonly sequence: number;
  readonly seed: number;
  readonly nowMs: number;
  /** Created now; the others were created at some time in the past. */
  readonly isNew: boolean;
  readonly chooseProject: (random: Random) => Project;
  readonly chooseHost: (random: Random, sequence: number) => HostRecord;
  readonly chooseStandby: (random: Random) => HostRecord;
  readonly placeOf: (host: HostRecord) => Place;
}

export function createServer(plan: ServerPlan) {
  const { sequence, seed, nowMs, isNew } = plan;
  const random = createRandom(seed, sequence);
  /** The rare cases come at fixed places, so that a fleet of a few hundred has each of them. */
  const every = (count: number, first: number): boolean => sequence % count === first;

  const neverScheduled = every(120, 23);
  const project = plan.chooseProject(random);
  const host = plan.chooseHost(random, sequence);
  const { site, network_id, vpc_id } = plan.placeOf(host);
  const [isKvm, isMachine] = [site.hypervisor === 'kvm', host.is_baremetal];
  const hasDevices = isKvm && !neverScheduled && (every(40, 7) || random.chance(0.02));
  const status = chooseStatus({ neverScheduled, hasDevices, host, random });
  const createdAtMs = isNew ? nowMs : nowMs - Math.floor(random.next() ** 2 * 400 * dayMs) - 2 * minuteMs;
  const updatedAtMs = isNew ? nowMs : chooseUpdate({ status, createdAtMs, nowMs, random });
  const binnedAtMs = !isNew && every(90, 41) ? nowMs - random.below(2 * dayMs) : undefined;

  /** Random digits alone would repeat in a fleet of thousands, so the last ones are the sequence. */
  const id = random.uuid().slice(0, -6) + sequence.toString(16).padStart(6, '0');
  const name = every(333, 12)
    ? `${project.name} "front" \\ ${sequence}`
    : `${project.name}-${random.pick(catalogue.roles)}-${String(sequence).padStart(6, '0')}`;
  const system = random.weighted(catalogue.operatingSystems);
  const size = random.weighted(hasDevices ? catalogue.gpuFlavours : catalogue.flavours);
  const flavour = isMachine ? { vcpus: host.cpu_count, memoryGiB: host.mem_size / 1024 } : size;
  const disks = neverScheduled ? [] : createDisks({ name, system, host, site, random });
  const devices = hasDevices ? createDevices(id, host, random) : [];
  const nics = neverScheduled ? [] : createNics({ sequence, network_id, vpc_id, random });
  const hasEip = nics.length > 0 && random.chance(0.1);
  const place = hostFields(neverScheduled ? undefined : host);
  const manager = place.manager === '' ? undefined : project;
  const standby = standbyFields(isKvm && every(60, 33) ? plan.chooseStandby(random) : undefined);
  const isPrepaid = host.is_emulated && random.chance(0.7);
  const endsInDays = random.weighted([[-3, 2], [4, 3], [random.below(300) + 8, 15]]); // prettier-ignore

  /** One flat literal: V8 keeps an object of so many fields compact only if it is written out, not spread together. */
  return {
    account: place.account,
    account_id: place.account_id,
    auto_delete_at: binnedAtMs === undefined ? null : timestamp(binnedAtMs + 3 * dayMs),
    auto_renew: isPrepaid && random.chance(0.5),
    backup_host_id: standby.backup_host_id,
    backup_host_name: standby.backup_host_name,
    backup_host_status: standby.backup_host_status,
    billing_cycle: isPrepaid ? '1M' : '',
    billing_type: isPrepaid ? 'prepaid' : 'postpaid',
    brand: place.brand,
    cdrom_support: isKvm,
    cloud_env: place.cloud_env,
    cloudregion: place.cloudregion,
    cloudregion_id: place.cloudregion_id,
    created_at: stamp(createdAtMs),
    deleted: false,
    deleted_at: null as string | null,
    description: random.chance(0.9) ? `Owned by ${project.name}. ${advice}` : '',
    disable_delete: every(2, 0),
    disk: disks.reduce((sum, disk) => sum + disk.size, 0),
    disk_count: disks.length,
    disks_info: disks,
    domain_id: project.domain.id,
    eip: hasEip ? publicAddress(sequence) : '',
    eip_mode: hasEip ? 'elastic_ip' : '',
    environment: place.environment,
    expired_at: isPrepaid ? timestamp(nowMs + endsInDays * dayMs) : null,
    external_id: site.account === '' ? '' : `i-${random.hex(17)}`,
    host: place.host,
    host_id: place.host_id,
    host_service_status: place.host_service_status,
    host_sn: place.host_sn,
    host_status: place.host_status,
    host_type: place.host_type,
    hypervisor: site.hypervisor,
    id,
    instance_type: `ecs.g1.c${flavour.vcpus}m${flavour.memoryGiB}`,
    ips: nics.map((nic) => nic.ip_addr).join(','),
    is_emulated: false,
    is_gpu: devices.length > 0,
    is_system: false,
    isolated_devices: devices,
    manager: place.manager,
    manager_domain: manager?.domain.name ?? '',
    manager_domain_id: manager?.domain.id ?? '',
    manager_id: place.manager_id,
    manager_project: manager?.name ?? '',
    manager_project_id: manager?.id ?? '',
    metadata: createMetadata(project.name, system, random),
    name,
    nics,
    os_name: system.name,
    os_type: system.type,
    pending_deleted: binnedAtMs !== undefined,
    pending_deleted_at: binnedAtMs === undefined ? null : timestamp(binnedAtMs),
    project: project.name,
    project_domain: project.domain.name,
    provider: place.provider,
    region: place.region,
    region_ext_id: place.region_ext_id,
    region_external_id: place.region_external_id,
    region_id: place.region_id,
    secgroups: random.chance(0.2) ? [group, office] : [group],
    status,
    tenant: project.name,
    tenant_id: project.id,
    update_version: 1 + random.below(9),
    updated_at: stamp(updatedAtMs),
    vcpu_count: flavour.vcpus,
    vmem_size: flavour.memoryGiB * 1024,
    vpc: neverScheduled ? '' : vpc_id === 'default' ? 'Default' : `${site.account}-vpc`,
    vpc_id: neverScheduled ? '' : vpc_id,
    zone: place.zone,
    zone_ext_id: place.zone_ext_id,
    zone_id: place.zone_id,
  };
}

const advice = 'Read the runbook before you touch it, and tell the people on call what you do and why.';
const group = { id: 'default', name: 'Default' };
const office = { id: '6f2d54d2-9a0b-4e0b-a7c7-0a4b7b6f3c11', name: 'office' };

function chooseStatus({
  neverScheduled,
  hasDevices,
  host,
  random,
}: {
  neverScheduled: boolean;
  hasDevices: boolean;
  host: HostRecord;
  random: Random;
}): string {
  const status = random.weighted(catalogue.statuses);
  if (neverScheduled) return 'sched_fail';
  if (host.status === 'unknown') return 'unknown';
  return hasDevices && random.chance(0.35) ? 'ready' : status;
}

interface Update {
  readonly status: string;
  readonly createdAtMs: number;
  readonly nowMs: number;
  readonly random: Random;
}

/** Most transitions began minutes ago; a few hang since hours. */
function chooseUpdate({ status, createdAtMs, nowMs, random }: Update): number {
  if (catalogue.isAtRest(status)) return createdAtMs + random.next() * (nowMs - createdAtMs);
  return Math.max(createdAtMs, nowMs - (random.chance(0.2) ? 5 * 60 : random.below(20)) * minuteMs);
}

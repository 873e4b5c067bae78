import * as catalogue from './catalogue.ts';
import { createDevices, createDisks, createMetadata, createNics, publicAddress } from './hardware.ts';
import { hostFields, standbyFields, type HostRecord } from './host.ts';
import type { Project } from './landscape.ts';
import { createRandom, type Random } from './random.ts';
import { dayMs, minuteMs, stamp, timestamp } from '../answer.ts';

/** A server: every field there, '' or null where the platform knows nothing. What is the same for all is told in server-fields. */
export type ServerRecord = Readonly<ReturnType<typeof createUsualServer>> & {
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
  readonly standbys: readonly HostRecord[];
  readonly rareCases: boolean;
}

export function createServer(plan: ServerPlan): ServerRecord {
  const server = createUsualServer(plan);
  return plan.rareCases && server.host_id !== '' ? { ...server, ...rareCase(plan) } : server;
}

function createUsualServer(plan: ServerPlan) {
  const { sequence, seed, nowMs, isNew } = plan;
  const random = createRandom(seed, sequence);
  /** The rare cases come at fixed places, so that a fleet of a few hundred has each of them. */
  const every = (count: number, first: number): boolean => sequence % count === first;

  const neverScheduled = every(120, 23);
  const project = plan.chooseProject(random);
  const host = plan.chooseHost(random, sequence);
  const site = catalogue.siteOf(host);
  const vpc_id = site.account === '' ? 'default' : `7bc${host.zone_id.slice(3)}`;
  const [isKvm, isMachine] = [site.hypervisor === 'kvm', host.is_baremetal];
  const hasDevices = isKvm && !neverScheduled && (every(40, 7) || random.chance(0.02));
  const status = chooseStatus({ neverScheduled, hasDevices, host, random });
  const createdAtMs = isNew ? nowMs : nowMs - Math.floor(random.next() ** 2 * 400 * dayMs) - 2 * minuteMs;
  const updatedAtMs = isNew ? nowMs : chooseUpdate(status, createdAtMs, nowMs, random);

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
  const nics = neverScheduled ? [] : createNics({ sequence, zone_id: host.zone_id, vpc_id, random });
  const hasEip = nics.length > 0 && random.chance(0.1);
  const place = hostFields(neverScheduled ? undefined : host);
  const standby = standbyFields(isKvm && every(60, 33) ? random.pick(plan.standbys) : undefined);
  const isPrepaid = host.is_emulated && random.chance(0.7);
  const endsInDays = random.weighted([[-3, 2], [4, 3], [random.below(300) + 8, 15]]); // prettier-ignore

  /** One flat literal: V8 keeps an object of so many fields compact only if it is written out, not spread together. */
  return {
    account: place.account,
    auto_renew: isPrepaid && random.chance(0.5),
    backup_host_id: standby.backup_host_id,
    backup_host_name: standby.backup_host_name,
    backup_host_status: standby.backup_host_status,
    billing_type: isPrepaid ? 'prepaid' : 'postpaid',
    brand: place.brand,
    cloud_env: place.cloud_env,
    created_at: stamp(createdAtMs),
    deleted: false,
    deleted_at: null as string | null,
    description: random.chance(0.9) ? `Owned by ${project.name}. ${advice}` : '',
    disk: disks.reduce((sum, disk) => sum + disk.size, 0),
    disk_count: disks.length,
    disks_info: disks,
    domain_id: project.domain.id,
    eip: hasEip ? publicAddress(sequence) : '',
    expired_at: isPrepaid ? timestamp(nowMs + endsInDays * dayMs) : null,
    host: place.host,
    host_id: place.host_id,
    host_service_status: place.host_service_status,
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
    metadata: createMetadata(project.name, system, random),
    name,
    nics,
    os_type: system.type,
    pending_deleted: !isNew && every(90, 41),
    project: project.name,
    project_domain: project.domain.name,
    provider: place.provider,
    region: place.region,
    region_id: place.region_id,
    status,
    tenant_id: project.id,
    update_version: 1 + random.below(9),
    updated_at: stamp(updatedAtMs),
    vcpu_count: flavour.vcpus,
    vmem_size: flavour.memoryGiB * 1024,
    zone: place.zone,
    zone_id: place.zone_id,
  };
}

const advice = 'Read the runbook before you touch it, and tell the people on call what you do and why.';

interface Condition {
  readonly neverScheduled: boolean;
  readonly hasDevices: boolean;
  readonly host: HostRecord;
  readonly random: Random;
}

function chooseStatus({ neverScheduled, hasDevices, host, random }: Condition): string {
  const status = random.weighted(catalogue.statuses);
  if (neverScheduled) return 'sched_fail';
  if (host.status === 'unknown') return 'unknown';
  return hasDevices && random.chance(0.35) ? 'ready' : status;
}

/** Most transitions began minutes ago; a few hang since hours. */
function chooseUpdate(status: string, sinceMs: number, nowMs: number, random: Random): number {
  if (catalogue.isAtRest(status)) return sinceMs + random.next() * (nowMs - sinceMs);
  return Math.max(sinceMs, nowMs - (random.chance(0.2) ? 5 * 60 : random.below(20)) * minuteMs);
}

const binned = ['ready', 'running', 'unknown', 'deploy_fail', 'snapshot_failed', 'start_delete'];
const failedTasks =
  'sync_fail resize_disk_fail snapshot_failed update_tags_fail associate_eip_failed stop_fail delete_fail renew_failed'.split(
    ' ',
  );
const failures = 'create_fail deploy_fail disk_fail net_fail dev_fail import_fail rebuild_root_fail'.split(
  ' ',
);

type Patch = Partial<ServerRecord>;
type RareCase = readonly [every: number, first: number, patch: (turn: number, plan: ServerPlan) => Patch];

/** Cases that are rare on a real platform, and that an exporter has to get right: this one of so many. */
const rareCases: readonly RareCase[] = [
  [30, 3, (turn) => ({ pending_deleted: true, status: binned[turn % binned.length]! })],
  [25, 11, (turn) => ({ status: failedTasks[turn % failedTasks.length]! })],
  [40, 17, (turn) => ({ status: failures[turn % failures.length]! })],
  [90, 19, (_, { nowMs }) => ({ status: 'migrating', updated_at: stamp(nowMs - 300 * minuteMs) })],
  /** The task says that the start failed, and yet the machine is on. */
  [60, 29, () => ({ status: 'start_fail', power_states: 'on' })],
  /** The zero time of the platform's language, which means that there is no end. */
  [50, 31, () => ({ expired_at: '0001-01-01T00:00:00.000000Z' })],
  [150, 34, (_, { standbys }) => standbyFields(standbys.find(({ status }) => status === 'unknown'))],
  /** The planned release of a server that is not paid in advance. */
  [45, 37, (turn, { nowMs }) => ({ ...unpaid, expired_at: stamp(nowMs + [-1, 3, 20][turn % 3]! * dayMs) })],
];
const unpaid = { auto_renew: false, billing_type: 'postpaid' };

function rareCase(plan: ServerPlan): Patch {
  const found = rareCases.find(([every, first]) => plan.sequence % every === first);
  return found === undefined ? {} : found[2](Math.floor(plan.sequence / found[0]), plan);
}

import { dayMs, minuteMs, stamp, timestamp } from '../answer.ts';
import * as hardware from './hardware.ts';
import { hostFields, standbyFields, type HostRecord } from './host.ts';
import { siteOf, type Project } from './places.ts';
import { createRandom, type Random, type Weighted } from './random.ts';

/** A server: every field there, '' or null where the platform knows nothing. What is the same for all is told in servers.ts. */
export type ServerRecord = Readonly<ReturnType<typeof createUsualServer>> & {
  /** By default what the status lets one expect. */
  readonly power_states?: string;
};

interface ServerPlan {
  readonly sequence: number;
  readonly seed: number;
  readonly nowMs: number;
  /** Created now; the others were created at some time in the past. */
  readonly isNew: boolean;
  readonly chooseProject: (random: Random) => Project;
  readonly chooseHost: (random: Random) => HostRecord;
  readonly standbys: readonly HostRecord[];
  readonly rareCases: boolean;
}

/** Written as `word weight word weight …`. */
function weighted(text: string): Weighted<string> {
  return [...text.matchAll(/(\S+) (\d+)/g)].map(([, word = '', weight]) => [word, Number(weight)]);
}

const statuses = weighted(
  'running 840 ready 85 suspend 6 starting 6 stopping 5 deploying 5 migrating 5 snapshot 5 resize_disk 3 ' +
    'rebuild_root 3 start_fail 6 disk_fail 2 deploy_fail 3 snapshot_failed 3 migrate_failed 2 net_fail 2 unknown 3',
);
/** As `vcpus/GiB`. */
const flavours = weighted('1/1 6 1/2 10 2/4 26 4/8 24 4/16 12 8/16 10 8/32 6 16/64 4 32/128 2');
const gpuFlavours = weighted('8/64 4 16/128 4 64/512 1');
const roles = ['front', 'api', 'worker', 'db', 'cache', 'queue', 'proxy'];
const systems: Weighted<hardware.System> = [
  [{ type: 'Linux', name: 'CentOS', version: '7.9' }, 5],
  [{ type: 'Linux', name: 'Ubuntu', version: '22.04' }, 8],
  [{ type: 'Linux', name: 'Debian', version: '12' }, 4],
  [{ type: 'Windows', name: 'Windows Server 2019 Datacenter', version: '10.0' }, 3],
];
const advice = 'Read the runbook before you touch it, and tell the people on call what you do and why.';

export function isAtRest(status: string): boolean {
  return /^(running|ready|suspend|unknown)$|fail/.test(status);
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
  const host = plan.chooseHost(random);
  const site = siteOf(host);
  const isKvm = site.hypervisor === 'kvm';
  const hasDevices = isKvm && !neverScheduled && (every(40, 7) || random.chance(0.02));
  const status = chooseStatus(neverScheduled, hasDevices, host, random);
  const createdAtMs = isNew ? nowMs : nowMs - Math.floor(random.next() ** 2 * 400 * dayMs) - 2 * minuteMs;
  const updatedAtMs = isNew ? nowMs : chooseUpdate(status, createdAtMs, nowMs, random);

  /** Random digits alone would repeat in a fleet of thousands, so the last ones are the sequence. */
  const id = random.uuid().slice(0, -6) + sequence.toString(16).padStart(6, '0');
  const name = every(333, 12)
    ? `${project.name} "front" \\ ${sequence}`
    : `${project.name}-${random.pick(roles)}-${String(sequence).padStart(6, '0')}`;
  const system = random.weighted(systems);
  const flavour = random.weighted(hasDevices ? gpuFlavours : flavours);
  const [vcpus = 0, memory = 0] = host.is_baremetal
    ? [host.cpu_count, host.mem_size / 1024]
    : flavour.split('/').map(Number);
  const vpc_id = site.account === '' ? 'default' : `7bc${host.zone_id.slice(3)}`;
  const disks = neverScheduled ? [] : hardware.createDisks(name, system, host, random);
  const devices = hasDevices ? hardware.createDevices(id, host.id, random) : [];
  const nics = neverScheduled ? [] : hardware.createNics(sequence, host, vpc_id, random);
  const hasEip = nics.length > 0 && random.chance(0.1);
  const standby = isKvm && every(60, 33) ? random.pick(plan.standbys) : undefined;
  const isPrepaid = host.is_emulated && random.chance(0.7);
  const endsInDays = random.weighted([[-3, 2], [4, 3], [random.below(300) + 8, 15]]); // prettier-ignore

  return {
    ...hostFields(neverScheduled ? undefined : host),
    ...standbyFields(standby),
    auto_renew: isPrepaid && random.chance(0.5),
    billing_type: isPrepaid ? 'prepaid' : 'postpaid',
    created_at: stamp(createdAtMs),
    deleted: false,
    deleted_at: null as string | null,
    description: random.chance(0.9) ? `Owned by ${project.name}. ${advice}` : '',
    disk: disks.reduce((sum, disk) => sum + disk.size, 0),
    disk_count: disks.length,
    disks_info: disks,
    domain_id: project.domain.id,
    eip: hasEip ? hardware.publicAddress(sequence) : '',
    expired_at: isPrepaid ? timestamp(nowMs + endsInDays * dayMs) : null,
    hypervisor: site.hypervisor,
    id,
    instance_type: `ecs.g1.c${vcpus}m${memory}`,
    ips: nics.map((nic) => nic.ip_addr).join(','),
    is_emulated: false,
    is_gpu: devices.length > 0,
    is_system: false,
    isolated_devices: devices,
    metadata: hardware.createMetadata(project.name, system, random),
    name,
    nics,
    os_type: system.type,
    pending_deleted: !isNew && every(90, 41),
    project: project.name,
    project_domain: project.domain.name,
    status,
    tenant_id: project.id,
    update_version: 1 + random.below(9),
    updated_at: stamp(updatedAtMs),
    vcpu_count: vcpus,
    vmem_size: memory * 1024,
  };
}

function chooseStatus(neverScheduled: boolean, hasDevices: boolean, host: HostRecord, random: Random) {
  const status = random.weighted(statuses);
  if (neverScheduled) return 'sched_fail';
  if (host.status === 'unknown') return 'unknown';
  return hasDevices && random.chance(0.35) ? 'ready' : status;
}

/** Most transitions began minutes ago; a few hang since hours. */
function chooseUpdate(status: string, sinceMs: number, nowMs: number, random: Random): number {
  if (isAtRest(status)) return sinceMs + random.next() * (nowMs - sinceMs);
  return Math.max(sinceMs, nowMs - (random.chance(0.2) ? 5 * 60 : random.below(20)) * minuteMs);
}

const binned = 'ready running unknown deploy_fail snapshot_failed start_delete'.split(' ');
const failedTasks = (
  'sync_fail resize_disk_fail snapshot_failed update_tags_fail associate_eip_failed ' +
  'stop_fail delete_fail renew_failed'
).split(' ');
const failures = 'create_fail deploy_fail disk_fail net_fail dev_fail import_fail rebuild_root_fail'.split(' '); // prettier-ignore

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

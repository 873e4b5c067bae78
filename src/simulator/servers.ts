import { withoutEmpties, type Release } from './answer.ts';
import type { Device } from './fleet/hardware.ts';
import type { ServerRecord } from './fleet/record.ts';
import { columnsOf, type Readers, type Telling } from './text.ts';

export const serverColumns = columnsOf(
  'hypervisor host_id tenant_id domain_id os_type os_arch billing_type billing_cycle instance_type ' +
    'external_id backup_host_id backup_guest_status boot_order description hostname power_states qga_status ' +
    'shutdown_behavior shutdown_mode bios machine vdi vga secgrp_id source health_status project_src ' +
    'expired_at release_at pending_deleted_at imported_at',
  'vcpu_count vmem_size auto_renew pending_deleted is_system is_daemon disable_delete freezed ' +
    'src_ip_check src_mac_check internet_max_bandwidth_out progress_mbps rescue_mode sshable_last_state throughput ' +
    'cpu_sockets extra_cpu_count',
);

type Fields = Readers<ServerRecord>;

const withHost =
  (value: unknown) =>
  ({ host_id }: ServerRecord) =>
    host_id === '' ? undefined : value;
const withAccount =
  (value: string) =>
  ({ account }: ServerRecord) =>
    account === '' ? undefined : value;

/** What is the same for every server. */
const constants: Readonly<Record<string, unknown>> = {
  account_read_only: false,
  backup_guest_status: 'init',
  bios: 'BIOS',
  boot_order: 'cdn',
  can_delete: false,
  can_recycle: false,
  can_update: true,
  cdrom_support: true,
  disable_delete: true,
  floppy_support: true,
  freezed: false,
  internet_max_bandwidth_out: 0,
  is_daemon: false,
  is_prepaid_recycle: false,
  machine: 'pc',
  os_arch: 'x86_64',
  progress: 100,
  progress_mbps: 0,
  project_src: 'local',
  qga_status: 'unknown',
  rescue_mode: false,
  secgroups: [{ id: 'default', name: 'Default' }],
  secgrp_id: 'default',
  shutdown_behavior: 'stop',
  shutdown_mode: 'keep_charging',
  src_ip_check: true,
  src_mac_check: true,
  sshable_last_state: false,
  throughput: 0,
  vdi: 'vnc',
  vga: 'std',
};

const derived: Fields = {
  ...Object.fromEntries(Object.entries(constants).map(([field, value]) => [field, () => value])),
  account_health_status: withAccount('normal'),
  account_status: withAccount('connected'),
  cloudregion: ({ region }) => region,
  cloudregion_id: ({ region_id }) => region_id,
  disks: ({ disks_info }) =>
    disks_info
      .map(({ index, size, fs }) => `disk${index}:${size}M/qcow2/virtio/none/native/${fs || 'root'}`)
      .join('\n'),
  disks_info: ({ disks_info }) => disks_info.map((disk) => withoutEmpties({ ...disk, ...everyDisk })),
  host_billing_type: withHost('postpaid'),
  host_enabled: ({ host_id }) => host_id !== '',
  host_resource_type: withHost('shared'),
  hostname: ({ name }) => name,
  imported_at: ({ created_at }) => created_at,
  source: ({ account }) => (account === '' ? 'local' : 'cloud'),
  isolated_devices: ({ isolated_devices }) =>
    isolated_devices.map((device) => withoutEmpties({ ...device, ...everyDevice })),
  nics: ({ nics }) => nics.map(withoutEmpties),
  tenant: ({ project }) => project,
  power_states: ({ power_states, status }) => power_states ?? powerOf(status),
};

const everyDisk = {
  aio_mode: 'native',
  auto_reset: false,
  boot_index: -1,
  bps: 0,
  cache_mode: 'none',
  disk_format: 'qcow2',
  driver: 'virtio',
};

/** A server does not know what its devices keep for themselves, nor when they came. */
const everyDevice = {
  deleted: false,
  disk_index: 0,
  is_emulated: false,
  network_index: 0,
  numa_node: 0,
  nvme_size_mb: 0,
  reserved_cpu: 0,
  reserved_memory: 0,
  reserved_storage: 0,
  update_version: 0,
};

/** The planned release of a server that is not paid in advance has a field of its own. */
const since311: Fields = {
  cpu_sockets: () => 1,
  health_status: () => 'ok',
  expired_at: ({ billing_type, expired_at }) => (billing_type === 'postpaid' ? undefined : expired_at),
  release_at: ({ billing_type, expired_at }) => (billing_type === 'postpaid' ? expired_at : undefined),
};

/** Before, the state of a host was the word for its agent too. */
const until400: Fields = { host_status: ({ host_service_status }) => host_service_status };

const since400: Fields = {
  extra_cpu_count: () => 0,
  isolated_devices: ({ isolated_devices }) =>
    isolated_devices.map((device) => ({ ...device, ...everyDevice, dev_type: newWordOf(device) })),
};

export function newWordOf({ dev_type }: Pick<Device, 'dev_type'>): string {
  return dev_type.startsWith('GPU-') ? 'GPU' : dev_type;
}

export function serverTelling(release: Release): Telling<ServerRecord> {
  return {
    columns: serverColumns,
    readers: {
      ...derived,
      ...(release === '3.10' ? {} : since311),
      ...(release === '4.0' ? since400 : until400),
    },
    forAdministrators: new Set(['is_system', 'is_emulated', 'deleted', 'deleted_at']),
    grants: (fields, field) => isGranted(fields, field, release),
    blanks: (fields) => (fields.has('disk') ? {} : { disk_count: () => 0 }),
  };
}

/** What the running platform needs to be told before it looks something up: these are its traps. */
function isGranted(fields: ReadonlySet<string>, field: string, release: Release): boolean {
  if (field === 'project') return fields.has('tenant');
  if (field === 'disks' || field === 'disks_info') return fields.has('disk');
  return field !== 'metadata' || release !== '3.10' || fields.has('__meta__');
}

const on = new Set('running rescue block_stream migrating live_migrating snapshot stop_fail'.split(' '));
const off = new Set('ready suspend deallocated start_fail rebuild_root starting'.split(' '));
const failedTask = /^(snapshot|migrate|sync|resize_disk|associate_eip|update_tags|renew|io_throttle)_fail/;

/** What the last task's word lets one expect of the machine: a failed snapshot leaves it running. */
function powerOf(status: string): string {
  if (on.has(status) || failedTask.test(status)) return 'on';
  return off.has(status) ? 'off' : 'unknown';
}

import { withoutEmpties, type Release } from './answer.ts';
import type { Device } from './fleet/hardware.ts';
import type { ServerRecord } from './fleet/record.ts';
import { columnsOf, fixed, ofManaged, same, type Readers, type Telling } from './text.ts';

export const serverColumns = columnsOf(
  'hypervisor host_id tenant_id domain_id os_type os_arch billing_type billing_cycle instance_type ' +
    'external_id backup_host_id backup_guest_status boot_order description hostname power_states qga_status ' +
    'shutdown_behavior shutdown_mode bios machine vdi vga secgrp_id source health_status project_src ' +
    'expired_at release_at pending_deleted_at imported_at ' +
    'vcpu_count vmem_size auto_renew pending_deleted is_system is_daemon disable_delete freezed ' +
    'src_ip_check src_mac_check internet_max_bandwidth_out progress_mbps rescue_mode sshable_last_state throughput ' +
    'cpu_sockets extra_cpu_count',
);

type Fields = Readers<ServerRecord>;

/** '' is not told. */
const derived: Fields = {
  ...same(
    false,
    'account_read_only can_delete can_recycle freezed is_daemon is_prepaid_recycle rescue_mode sshable_last_state',
  ),
  ...same(true, 'can_update cdrom_support disable_delete floppy_support src_ip_check src_mac_check'),
  ...same(0, 'internet_max_bandwidth_out progress_mbps throughput'),
  ...fixed({ backup_guest_status: 'init', bios: 'BIOS', boot_order: 'cdn', cpu_sockets: 1, machine: 'pc' }),
  ...fixed({ health_status: 'ok', os_arch: 'x86_64', progress: 100, project_src: 'local', vdi: 'vnc' }),
  ...fixed({ qga_status: 'unknown', shutdown_behavior: 'stop', shutdown_mode: 'keep_charging', vga: 'std' }),
  ...fixed({ secgroups: [{ id: 'default', name: 'Default' }], secgrp_id: 'default' }),
  ...ofManaged,
  cloudregion: ({ region }) => region,
  cloudregion_id: ({ region_id }) => region_id,
  disks: ({ disks_info }) =>
    disks_info
      .map(({ index, size, fs }) => `disk${index}:${size}M/qcow2/virtio/none/native/${fs || 'root'}`)
      .join('\n'),
  disks_info: ({ disks_info }) => disks_info.map((disk) => withoutEmpties({ ...disk, ...everyDisk })),
  host_billing_type: ({ host_id }) => host_id && 'postpaid',
  host_enabled: ({ host_id }) => host_id !== '',
  host_resource_type: ({ host_id }) => host_id && 'shared',
  hostname: ({ name }) => name,
  imported_at: ({ created_at }) => created_at,
  source: ({ account }) => (account === '' ? 'local' : 'cloud'),
  nics: ({ nics }) => nics.map(withoutEmpties),
  tenant: ({ project }) => project,
  power_states: ({ power_states, status }) => power_states ?? powerOf(status),
  /** The planned release of a server that is not paid in advance has a field of its own. */
  expired_at: ({ billing_type, expired_at }) => (billing_type === 'postpaid' ? undefined : expired_at),
  release_at: ({ billing_type, expired_at }) => (billing_type === 'postpaid' ? expired_at : undefined),
};

const drive = { aio_mode: 'native', cache_mode: 'none', disk_format: 'qcow2', driver: 'virtio' };
const everyDisk = { ...drive, auto_reset: false, boot_index: -1, bps: 0 };

/** A server does not know what its devices keep for themselves, nor when they came. */
const zeros =
  'disk_index network_index numa_node nvme_size_mb reserved_cpu reserved_memory reserved_storage update_version';
const everyDevice = {
  deleted: false,
  is_emulated: false,
  ...Object.fromEntries(zeros.split(' ').map((name) => [name, 0])),
};

/** In the words of that release. */
export function typeOf({ dev_type }: Pick<Device, 'dev_type'>, release: Release): string {
  return release === '4.0' && dev_type.startsWith('GPU-') ? 'GPU' : dev_type;
}

export function serverTelling(release: Release): Telling<ServerRecord> {
  const isolated_devices = (server: ServerRecord) =>
    server.isolated_devices.map((device) =>
      withoutEmpties({ ...device, ...everyDevice, dev_type: typeOf(device, release) }),
    );
  /** Before 4.0 the state of a host was the word for its agent too. */
  const own: Fields =
    release === '4.0'
      ? { extra_cpu_count: () => 0 }
      : { host_status: ({ host_service_status }) => host_service_status };
  return {
    columns: serverColumns,
    readers: { ...derived, ...own, isolated_devices },
    forAdministrators: new Set(['is_system', 'is_emulated', 'deleted', 'deleted_at']),
    // What it needs to be told before it looks something up: these are its traps.
    grants: (fields, field) => fields.has(companions[field] ?? field),
    blanks: (fields) => (fields.has('disk') ? {} : { disk_count: () => 0 }),
  };
}

const companions: Readonly<Record<string, string>> = { project: 'tenant', disks: 'disk', disks_info: 'disk' };

const on = new Set('running rescue block_stream migrating live_migrating snapshot stop_fail'.split(' '));
const off = new Set('ready suspend deallocated start_fail rebuild_root starting'.split(' '));
const failedTask = /^(snapshot|migrate|sync|resize_disk|associate_eip|update_tags|renew|io_throttle)_fail/;

/** What the last task's word lets one expect of the machine: a failed snapshot leaves it running. */
function powerOf(status: string): string {
  if (on.has(status) || failedTask.test(status)) return 'on';
  return off.has(status) ? 'off' : 'unknown';
}

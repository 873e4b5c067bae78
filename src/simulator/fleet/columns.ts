/** How a column is compared: as text, whose letters are folded, or as a number. Booleans are numbers, as in the database. */
export type Kind = 'text' | 'number' | 'time';
export type Columns = ReadonlyMap<string, Kind>;

function columns(texts: string, numbers: string, times: string): Columns {
  const kinds = { text: texts, number: numbers, time: times };
  const pairs = Object.entries(kinds) as [Kind, string][];
  return new Map(pairs.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)));
}

const always = 'id name status';
const booleans = 'deleted is_emulated update_version progress';
const times = 'created_at updated_at deleted_at';

/** What each table holds itself. A list without details has these, and filters know these; everything else is looked up. */
export const serverColumns = columns(
  `${always} hypervisor host_id tenant_id domain_id os_type os_arch billing_type billing_cycle instance_type ` +
    'external_id backup_host_id backup_guest_status boot_order description hostname power_states qga_status ' +
    'shutdown_behavior shutdown_mode bios machine vdi vga secgrp_id source health_status project_src',
  `${booleans} vcpu_count vmem_size auto_renew pending_deleted is_system is_daemon disable_delete freezed ` +
    'src_ip_check src_mac_check internet_max_bandwidth_out progress_mbps rescue_mode sshable_last_state throughput ' +
    'cpu_sockets extra_cpu_count',
  `${times} expired_at release_at pending_deleted_at imported_at`,
);

export const hostColumns = columns(
  `${always} access_ip billing_type domain_id external_id host_status host_type manager_id public_scope ` +
    'resource_type sn storage_type zone_id',
  `${booleans} auto_renew cpu_cmtbound cpu_count cpu_reserved cpu_usage_percent enable_numa_allocate ` +
    'enable_pxe_boot enabled is_baremetal is_import is_maintenance is_public kvm_cap_max_vcpu mem_cmtbound ' +
    'mem_reserved mem_size memory_used_mb node_count page_size_kb root_partition_used_capacity_mb storage_size',
  times,
);

export const storageColumns = columns(
  `${always} domain_id external_id manager_id medium_type public_scope storage_type zone_id`,
  `${booleans} actual_capacity_used capacity cmtbound enabled is_public is_sys_disk_store reserved`,
  times,
);

export const deviceColumns = columns(
  'id name addr dev_type guest_id host_id model vendor_device_id',
  'deleted is_emulated update_version disk_index is_infiniband_nic network_index numa_node nvme_size_mb ' +
    'reserved_cpu reserved_memory reserved_storage',
  times,
);

export const zoneColumns = columns(`${always} cloudregion_id external_id`, booleans, times);

export const regionColumns = columns(
  `${always} description environment external_id provider source`,
  `${booleans} enabled latitude longitude`,
  `${times} imported_at`,
);

const lookedUp = new RegExp(
  [
    '^(zone|region|cloudregion|manager|account|vpc|eip|scaling_|can_|cdrom|secgroup)',
    '^(project|project_domain|tenant|provider|brand|cloud_env|environment)$',
    '^(host|host_sn|host_type|host_.*status|host_enabled|host_billing_type|host_resource_type)$',
    '^(backup_host_(name|status)|auto_delete_at|floppy_support|is_prepaid_recycle|keypair)$',
    '^(disk|disks|disk_count|disks_info|isolated_devices|is_gpu|metadata)$',
    '^(ips|macs|nics|networks|virtual_ips|security_rules)$',
  ].join('|'),
);

/** Whether a field is a column of the platform's own table of servers; the others are looked up elsewhere. */
export function isColumn(field: string): boolean {
  return !lookedUp.test(field);
}

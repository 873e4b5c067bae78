/** What `createServerReader` reads of a record, by what it is needed for. A test holds this list against the reader. */
export const readFields = {
  /** For sums, hosts and problems. */
  always: [
    'id',
    'name',
    'status',
    'power_states',
    'pending_deleted',
    'region',
    'cloudregion',
    'zone',
    'hypervisor',
    'project_domain',
    'project',
    'tenant',
    'tenant_id',
    'project_id',
    'host',
    'host_id',
    'host_status',
    'host_service_status',
    'backup_host_status',
    'billing_type',
    'updated_at',
    'expired_at',
    'release_at',
    'auto_renew',
    'is_gpu',
    'isolated_devices',
    'vcpu_count',
    'vmem_size',
    'disk',
    'disk_count',
  ],
  /** For single servers, exported or discovered. */
  singleServers: ['created_at', 'os_type', 'instance_type', 'brand', 'ips', 'eip', 'nics'],
} as const;

/** Releases differ in which of the two they want; metadata holds login secrets, so it comes only if a label needs it. */
const metadataFields = ['__meta__', 'metadata'];

/** The fields to ask for. `sources` are those of the extra labels: a field, or `metadata.KEY`. */
export function fieldsFor(needs: { sources: readonly string[]; singleServers: boolean }): string[] {
  const extra = needs.sources.flatMap((source) =>
    source.startsWith('metadata.') ? metadataFields : [source],
  );
  return [
    ...new Set([...readFields.always, ...(needs.singleServers ? readFields.singleServers : []), ...extra]),
  ];
}

import { describe, expect, it } from 'vitest';
import { createServerReader, fieldsFor } from '../../src/platform/server.ts';

const fields = (labelSources: readonly string[] = [], singleServers = false) =>
  fieldsFor(createServerReader(labelSources), { labelSources, singleServers });

describe('the fields that are asked for', () => {
  it('are those that sums, hosts and problems need; addresses and the like only for single servers', () => {
    expect(fields().toSorted().join(' ')).toBe(
      'auto_renew backup_host_id backup_host_status billing_type cloud_env cloudregion disk disk_count expired_at host host_id host_service_status host_status hypervisor id is_gpu isolated_devices name pending_deleted power_states project project_domain project_id region release_at status tenant tenant_id update_version updated_at vcpu_count vmem_size zone',
    );
    const more = fields([], true).filter((field) => !fields().includes(field));
    expect(more.toSorted().join(' ')).toBe('brand created_at eip instance_type ips nics os_type');
  });

  it('have what an extra label comes from, each once; metadata, which holds login secrets, only for a label', () => {
    const asked = fields(['os_type', 'zone', 'description']);
    expect(asked).toEqual(expect.arrayContaining(['os_type', 'description']));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).not.toContain('metadata');
    expect(fields(['metadata.user:team'])).toEqual(expect.arrayContaining(['metadata', '__meta__']));
  });
});

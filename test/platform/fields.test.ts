import { describe, expect, it } from 'vitest';
import { fieldsFor } from '../../src/platform/fields.ts';
import { createServerReader } from '../../src/platform/server.ts';

function fields(labelSources: readonly string[] = [], singleServers = false): string[] {
  return fieldsFor(createServerReader(labelSources), { labelSources, singleServers });
}

describe('the fields that are asked for', () => {
  it('are those that sums, hosts and problems need', () => {
    expect(fields().toSorted().join(' ')).toBe(
      'auto_renew backup_host_status billing_type cloud_env cloudregion disk disk_count expired_at host host_id host_service_status host_status hypervisor id is_gpu isolated_devices name pending_deleted power_states project project_domain project_id region release_at status tenant tenant_id update_version updated_at vcpu_count vmem_size zone',
    );
  });

  it('have addresses and facts of single servers only where these are wanted', () => {
    const more = fields([], true).filter((field) => !fields().includes(field));
    expect(more.toSorted()).toEqual(
      ['brand', 'created_at', 'eip', 'instance_type', 'ips', 'nics', 'os_type'].toSorted(),
    );
  });

  it('have what an extra label comes from, each once', () => {
    const asked = fields(['os_type', 'zone', 'description']);
    expect(asked).toEqual(expect.arrayContaining(['os_type', 'description']));
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('have metadata, which holds login secrets, only if a label comes from it', () => {
    expect(fields(['os_type'])).not.toContain('metadata');
    expect(fields(['metadata.user:team'])).toEqual(expect.arrayContaining(['metadata', '__meta__']));
  });
});

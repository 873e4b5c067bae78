import { createServer } from 'node:http';
import axios from 'axios';
import { Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import { readTask } from './pages.ts';

/** The exporter that one writes first: axios parses, zod checks every field, gauges are reset and set. */

const task = readTask(process.env);
const text = z.string().nullish();
const list = z.array(z.record(z.string(), z.unknown())).nullish();
const fields = (names: string) => names.trim().split(/\s+/);

function shape<Kind extends z.ZodType>(kind: Kind, names: string): Record<string, Kind> {
  return Object.fromEntries(fields(names).map((name) => [name, kind]));
}

const serverSchema = z.object({
  ...shape(
    text,
    `account account_id admin_secgrp_id admin_security_rules attach_time auto_delete_at backup_host_id
     backup_host_name backup_host_status billing_cycle billing_type bios boot_order brand cdrom cloud_env
     cloudregion cloudregion_id created_at delete_fail_reason deleted_at description disks domain_id eip eip_mode
     environment expired_at external_id flavor_id host host_id host_service_status host_sn host_status host_type
     hypervisor instance_type ips keypair keypair_id machine manager manager_domain manager_domain_id manager_id
     manager_project manager_project_id name networks os_name os_type pending_deleted_at project project_domain
     project_id project_src provider region region_ext_id region_external_id region_id scaling_group_id
     scaling_status secgroup secgrp_id security_rules shutdown_behavior status tenant tenant_id
     update_fail_reason updated_at vdi vga virtual_ips vpc vpc_id zone zone_ext_id zone_id`,
  ),
  ...shape(
    z.boolean().nullish(),
    `auto_renew can_delete can_recycle can_update cdrom_support deleted disable_delete is_emulated
     is_prepaid_recycle is_system pending_deleted src_ip_check src_mac_check`,
  ),
  id: z.string(),
  is_gpu: z.boolean().nullish(),
  update_version: z.number(),
  vcpu_count: z.number(),
  vmem_size: z.number(),
  disk: z.number(),
  disk_count: z.number(),
  disks_info: list,
  isolated_devices: list,
  nics: list,
  secgroups: list,
  metadata: z.record(z.string(), z.string()).nullish(),
});
type Server = z.output<typeof serverSchema>;
const pageSchema = z.object({ servers: z.array(serverSchema), total: z.number() });

const registry = new Registry();
const place = fields('region zone hypervisor project_domain project');

function gauge(name: string, labels: readonly string[]): Gauge {
  return new Gauge({ name, help: name, labelNames: ['cloud', ...labels], registers: [registry] });
}

const sums = [
  { gauge: gauge('cloud_servers', [...place, 'status']), measure: () => 1 },
  { gauge: gauge('cloud_servers_gpu', [...place, 'status']), measure: (one: Server) => Number(one.is_gpu) },
  { gauge: gauge('cloud_servers_vcpus', [...place, 'status']), measure: (one: Server) => one.vcpu_count },
  {
    gauge: gauge('cloud_servers_memory_bytes', [...place, 'status']),
    measure: (one: Server) => one.vmem_size * 2 ** 20,
  },
  {
    gauge: gauge('cloud_servers_disk_bytes', [...place, 'status']),
    measure: (one: Server) => one.disk * 2 ** 20,
  },
  { gauge: gauge('cloud_servers_disks', [...place, 'status']), measure: (one: Server) => one.disk_count },
];
const devices = gauge('cloud_servers_devices', [...place, 'status', 'dev_type', 'model']);

const infoLabels = [...place, ...fields('id name host os_type instance_type brand billing_type ips')];
const seconds = (field: string) => (one: Record<string, unknown>) => Date.parse(String(one[field])) / 1000;
const singles: { gauge: Gauge; labels: readonly string[]; measure: (one: Server) => number }[] = [
  { gauge: gauge('cloud_server_info', infoLabels), labels: infoLabels, measure: () => 1 },
  { gauge: gauge('cloud_server_status', ['id', 'status']), labels: ['id', 'status'], measure: () => 1 },
  ...(
    [
      ['cloud_server_vcpus', (one) => one.vcpu_count],
      ['cloud_server_memory_bytes', (one) => one.vmem_size * 2 ** 20],
      ['cloud_server_disk_bytes', (one) => one.disk * 2 ** 20],
      ['cloud_server_isolated_devices', (one) => one.isolated_devices?.length ?? 0],
      ['cloud_server_expiry_timestamp_seconds', seconds('expired_at')],
      ['cloud_server_updated_timestamp_seconds', seconds('updated_at')],
      ['cloud_server_created_timestamp_seconds', seconds('created_at')],
    ] satisfies [string, (one: Server) => number][]
  ).map(([name, measure]) => ({ gauge: gauge(name, ['id']), labels: ['id'], measure })),
];

const whole = { details: true, with_meta: true, scope: 'system', pending_delete: 'all' };

async function getPage(offset: number): Promise<z.output<typeof pageSchema>> {
  const response = await axios.get<unknown>(`${task.baseUrl}/servers`, {
    params: { ...whole, limit: task.pageSize, offset },
    headers: { 'X-Auth-Token': task.token, 'Content-Type': 'application/json' },
  });
  return pageSchema.parse(response.data);
}

async function listServers(): Promise<Server[]> {
  const first = await getPage(0);
  const servers = [...first.servers];
  for (let offset = task.pageSize; offset < first.total; offset += task.pageSize * task.concurrency) {
    const offsets = Array.from({ length: task.concurrency }, (_, index) => offset + index * task.pageSize);
    const pages = await Promise.all(offsets.filter((one) => one < first.total).map(getPage));
    for (const page of pages) servers.push(...page.servers);
  }
  return servers;
}

function labelsOf(server: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, String(server[name] ?? '')]);
  return Object.fromEntries([['cloud', 'default'], ...values]) as Record<string, string>;
}

async function collect(): Promise<string> {
  const servers = await listServers();
  registry.resetMetrics();
  for (const server of servers) {
    const labels = labelsOf(server, [...place, 'status']);
    for (const { gauge, measure } of sums) gauge.inc(labels, measure(server));
    for (const { dev_type, model } of server.isolated_devices ?? [])
      devices.inc({ ...labels, dev_type: String(dev_type), model: String(model) });
    for (const { gauge, labels: names, measure } of task.perServer ? singles : []) {
      const value = measure(server);
      if (!Number.isNaN(value)) gauge.set(labelsOf(server, names), value);
    }
  }
  return registry.metrics();
}

const server = createServer((_request, response) => {
  void collect().then((body) => response.end(body));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});

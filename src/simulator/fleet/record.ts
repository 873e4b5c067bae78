import { flavours, gpuFlavours, operatingSystems, roles } from './catalogue.ts';
import { chooseStatus, chooseUpdate, createBilling } from './condition.ts';
import {
  createDevices,
  createDisks,
  createNics,
  describeDisks,
  describeNetworks,
  publicAddress,
  type Device,
} from './hardware.ts';
import type { Landscape } from './landscape.ts';
import { createMetadata } from './metadata.ts';
import { hostFields, noHostFields, ownerFields, standbyFields } from './placement.ts';
import { createRandom } from './random.ts';
import { dayMs, minuteMs, stamp, timestamp } from '../timestamp.ts';

/** A server as the document's table has it: every field there, '' or null where the platform knows nothing. */
export type ServerRecord = Readonly<ReturnType<typeof createRecord>> & {
  /** Of the platform's dialect only; by default what the status lets one expect. */
  readonly power_states?: string;
};

export interface RecordPlan {
  readonly sequence: number;
  readonly seed: number;
  readonly nowMs: number;
  /** Created now; the others were created at some time in the past. */
  readonly isNew: boolean;
}

export function createRecord(landscape: Landscape, { sequence, seed, nowMs, isNew }: RecordPlan) {
  const random = createRandom(seed, sequence);
  /** The rare cases come at fixed places, so that a fleet of a few hundred has each of them. */
  const every = (count: number, first: number): boolean => sequence % count === first;

  const neverScheduled = every(120, 23);
  const project = random.weighted(landscape.populated);
  const hosts = random.weighted(landscape.hosts);
  const host = random.pick(hosts);
  const hasDevices = host.site.account === '' && (every(40, 7) || random.chance(0.02));
  const status = chooseStatus({ neverScheduled, hasDevices, host, random });
  const createdAtMs = isNew ? nowMs : nowMs - Math.floor(random.next() ** 2 * 400 * dayMs) - 2 * minuteMs;
  const updatedAtMs = isNew ? nowMs : chooseUpdate({ status, createdAtMs, nowMs, random });
  const createdAt = stamp(createdAtMs);
  const pendingDeletedAtMs = !isNew && every(90, 41) ? nowMs - random.below(2 * dayMs) : undefined;

  /** Random digits alone would repeat in a fleet of thousands, so the last ones are the sequence. */
  const id = random.uuid().slice(0, -6) + sequence.toString(16).padStart(6, '0');
  const name = every(333, 12)
    ? `${project.name} "front" \\ ${sequence}`
    : `${project.name}-${random.pick(roles)}-${String(sequence).padStart(6, '0')}`;
  const system = random.weighted(operatingSystems);
  const flavour = random.weighted(hasDevices ? gpuFlavours : flavours);
  const disks = neverScheduled
    ? []
    : createDisks({ name, image: `${system.name}-${system.version}` }, host, random);
  const devices: Device[] =
    hasDevices && !neverScheduled ? createDevices({ id, createdAt }, host, random) : [];
  const nics = neverScheduled ? [] : createNics(sequence, host, random);
  const eip = nics.length > 0 && random.chance(0.1) ? publicAddress(sequence) : '';
  const isKvm = host.site.hypervisor === 'kvm';
  const place = neverScheduled ? noHostFields : hostFields(host);
  const owner = ownerFields(project, place.manager);
  const standby = standbyFields(isKvm && every(60, 33) ? random.pick(hosts) : undefined);
  const bill = createBilling({
    prepaid: host.site.cloudEnvironment === 'public' && random.chance(0.7),
    nowMs,
    random,
  });

  /** One flat literal: V8 keeps an object of so many fields compact only if it is written out, not spread together. */
  return {
    account: place.account,
    account_id: place.account_id,
    admin_secgrp_id: '',
    admin_security_rules: '',
    attach_time: null as string | null,
    auto_delete_at: pendingDeletedAtMs === undefined ? null : timestamp(pendingDeletedAtMs + 3 * dayMs),
    auto_renew: bill.auto_renew,
    backup_host_id: standby.backup_host_id,
    backup_host_name: standby.backup_host_name,
    backup_host_status: standby.backup_host_status,
    billing_cycle: bill.billing_cycle,
    billing_type: bill.billing_type,
    bios: 'BIOS',
    boot_order: 'cdn',
    brand: place.brand,
    can_delete: !every(2, 0),
    can_recycle: false,
    can_update: true,
    cdrom: '',
    cdrom_support: isKvm,
    cloud_env: place.cloud_env,
    cloudregion: place.cloudregion,
    cloudregion_id: place.cloudregion_id,
    created_at: createdAt,
    delete_fail_reason: '',
    deleted: false,
    deleted_at: null as string | null,
    description: random.chance(0.9)
      ? `Owned by ${project.name}. Read the runbook before you touch it, and tell the people on call what you do and why.`
      : '',
    disable_delete: every(2, 0),
    disk: disks.reduce((sum, disk) => sum + disk.size, 0),
    disk_count: disks.length,
    disks: describeDisks(disks),
    disks_info: disks,
    domain_id: owner.domain_id,
    eip,
    eip_mode: eip === '' ? '' : 'elastic_ip',
    environment: place.environment,
    expired_at: bill.expired_at,
    external_id: host.site.account === '' ? '' : `i-${random.hex(17)}`,
    flavor_id: '',
    host: place.host,
    host_id: place.host_id,
    host_service_status: place.host_service_status,
    host_sn: place.host_sn,
    host_status: place.host_status,
    host_type: place.host_type,
    hypervisor: host.site.hypervisor,
    id,
    instance_type: `ecs.g1.c${flavour.vcpus}m${flavour.memoryGiB}`,
    ips: nics.map((nic) => nic.ip_addr).join(','),
    is_emulated: false,
    is_gpu: devices.length > 0,
    is_prepaid_recycle: false,
    is_system: false,
    isolated_devices: devices,
    keypair: 'operations',
    keypair_id: 'b1c6a1de-3f54-4a3e-a1f0-6f3d1b9f52aa',
    machine: 'pc',
    manager: place.manager,
    manager_domain: owner.manager_domain,
    manager_domain_id: owner.manager_domain_id,
    manager_id: place.manager_id,
    manager_project: owner.manager_project,
    manager_project_id: owner.manager_project_id,
    metadata: createMetadata({ project: project.name, system, random }),
    name,
    networks: describeNetworks(nics),
    nics,
    os_name: system.name,
    os_type: system.type,
    pending_deleted: pendingDeletedAtMs !== undefined,
    pending_deleted_at: pendingDeletedAtMs === undefined ? null : timestamp(pendingDeletedAtMs),
    project: owner.project,
    project_domain: owner.project_domain,
    project_id: owner.project_id,
    project_src: owner.project_src,
    provider: place.provider,
    region: place.region,
    region_ext_id: place.region_ext_id,
    region_external_id: place.region_external_id,
    region_id: place.region_id,
    scaling_group_id: '',
    scaling_status: '',
    secgroup: 'Default',
    secgroups: random.chance(0.2)
      ? [
          { id: 'default', name: 'Default' },
          { id: '6f2d54d2-9a0b-4e0b-a7c7-0a4b7b6f3c11', name: 'office' },
        ]
      : [{ id: 'default', name: 'Default' }],
    secgrp_id: 'default',
    security_rules:
      'in:allow tcp 22;in:allow tcp 80;in:allow tcp 443;in:allow tcp 9100;in:allow icmp;out:allow any',
    shutdown_behavior: 'stop',
    src_ip_check: true,
    src_mac_check: true,
    status,
    tenant: owner.tenant,
    tenant_id: owner.tenant_id,
    update_fail_reason: '',
    update_version: 1 + random.below(9),
    updated_at: stamp(updatedAtMs),
    vcpu_count: flavour.vcpus,
    vdi: 'vnc',
    vga: 'std',
    virtual_ips: '',
    vmem_size: flavour.memoryGiB * 1024,
    vpc: place.vpc,
    vpc_id: place.vpc_id,
    zone: place.zone,
    zone_ext_id: place.zone_ext_id,
    zone_id: place.zone_id,
  };
}

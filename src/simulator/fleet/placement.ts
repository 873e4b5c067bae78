import type { Host, Project } from './landscape.ts';

export const noHostFields = {
  account: '',
  account_id: '',
  brand: '',
  cloud_env: '',
  cloudregion: '',
  cloudregion_id: '',
  environment: '',
  host: '',
  host_id: '',
  host_service_status: '',
  host_sn: '',
  host_status: '',
  host_type: '',
  manager: '',
  manager_id: '',
  provider: '',
  region: '',
  region_ext_id: '',
  region_external_id: '',
  region_id: '',
  vpc: '',
  vpc_id: '',
  zone: '',
  zone_ext_id: '',
  zone_id: '',
};

export function hostFields(host: Host): typeof noHostFields {
  const { site } = host;
  return {
    account: site.account,
    account_id: host.accountId,
    brand: site.provider,
    cloud_env: site.cloudEnvironment,
    cloudregion: site.region,
    cloudregion_id: host.regionId,
    environment: site.cloudEnvironment === 'public' ? 'InternationalCloud' : '',
    host: host.name,
    host_id: host.id,
    host_service_status: hostStatusFields(host.online).host_service_status,
    host_sn: host.serial,
    host_status: hostStatusFields(host.online).host_status,
    host_type: site.hostType,
    manager: site.account === '' ? '' : `${site.account}-sub`,
    manager_id: host.managerId,
    provider: site.provider,
    region: site.region,
    region_ext_id: site.regionExternal.split('/')[1] ?? '',
    region_external_id: site.regionExternal,
    region_id: host.regionId,
    vpc: host.vpcId === 'default' ? 'Default' : `${site.account}-vpc`,
    vpc_id: host.vpcId,
    zone: host.zone,
    zone_ext_id: site.account === '' ? '' : host.zone,
    zone_id: host.zoneId,
  };
}

/** The host's life and its agent's reachability are two vocabularies: an agent gone silent leaves the life unknown. */
export function hostStatusFields(online: boolean) {
  return {
    host_status: online ? 'running' : 'unknown',
    host_service_status: online ? 'online' : 'offline',
  };
}

export function ownerFields(project: Project, manager: string) {
  const managed = manager !== '';
  return {
    domain_id: project.domain.id,
    manager_domain: managed ? project.domain.name : '',
    manager_domain_id: managed ? project.domain.id : '',
    manager_project: managed ? project.name : '',
    manager_project_id: managed ? project.id : '',
    project: project.name,
    project_domain: project.domain.name,
    project_id: project.id,
    project_src: 'local',
    tenant: project.name,
    tenant_id: project.id,
  };
}

/** `backup_host_status` speaks of the agent, despite its name. */
export function standbyFields(host: Host | undefined) {
  return {
    backup_host_id: host?.id ?? '',
    backup_host_name: host?.name ?? '',
    backup_host_status: host === undefined ? '' : hostStatusFields(host.online).host_service_status,
  };
}

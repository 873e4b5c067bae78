import type { Weighted } from './random.ts';

/** A kind of cloud within the cloud: own machines, a virtualization that it manages, or a public cloud. */
export interface Site {
  readonly hypervisor: string;
  readonly provider: string;
  readonly storage: string;
  readonly region: string;
  /** The region's name at its provider; '' for own machines, which have no account either. */
  readonly regionExternal: string;
  readonly account: string;
  readonly zones: readonly string[];
}

/** Weight, hypervisor, provider, storage, zones, account, region at its provider, region. */
const siteRows = [
  '68 kvm OneCloud local beijing-a,beijing-b,shanghai-a - - Default',
  '4 baremetal OneCloud baremetal beijing-a,shanghai-a - - Default',
  '11 esxi VMware vsan cluster-1,cluster-2 vcenter-main VMware/datacenter-2 VMware Frankfurt',
  '8 aliyun Aliyun cloud_essd cn-hangzhou-b,cn-hangzhou-h ali-main Aliyun/cn-hangzhou Aliyun China East 1 (Hangzhou)',
  '5 huawei Huawei SSD cn-north-4a,cn-north-4b hw-main Huawei/cn-north-4 Huawei China North (Beijing 4)',
  '4 aws Aws gp3 eu-west-1a,eu-west-1b aws-main Aws/eu-west-1 AWS Europe (Ireland)',
];

export const sites: Weighted<Site> = siteRows.map((row) => {
  const [weight, hypervisor, provider, storage, zones, account, regionExternal, ...region] = row
    .split(' ')
    .map((word) => (word === '-' ? '' : word)) as [string, string, string, string, string, string, string];
  const place = { region: region.join(' '), regionExternal, account, zones: zones.split(',') };
  return [{ hypervisor, provider, storage, ...place }, Number(weight)];
});

export function siteOf({ host_type }: { readonly host_type: string }): Site {
  const hypervisor = host_type === 'hypervisor' ? 'kvm' : host_type;
  return sites.find(([site]) => site.hypervisor === hypervisor)![0];
}

export function environmentOf({ account, hypervisor }: Site): string {
  if (account === '') return 'onpremise';
  return hypervisor === 'esxi' ? 'private' : 'public';
}

export const defaultDomain = { id: 'default', name: 'Default' };
export const retailDomain = { id: '5a0e6d1c7b7e4a4c9d0f2b8c6e1a3f47', name: 'Retail' };
export const domains = [defaultDomain, retailDomain];

/** The same name in both domains, as happens on the real platform: a project's name alone identifies nothing. */
export const sharedProjectName = 'web';

export const projectNames = (
  'billing search media analytics payments identity logistics mobile warehouse support ' +
  'research training inference gateway monitoring build catalog orders pricing mail ' +
  'reporting archive ads maps video chat fraud loyalty returns stock ' +
  'crm erp hr legal finance events notify geo sessions recommendations ' +
  'ledger vouchers sandbox staging partners iot edge backup'
).split(' ');

/** Written as `word weight word weight …`. */
function weighted(text: string): Weighted<string> {
  return [...text.matchAll(/(\S+) (\d+)/g)].map(([, word = '', weight]) => [word, Number(weight)]);
}

export const statuses = weighted(
  'running 840 ready 85 suspend 6 starting 6 stopping 5 deploying 5 migrating 5 snapshot 5 resize_disk 3 ' +
    'rebuild_root 3 start_fail 6 disk_fail 2 deploy_fail 3 snapshot_failed 3 migrate_failed 2 net_fail 2 unknown 3',
);

const settled = new Set(['running', 'ready', 'suspend', 'unknown']);

export function isAtRest(status: string): boolean {
  return settled.has(status) || status.includes('fail');
}

export interface Flavour {
  readonly vcpus: number;
  readonly memoryGiB: number;
}

/** Written as `vcpus/GiB weight …`. */
function flavoursOf(text: string): Weighted<Flavour> {
  return weighted(text).map(([size, weight]) => {
    const [vcpus = 0, memoryGiB = 0] = size.split('/').map(Number);
    return [{ vcpus, memoryGiB }, weight];
  });
}

export const flavours = flavoursOf('1/1 6 1/2 10 2/4 26 4/8 24 4/16 12 8/16 10 8/32 6 16/64 4 32/128 2');
export const gpuFlavours = flavoursOf('8/64 4 16/128 4 64/512 1');

export interface DeviceModel {
  readonly kind: string;
  readonly model: string;
  readonly vendorDevice: string;
}

export const deviceModels: Weighted<DeviceModel> = [
  [{ kind: 'GPU-HPC', model: 'Tesla V100', vendorDevice: '10de:1db4' }, 4],
  [{ kind: 'GPU-HPC', model: 'Tesla T4', vendorDevice: '10de:1eb8' }, 5],
  [{ kind: 'GPU-HPC', model: 'A100 PCIe 40GB', vendorDevice: '10de:20f1' }, 4],
  [{ kind: 'GPU-VGA', model: 'GeForce RTX 3090', vendorDevice: '10de:2204' }, 2],
  [{ kind: 'NIC', model: 'ConnectX-6', vendorDevice: '15b3:101b' }, 1],
];

export const teams = ['platform', 'payments', 'data', 'mobile', 'storefront', '团队-1', '团队-2'];
export const environments = weighted('prod 6 staging 2 test 2 dev 2');
export const roles = ['front', 'api', 'worker', 'db', 'cache', 'queue', 'proxy'];

export const operatingSystems: Weighted<{ type: string; name: string; version: string }> = [
  [{ type: 'Linux', name: 'CentOS', version: '7.9' }, 5],
  [{ type: 'Linux', name: 'Ubuntu', version: '22.04' }, 8],
  [{ type: 'Linux', name: 'Debian', version: '12' }, 4],
  [{ type: 'Windows', name: 'Windows Server 2019 Datacenter', version: '10.0' }, 3],
];

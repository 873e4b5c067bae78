import type { Weighted } from './random.ts';

export interface Site {
  readonly hypervisor: string;
  readonly hostType: string;
  readonly provider: string;
  readonly cloudEnvironment: string;
  readonly region: string;
  readonly regionExternal: string;
  readonly account: string;
  readonly storage: string;
  readonly zones: readonly string[];
}

const onPremise = {
  provider: 'OneCloud',
  cloudEnvironment: 'onpremise',
  region: 'Default',
  regionExternal: '',
  account: '',
};
const publicCloud = { cloudEnvironment: 'public' };

export const kvm: Site = {
  ...onPremise,
  hypervisor: 'kvm',
  hostType: 'hypervisor',
  storage: 'local',
  zones: ['beijing-a', 'beijing-b', 'shanghai-a'],
};

export const sites: Weighted<Site> = [
  [kvm, 68],
  [
    {
      ...onPremise,
      hypervisor: 'baremetal',
      hostType: 'baremetal',
      storage: 'baremetal',
      zones: ['beijing-a', 'shanghai-a'],
    },
    4,
  ],
  [
    {
      hypervisor: 'esxi',
      hostType: 'esxi',
      provider: 'VMware',
      cloudEnvironment: 'private',
      region: 'VMware Frankfurt',
      regionExternal: 'VMware/datacenter-2',
      account: 'vcenter-main',
      storage: 'vsan',
      zones: ['cluster-1', 'cluster-2'],
    },
    11,
  ],
  [
    {
      ...publicCloud,
      hypervisor: 'aliyun',
      hostType: 'aliyun',
      provider: 'Aliyun',
      region: 'Aliyun China East 1 (Hangzhou)',
      regionExternal: 'Aliyun/cn-hangzhou',
      account: 'ali-main',
      storage: 'cloud_essd',
      zones: ['cn-hangzhou-b', 'cn-hangzhou-h'],
    },
    8,
  ],
  [
    {
      ...publicCloud,
      hypervisor: 'huawei',
      hostType: 'huawei',
      provider: 'Huawei',
      region: 'Huawei China North (Beijing 4)',
      regionExternal: 'Huawei/cn-north-4',
      account: 'hw-main',
      storage: 'SSD',
      zones: ['cn-north-4a', 'cn-north-4b'],
    },
    5,
  ],
  [
    {
      ...publicCloud,
      hypervisor: 'aws',
      hostType: 'aws',
      provider: 'Aws',
      region: 'AWS Europe (Ireland)',
      regionExternal: 'Aws/eu-west-1',
      account: 'aws-main',
      storage: 'gp3',
      zones: ['eu-west-1a', 'eu-west-1b'],
    },
    4,
  ],
];

export const defaultDomain = { id: 'default', name: 'Default' };
export const retailDomain = { id: '5a0e6d1c7b7e4a4c9d0f2b8c6e1a3f47', name: 'Retail' };

/** The same name in both domains, as happens on the real platform: a project's name alone identifies nothing. */
export const sharedProjectName = 'web';

export const projectNames = (
  'billing search media analytics payments identity logistics mobile warehouse support ' +
  'research training inference gateway monitoring build catalog orders pricing mail ' +
  'reporting archive ads maps video chat fraud loyalty returns stock ' +
  'crm erp hr legal finance events notify geo sessions recommendations ' +
  'ledger vouchers sandbox staging partners iot edge backup'
).split(' ');

export const statuses: Weighted<string> = [
  ['running', 840],
  ['ready', 85],
  ['suspend', 6],
  ['starting', 6],
  ['stopping', 5],
  ['deploying', 5],
  ['migrating', 5],
  ['snapshot', 5],
  ['resize_disk', 3],
  ['rebuild_root', 3],
  ['start_fail', 6],
  ['disk_fail', 2],
  ['deploy_fail', 3],
  ['snapshot_failed', 3],
  ['migrate_failed', 2],
  ['net_fail', 2],
  ['unknown', 3],
];

export const settledStatuses = new Set(['running', 'ready', 'suspend', 'unknown']);

export interface Flavour {
  readonly vcpus: number;
  readonly memoryGiB: number;
}

export const flavours: Weighted<Flavour> = [
  [{ vcpus: 1, memoryGiB: 1 }, 6],
  [{ vcpus: 1, memoryGiB: 2 }, 10],
  [{ vcpus: 2, memoryGiB: 4 }, 26],
  [{ vcpus: 4, memoryGiB: 8 }, 24],
  [{ vcpus: 4, memoryGiB: 16 }, 12],
  [{ vcpus: 8, memoryGiB: 16 }, 10],
  [{ vcpus: 8, memoryGiB: 32 }, 6],
  [{ vcpus: 16, memoryGiB: 64 }, 4],
  [{ vcpus: 32, memoryGiB: 128 }, 2],
];

export const gpuFlavours: Weighted<Flavour> = [
  [{ vcpus: 8, memoryGiB: 64 }, 4],
  [{ vcpus: 16, memoryGiB: 128 }, 4],
  [{ vcpus: 64, memoryGiB: 512 }, 1],
];

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
export const environments: Weighted<string> = [
  ['prod', 6],
  ['staging', 2],
  ['test', 2],
  ['dev', 2],
];
export const roles = ['front', 'api', 'worker', 'db', 'cache', 'queue', 'proxy'];

export const operatingSystems: Weighted<{ type: string; name: string; version: string }> = [
  [{ type: 'Linux', name: 'CentOS', version: '7.9' }, 5],
  [{ type: 'Linux', name: 'Ubuntu', version: '22.04' }, 8],
  [{ type: 'Linux', name: 'Debian', version: '12' }, 4],
  [{ type: 'Windows', name: 'Windows Server 2019 Datacenter', version: '10.0' }, 3],
];

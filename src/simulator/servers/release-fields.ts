import { withoutEmpties } from '../empties.ts';
import type { ServerRecord } from '../fleet/record.ts';
import type { Release } from '../release.ts';

type Fields = Readonly<Record<string, (server: ServerRecord) => unknown>>;

/** What one release says otherwise than another. */
export function releaseFields(release: Release): Fields {
  return { ...(release === '3.10' ? {} : since311), ...(release === '4.0' ? since400 : until400) };
}

const until400: Fields = {
  host_status: ({ host_status }) => olderHostWords[host_status] ?? host_status,
  isolated_devices: ({ isolated_devices }) => isolated_devices.map(bareDevice),
};

const olderHostWords: Readonly<Record<string, string>> = { running: 'online', unknown: 'offline' };

/** The planned release of a server that is not paid in advance has a field of its own. */
const since311: Fields = {
  cpu_sockets: () => 1,
  health_status: () => 'ok',
  expired_at: ({ billing_type, expired_at }) => (billing_type === 'postpaid' ? undefined : expired_at),
  release_at: ({ billing_type, expired_at }) => (billing_type === 'postpaid' ? expired_at : undefined),
};

const since400: Fields = {
  extra_cpu_count: () => 0,
  isolated_devices: ({ isolated_devices }) =>
    isolated_devices.map((device) =>
      bareDevice({ ...device, dev_type: device.dev_type.startsWith('GPU-') ? 'GPU' : device.dev_type }),
    ),
};

function bareDevice(device: ServerRecord['isolated_devices'][number]): object {
  const absent = { created_at: '', name: '', updated_at: '' };
  const more = { disk_index: 0, network_index: 0, numa_node: 0, nvme_size_mb: 0 };
  return withoutEmpties({ ...device, ...absent, ...more });
}

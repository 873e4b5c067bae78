/** Families of the contract that rules use and the code does not export yet. */
const host = ['cloud', 'region', 'zone', 'host', 'job', 'instance'];
const cloud = ['cloud', 'job', 'instance'];

export const promised: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    cloud_list_drift_total: cloud,
    cloud_host_enabled: host,
    cloud_host_cpus: host,
    cloud_host_memory_capacity_bytes: host,
    cloud_host_cpu_overcommit: host,
    cloud_host_memory_overcommit: host,
  }).map(([name, labels]) => [name, new Set(labels)]),
);

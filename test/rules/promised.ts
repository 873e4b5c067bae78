/** Families of the contract that rules use and the code does not export yet. */
const cloud = ['cloud', 'job', 'instance'];

export const promised: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    cloud_list_drift_total: cloud,
  }).map(([name, labels]) => [name, new Set(labels)]),
);

import type { ServerRecord } from '../fleet/record.ts';

/** Undocumented sums over all that match, which 3.10 adds to every page; nobody should depend on them. */
export function createSums(): (matching: readonly ServerRecord[]) => object {
  const known = new WeakMap<readonly ServerRecord[], object>();
  return (matching) => {
    const sums = known.get(matching) ?? sumUp(matching);
    known.set(matching, sums);
    return sums;
  };
}

function sumUp(matching: readonly ServerRecord[]): object {
  const sums = { count: 0, cpu_count: 0, disk_count: 0, disk_mb: 0, mem_mb: 0 };
  const statuses = new Map<string, { pending_deleted_count: number; status: string; total_count: number }>();
  for (const { vcpu_count, disk_count, disk, vmem_size, status, pending_deleted } of matching) {
    sums.cpu_count += vcpu_count;
    sums.disk_count += disk_count;
    sums.disk_mb += disk;
    sums.mem_mb += vmem_size;
    const counted = statuses.get(status) ?? { pending_deleted_count: 0, status, total_count: 0 };
    counted.total_count += 1;
    counted.pending_deleted_count += pending_deleted ? 1 : 0;
    statuses.set(status, counted);
  }
  return { ...sums, status_info: [...statuses.values()] };
}

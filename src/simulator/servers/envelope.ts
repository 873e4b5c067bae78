import type { Dialect } from '../answer.ts';
import type { ServerRecord } from '../fleet/record.ts';

export interface Envelope {
  readonly limit: number;
  readonly offset: number;
  readonly total: unknown;
  readonly matching: readonly ServerRecord[];
  readonly rows: readonly Buffer[];
  /** Sums over all that match, which 3.10 adds unasked. */
  readonly withSums: boolean;
}

const comma = Buffer.from(',');

/** A page is glued from servers that are already encoded: a page of thousands costs one copy. */
export function createEnvelope(dialect: Dialect): (envelope: Envelope) => Buffer {
  const known = new WeakMap<readonly ServerRecord[], object>();

  function sumsOf(matching: readonly ServerRecord[]): object {
    const sums = known.get(matching) ?? sumUp(matching);
    known.set(matching, sums);
    return sums;
  }

  return ({ limit, offset, total, matching, rows, withSums }) => {
    const separated = rows.flatMap((row, position) => (position === 0 ? [row] : [comma, row]));
    const wrap = (head: string, tail: string) =>
      Buffer.concat([Buffer.from(`{${head}"servers":[`), ...separated, Buffer.from(`]${tail}}`)]);

    if (dialect === 'document') return wrap(`${inner({ limit, offset })},`, followedBy({ total }));
    if (total === 0) return wrap('', '');
    const head = offset === 0 ? { limit } : { limit, offset };
    return wrap(`${inner(head)},`, followedBy({ total, ...(withSums && { totals: sumsOf(matching) }) }));
  };
}

function inner(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
}

function followedBy(fields: object): string {
  const text = inner(fields);
  return text === '' ? '' : `,${text}`;
}

/** Undocumented sums that newer platforms add; nobody should depend on them. */
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

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oddities, setStage } from '../faults/stage.ts';
import type { Parsed } from '../support/exposition.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', '"', '\\', '\n', '{', ',', '=', '\0', 'a') }),
  fc.integer({ min: 1020, max: 1030 }).map((length) => 'x'.repeat(length)),
  fc.constantFrom('other', '', 'running', 'NaN', '+Inf', '# EOF'),
);
const anyCount = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 1_000_000 }) },
  { weight: 2, arbitrary: fc.nat({ max: 1_000_000 }).map(String) },
  fc.constantFrom<unknown>(-1, 1e300, '', 'many', null, {}, [], true, '9'.repeat(30)),
);
const anyId = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-d]{1,2}$/) },
  anyText,
  fc.constantFrom<unknown>(null, 7, {}, 'i'.repeat(256), 'i'.repeat(257)),
);
const labels = ['name', 'status', 'region', 'zone', 'hypervisor', 'project', 'project_domain'] as const;
/** Fields without which a server can be counted. */
const others =
  'ips eip nics isolated_devices metadata is_gpu pending_deleted auto_renew created_at updated_at expired_at host host_status host_service_status backup_host_status'.split(
    ' ',
  );
const anyRecord = fc.record({
  id: anyId,
  vcpu_count: anyCount,
  vmem_size: anyCount,
  disk: anyCount,
  disk_count: anyCount,
  ...(Object.fromEntries(labels.map((label) => [label, anyText])) as Record<
    (typeof labels)[number],
    fc.Arbitrary<string>
  >),
});
const anyOthers = fc.dictionary(fc.constantFrom(...others), fc.constantFrom<unknown>(...oddities));
type AnyRecord = typeof anyRecord extends fc.Arbitrary<infer Value> ? Value : never;

function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isCount = typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER;
  return isCount ? number : undefined;
}

/** The rule of what counts, written down a second time and as plainly as can be: the last of an id decides. */
function counted(records: readonly AnyRecord[]): Map<string, AnyRecord> {
  const kept = new Map<string, AnyRecord>();
  for (const record of records) {
    const { id, vcpu_count, vmem_size, disk, disk_count } = record;
    if (typeof id !== 'string' || id === '' || id.length > 256 || !id.isWellFormed()) continue;
    const isCounted = [vcpu_count, vmem_size, disk, disk_count].every(
      (value) => countOf(value) !== undefined,
    );
    if (isCounted) kept.set(id, record);
    else kept.delete(id);
  }
  return kept;
}

function shown(text: string): string {
  const short = (text.length > 1024 ? `${text.slice(0, 1023)}…` : text).toWellFormed();
  return short.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '\uFFFD');
}

function expectCounted(parsed: Parsed, kept: ReadonlyMap<string, AnyRecord>): void {
  const records = [...kept.values()];
  const sum = (field: 'vcpu_count' | 'disk_count' | 'disk') =>
    records.reduce((total, record) => total + countOf(record[field])!, 0);
  expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBe(kept.size);
  expect(parsed.sum('cloud_servers')).toBe(kept.size);
  expect(parsed.sum('cloud_servers_vcpus')).toBe(sum('vcpu_count'));
  expect(parsed.sum('cloud_servers_disks')).toBe(sum('disk_count'));
  expect(parsed.sum('cloud_servers_disk_bytes')).toBe(sum('disk') * 1024 ** 2);
  for (const { labels: told } of parsed.of('cloud_server_info')) {
    const record = kept.get(told['id']!)!;
    for (const label of labels) if (label !== 'status') expect(told[label]).toBe(shown(record[label]));
  }
  expect(parsed.of('cloud_server_info')).toHaveLength(kept.size);
}

it('whatever servers have for names and numbers, those that can be counted are counted, once each', async () => {
  const { cloud, scrape } = await setStage(() => ({
    per_server: true,
    page_size: 50,
    labels: { team: 'metadata.user:team' },
  }));
  async function told(servers: readonly unknown[]): Promise<Parsed> {
    const json = { servers, total: servers.length };
    const rule = cloud.faults.set({ operation: 'list', fault: { kind: 'json', json } });
    const parsed = await scrape();
    rule.clear();
    expect(parsed.value('cloud_up')).toBe(1);
    return parsed;
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRecord, { maxLength: 20 }),
      anyOthers,
      fc.subarray([...oddities]),
      async (made, odd, strange) => {
        const records = made.map((record) => ({ ...odd, ...record }));
        // Else a disk that is gone from one list to the next would be one that was not told.
        await told([]);
        expectCounted(await told([...strange, ...records]), counted(records));
      },
    ),
    { numRuns: 40 },
  );
});

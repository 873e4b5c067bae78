import { cloudsOf, cloudsScrapedBy, recordedSums, until, type Verdict } from './observation.ts';
import type { Stage } from './stage.ts';

/** So often are the sums recorded while two exporters tell of the same clouds. */
const pointsWhileDoubled = 3;

/** One shard more, as a rolling update does it: the new one first, then the others one after the other. */
export async function addShard(stage: Stage): Promise<Verdict[]> {
  const { size, clouds, store, agents, exporters } = stage;
  const before = await Promise.all(exporters.map(cloudsOf));
  const total = size.shards + 1;
  const startedAt = Date.now();
  await stage.startExporter(size.shards, total);
  stage.tellAgents(total);
  // Both tell of the clouds that move now: this is when a cloud could count twice.
  const moving = await cloudsOf(exporters[size.shards]!);
  await until(
    stage,
    async () => (await Promise.all(agents.map(cloudsScrapedBy))).flat().length,
    (targets) => targets === clouds.list.length + moving.length,
  );
  const doubledAt = Date.now();
  await until(
    stage,
    async () => fewestPoints(stage, doubledAt),
    (points) => points >= pointsWhileDoubled,
  );
  for (let ordinal = 0; ordinal < size.shards; ordinal += 1) {
    await exporters[ordinal]!.end('SIGTERM');
    await stage.startExporter(ordinal, total);
  }
  const after = await Promise.all(exporters.map(cloudsOf));
  const settled = await until(
    stage,
    async () => ({
      agreed: await store.query(`cloud_exporter_total_shards == ${total}`),
      targets: (await Promise.all(agents.map(cloudsScrapedBy))).flat(),
      sums: await recordedSums(stage),
    }),
    ({ agreed, targets, sums }) =>
      agreed.length === total &&
      targets.length === clouds.list.length &&
      sums.right.length === clouds.list.length,
  );
  const { worst, points } = await highest(stage, startedAt);
  const stayed = before.flatMap((names, ordinal) => names.filter((name) => after[ordinal]!.includes(name)));
  const once = new Set(settled.targets).size === settled.targets.length;
  return [
    {
      title: `${size.shards} become ${total} shards: no cloud counts twice for longer than a scrape`,
      holds: worst <= 1 && points > 0,
      numbers: `the recorded sums of ${clouds.list.length} clouds have ${points} points meanwhile; of no cloud are more than ${worst} in a row too high`,
    },
    {
      title: `${size.shards} become ${total} shards: each cloud is at one exporter and at one agent`,
      holds:
        once &&
        settled.targets.length === clouds.list.length &&
        settled.agreed.length === total &&
        settled.sums.right.length === clouds.list.length &&
        stayed.length + moving.length === clouds.list.length,
      numbers: `${moving.length} clouds moved to the new one, ${stayed.length} stayed; ${settled.targets.length} targets, ${settled.sums.right.length} right sums, ${settled.agreed.length} exporters agree about the number`,
    },
  ];
}

/** The longest run of recorded points of one cloud that are above the truth, and how many points there are. */
async function highest(
  { store, clouds, size }: Stage,
  sinceMs: number,
): Promise<{ worst: number; points: number }> {
  const truth = new Map(clouds.list.map(({ name, servers }) => [name, servers]));
  const every = size.intervalSeconds;
  const recorded = await store.range(`max_over_time(cloud:cloud_servers:sum[${every}s])`, sinceMs, every);
  let worst = 0;
  for (const { labels, values } of recorded) {
    let run = 0;
    for (const value of values) {
      run = value > truth.get(labels['cloud'] ?? '')! ? run + 1 : 0;
      worst = Math.max(worst, run);
    }
  }
  return { worst, points: recorded.reduce((sum, { values }) => sum + values.length, 0) };
}

/** How often the sum of each cloud was recorded since then, at least. */
async function fewestPoints({ store }: Stage, sinceMs: number): Promise<number> {
  const seconds = Math.max(1, Math.floor((Date.now() - sinceMs) / 1000));
  const found = await store.query(`min(count_over_time(cloud:cloud_servers:sum[${seconds}s]))`);
  return found[0]?.value ?? 0;
}

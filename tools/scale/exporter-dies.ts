import {
  alerted,
  cloudsJob,
  cloudsOf,
  instancesOf,
  isSame,
  noneMissed,
  recordedSums,
  until,
  untilWhole,
  without,
  type Verdict,
} from './observation.ts';
import type { Stage } from './stage.ts';

/** One exporter ends without a word, and comes back. */
export async function letExporterDie(stage: Stage): Promise<Verdict[]> {
  const { exporters, store, size, clouds } = stage;
  const victim = exporters[1]!;
  const lost = await cloudsOf(victim);
  const others = without(
    clouds.list.map(({ name }) => name),
    lost,
  );
  const diedAt = Date.now();
  await victim.end('SIGKILL');
  const { down, sums, told } = await until(
    stage,
    async () => ({
      down: instancesOf(await store.query(`up{job="${cloudsJob}"} == 0`)),
      sums: await recordedSums(stage),
      told: await alerted(stage, 'CloudExporterDown', 'instance'),
    }),
    (seen) =>
      isSame(seen.down, lost) && isSame(seen.sums.absent, lost) && without(lost, seen.told).length === 0,
  );
  const seconds = Math.max(1, Math.ceil((Date.now() - diedAt) / 1000));
  const missed = await store.query(`min_over_time(up{job="${cloudsJob}"}[${seconds}s]) == 0`);
  const strangers = told.filter((name) => others.includes(name));
  await stage.startExporter(1, size.shards);
  const healed = await untilWhole(stage);
  return [
    {
      title: 'an exporter dies: its clouds are absent, and said to be',
      holds:
        isSame(down, lost) &&
        isSame(sums.absent, lost) &&
        without(lost, told).length === 0 &&
        lost.length > 0,
      numbers: `${lost.length} clouds were its own; ${down.length} are down, ${sums.absent.length} have no recorded sum, ${told.length} alerts CloudExporterDown wait or fire (its own target is one)`,
    },
    {
      title: 'an exporter dies: the other clouds are untouched',
      holds: isSame(sums.right, others) && strangers.length === 0,
      numbers: `${sums.right.length} of ${others.length} others have the right sum, ${strangers.length} were alerted`,
    },
    noneMissed('an exporter dies', without(instancesOf(missed), lost)),
    {
      title: 'an exporter dies: all is as before when it is back',
      holds: healed.right.length === clouds.list.length,
      numbers: `${healed.right.length} of ${clouds.list.length} clouds have the right sum`,
    },
  ];
}

import {
  alerted,
  cloudsJob,
  cloudsScrapedBy,
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

/** One Prometheus agent ends without a word: nobody writes that its targets are gone. */
export async function letAgentDie(stage: Stage): Promise<Verdict[]> {
  const { agents, clouds, store } = stage;
  const victim = agents[1]!;
  const lost = await cloudsScrapedBy(victim);
  const others = without(
    clouds.list.map(({ name }) => name),
    lost,
  );
  const diedAt = Date.now();
  await victim.end('SIGKILL');
  const { sums, told, down } = await until(
    stage,
    async () => ({
      sums: await recordedSums(stage),
      told: await alerted(stage, 'CloudNotObserved', 'cloud'),
      down: await alerted(stage, 'CloudAgentDown', 'instance'),
    }),
    (seen) => isSame(seen.sums.absent, lost) && isSame(seen.told, lost) && seen.down.length === 1,
  );
  const seconds = Math.ceil((Date.now() - diedAt) / 1000);
  const missed = instancesOf(await store.query(`min_over_time(up{job="${cloudsJob}"}[${seconds}s]) == 0`));
  await stage.startAgent(1);
  const healed = await untilWhole(stage);
  return [
    {
      title: 'a Prometheus is down: its clouds are absent, and said to be',
      holds:
        lost.length > 0 &&
        isSame(sums.absent, lost) &&
        isSame(told, lost) &&
        isSame(down, [new URL(victim.url).host]),
      numbers: `${lost.length} clouds were its own; ${sums.absent.length} have no recorded sum, ${told.length} alerts CloudNotObserved and ${down.length} CloudAgentDown wait or fire`,
    },
    {
      title: 'a Prometheus is down: the other clouds are untouched',
      holds: isSame(sums.right, others),
      numbers: `${sums.right.length} of ${others.length} others have the right sum`,
    },
    noneMissed('a Prometheus is down', missed),
    {
      title: 'a Prometheus is down: all is as before when it is back',
      holds: healed.right.length === clouds.list.length,
      numbers: `${healed.right.length} of ${clouds.list.length} clouds have the right sum`,
    },
  ];
}

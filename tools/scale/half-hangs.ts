import { median } from '../bench/race.ts';
import {
  cloudsJob,
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

/** So many intervals without a new snapshot, and a cloud is seen to hang. */
const oldIntervals = 3;
/** What counts as the same scrape time; a scrape that waits for a cloud that hangs takes nearly its whole timeout longer. */
const isUnchanged = (before: number, during: number) => during <= before * 1.5 + 0.2;

/** Every other cloud takes requests and never answers. */
export async function letHalfHang(stage: Stage): Promise<Verdict[]> {
  const { clouds, store, size } = stage;
  const names = clouds.list.map(({ name }) => name);
  const hanging = names.filter((_, index) => index % 2 === 0);
  const others = without(names, hanging);
  const before = await scrapeSeconds(stage, others);
  const hungAt = Date.now();
  await clouds.hang(hanging);
  const age = oldIntervals * size.intervalSeconds;
  const late = `max by (instance) (timestamp(cloud_snapshot_timestamp_seconds{job="${cloudsJob}"}) - cloud_snapshot_timestamp_seconds) > ${age}`;
  const findOld = async () => instancesOf(await store.query(late));
  const old = await until(stage, findOld, (seen) => isSame(seen, hanging));
  const seconds = Math.ceil((Date.now() - hungAt) / 1000);
  // The exporters' own targets among them: what they tell of themselves must not wait for a cloud either.
  const scraped = 'up{job=~"cloud-platform-exporter.*"}';
  const missed = instancesOf(await store.query(`min_over_time(${scraped}[${seconds}s]) == 0`));
  const sums = await recordedSums(stage);
  const during = await scrapeSeconds(stage, others);
  await clouds.release();
  // Their sums were right all the time: it is the age of the snapshot that shows whether they answer.
  const stillOld = await until(stage, findOld, (seen) => seen.length === 0);
  const healed = await untilWhole(stage);
  const untouched = without(others, [...old, ...sums.wrong, ...sums.absent]);
  return [
    {
      title: 'half of the clouds hang: they are seen to, and every other cloud stays right and fresh',
      holds: isSame(old, hanging) && untouched.length === others.length,
      numbers: `${old.length} of ${hanging.length} have an old snapshot; ${untouched.length} of ${others.length} others do not, and have the right sum`,
    },
    noneMissed('half of the clouds hang', without(missed, hanging)),
    {
      title: "half of the clouds hang: the others' scrape time is unchanged",
      holds: isUnchanged(before, during),
      numbers: `median ${before.toFixed(2)} s before, ${during.toFixed(2)} s meanwhile`,
      isTiming: true,
    },
    {
      title: 'half of the clouds hang: all is as before when they answer again',
      holds: healed.right.length === names.length && stillOld.length === 0,
      numbers: `${healed.right.length} of ${names.length} clouds have the right sum, ${stillOld.length} an old snapshot`,
    },
  ];
}

async function scrapeSeconds({ store, size }: Stage, names: readonly string[]): Promise<number> {
  const window = `${oldIntervals * size.intervalSeconds}s`;
  const known = new Set(names);
  const found = await store.query(`avg_over_time(scrape_duration_seconds{job="${cloudsJob}"}[${window}])`);
  return median(found.filter(({ labels }) => known.has(labels['instance'] ?? '')).map(({ value }) => value));
}

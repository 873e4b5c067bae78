import { createGate } from '../../test/support/gate.ts';
import { inDetail, oneLife, openWorld, type Plan, type Outcome } from './world.ts';

/**
 * In scrapes, a minute each, or more than two where a collection is given up. What is lacking for half an hour is the
 * platform's word, and counts.
 */
const longestFault = 18;
const pause = 4;
/** A collection that hangs is given up before the next scrape. */
const settings = () => ({ collection_timeout: '20s', max_stale: '10m' });

/**
 * Answers that lack what was looked up, deletions, moves and collections that are given up while they still read. While
 * the cloud is up no sum is wrong. Servers come, and get other disks, only while answers are whole: of who was never
 * told otherwise nobody could know, nor of who changed and has what hardly another has.
 */
export async function soakIncomplete({ mode, collections, seed }: Plan): Promise<Outcome> {
  const figures = {
    collections: 0,
    'while answers were incomplete': 0,
    'answers counted as incomplete': 0,
    'collections given up': 0,
    'wrong sums while up': 0,
  };
  const faults: string[] = [];

  async function live(seed: number): Promise<void> {
    const world = await openWorld(seed, mode, settings);
    const { random, cloud, fleet, one, clock, events } = world;
    const { create, ...others } = events;
    let [faultLeft, whole, suspect] = [0, 0, 0];

    /** Its version moves with its name. */
    function resize(): void {
      const { id, name, disk, disks_info } = one();
      const [first, ...rest] = disks_info;
      if (!first) return;
      const larger = { disk: disk + 1024, disks_info: [{ ...first, size: first.size + 1024 }, ...rest] };
      fleet.change(id, { name: `${name}+`.slice(-40), ...larger });
    }

    /** A collection reads until it is given up, and what it still reads comes when nobody waits for it. */
    async function giveUp(): Promise<void> {
      const [reached, gate] = [createGate(), createGate()];
      let before = random.below(4);
      cloud.hooks.beforePage = () => {
        if ((before -= 1) >= 0) return undefined;
        reached.open();
        return gate.passed;
      };
      const scraping = world.scrape();
      const isHeld = await Promise.race([reached.passed.then(() => true), scraping.then(() => false)]);
      cloud.hooks.beforePage = undefined;
      if (isHeld) await clock.advance(20_000);
      const { isUp } = await scraping;
      if (isHeld) figures['collections given up'] += 1;
      if (isHeld && isUp) faults.push(`seed ${seed}: up, though the collection was given up`);
      random.pick(Object.values(others))();
      gate.open();
    }

    function changeFaults(): void {
      whole = faultLeft > 0 ? 0 : whole + 1;
      if (faultLeft > 0 && (faultLeft -= 1) === 0) cloud.faults.clear();
      if (whole <= pause || !random.chance(0.15)) return;
      faultLeft = 1 + random.below(longestFault);
      const times = random.chance(0.3) ? { times: 1 + random.below(4) } : {};
      cloud.faults.set({ operation: 'list', where: inDetail, fault: world.halfTold(), ...times });
      if (random.chance(0.3)) cloud.faults.set({ operation: 'hosts', fault: world.halfTold(), ...times });
    }

    world.spare(({ isolated_devices }) => faultLeft > 0 && isolated_devices.length > 0);
    for (let count = 0; count < oneLife && faults.length < 10; count += 1) {
      changeFaults();
      const possible = [...Object.values(others), ...(faultLeft === 0 && whole > 1 ? [create, resize] : [])];
      for (let left = random.below(4); left > 0; left -= 1) random.pick(possible)();
      if (count > 3 && random.chance(0.05)) await giveUp();
      const { parsed, isUp, wrong } = await world.scrape();
      figures.collections += 1;
      if (faultLeft > 0) figures['while answers were incomplete'] += 1;
      figures['answers counted as incomplete'] -= suspect;
      figures['answers counted as incomplete'] += suspect = parsed.sum('cloud_list_suspect_pages_total');
      if (isUp && wrong.length > 0) figures['wrong sums while up'] += 1;
      const words = isUp ? wrong.slice(0, 2) : ['the cloud is down'];
      if (words.length > 0) faults.push(`seed ${seed}, scrape ${count}: ${words.join('; ')}`);
    }
    await world.close();
    process.stderr.write(`${figures.collections} collections\n`);
  }

  for (let life = 0; figures.collections < collections && faults.length < 10; life += 1)
    await live(seed + life);
  return { figures, faults };
}

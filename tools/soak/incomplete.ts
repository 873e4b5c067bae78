import { createRandom } from '../../src/simulator/fleet/random.ts';
import { createGate } from '../../test/support/gate.ts';
import { inDetail, openWorld, type Mode, type Tally } from './world.ts';

/** Longer ones are the platform's word: what it lacks for half an hour counts. */
const longestFault = 25;
const pause = 4;
const oneLife = 400;
/** Within a minute, so that a collection that hangs is given up before the next scrape. */
const settings = { collection_timeout: '20s', max_stale: '10m' };

/**
 * Answers that lack what was looked up, deletions, moves and collections that are given up while they still read. While
 * the cloud is up no sum is wrong. Servers come, and get other disks, only while answers are whole: of who was never
 * told otherwise nobody could know.
 */
export async function soakIncomplete(mode: Mode, collections: number, seed: number): Promise<Tally> {
  const figures = {
    collections: 0,
    'with incomplete answers': 0,
    'incomplete answers that were noticed': 0,
    'collections given up': 0,
    'wrong sums': 0,
  };
  const faults: string[] = [];
  for (let life = 0; figures.collections < collections && faults.length < 10; life += 1)
    await live(seed + life);
  return { figures, faults };

  async function live(seed: number): Promise<void> {
    const random = createRandom(seed, 0x1c03);
    const world = await openWorld(seed, mode, random, settings);
    const { cloud, fleet, one, clock, events } = world;
    const { create, ...others } = events;
    let [faultLeft, whole, noticed] = [0, 0, 0];

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
      if (isHeld && isUp) faults.push(`seed ${seed}: up, though it was given up`);
      random.pick(Object.values(others))();
      gate.open();
    }

    try {
      for (let count = 0; count < oneLife && faults.length < 10; count += 1) {
        if (faultLeft > 0) {
          faultLeft -= 1;
          whole = 0;
          if (faultLeft === 0) cloud.faults.clear();
        } else if ((whole += 1) > pause && random.chance(0.15)) {
          faultLeft = 1 + random.below(longestFault);
          const times = random.chance(0.3) ? { times: 1 + random.below(4) } : {};
          cloud.faults.set({ operation: 'list', where: inDetail, fault: world.halfTold(), ...times });
          if (random.chance(0.3)) cloud.faults.set({ operation: 'hosts', fault: world.halfTold(), ...times });
        }
        const isTold = faultLeft === 0 && whole > 1;
        const possible = [...Object.values(others), ...(isTold ? [create, resize] : [])];
        for (let more = random.below(4); more > 0; more -= 1) random.pick(possible)();
        if (count > 3 && random.chance(0.05)) await giveUp();
        const { parsed, isUp, wrong } = await world.scrape();
        const suspect = parsed.sum('cloud_list_suspect_pages_total');
        figures.collections += 1;
        if (faultLeft > 0) figures['with incomplete answers'] += 1;
        figures['incomplete answers that were noticed'] += suspect - noticed;
        noticed = suspect;
        if (!isUp) faults.push(`seed ${seed}, scrape ${count}: the cloud is down`);
        if (!isUp || wrong.length === 0) continue;
        figures['wrong sums'] += 1;
        faults.push(`seed ${seed}, scrape ${count}: ${wrong.slice(0, 2).join('; ')}`);
      }
    } finally {
      await world.close();
    }
  }
}

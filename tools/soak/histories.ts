import { createRandom } from '../../src/simulator/fleet/random.ts';
import { histories, quietAfter } from '../../test/properties/quiet-hour.ts';
import { liveThrough } from '../../test/properties/sums-history.ts';
import type { Outcome } from './weather.ts';

const names = Object.keys(histories);
const scrapesOfOne = 60;

/** The properties of sums and of cost, by the thousand: one history after the other, each from a seed of its own. */
export async function soakHistories(plan: {
  readonly seed: number;
  readonly collections: number;
}): Promise<Outcome> {
  const faults: string[] = [];
  const figures = { histories: 0, 'quiet hours': 0 };
  for (
    let seed = plan.seed;
    figures.histories * scrapesOfOne < plan.collections && faults.length < 10;
    seed += 1
  ) {
    faults.push(...(await liveThrough(seed, scrapesOfOne)));
    figures.histories += 1;
    const random = createRandom(seed, 0x9e7);
    const some = Array.from({ length: 1 + random.below(5) }, () => random.pick(names));
    const wrong = await quietAfter(some, { seed, before: random.below(4), minutes: 60 });
    faults.push(...wrong.map((one) => `seed ${seed}, after ${some.join(', ')}: ${one}`));
    figures['quiet hours'] += 1;
    process.stderr.write(`${figures.histories} histories\n`);
  }
  return { figures, faults };
}

import { createRandom, type Random } from '../../src/simulator/fleet/random.ts';
import { minuteMs } from '../exporter-here.ts';
import { inDetail, openWorld, type Tally, type World } from './world.ts';

const listMaxAgeMs = 5 * minuteMs;
/** Scrapes of one fleet; then comes another. */
const oneLife = 400;

/**
 * Lists of changes of fleets that do what no list of changes shows. A sum may be wrong until the next full list, which
 * is at most list_max_age away and counts what it finds to differ.
 */
export async function soakChanges(collections: number, seed: number): Promise<Tally> {
  const figures = {
    'lists of changes': 0,
    'full lists': 0,
    'of these after a doubt': 0,
    'scrapes with a wrong sum': 0,
    'wrong sums that a full list ended': 0,
    'of these counted': 0,
    'wrong sums that another change of the same servers ended': 0,
    'longest minutes since the last full list': 0,
    'failed collections': 0,
  };
  const faults: string[] = [];
  for (let life = 0; figures['lists of changes'] < collections && faults.length < 10; life += 1)
    await live(seed + life);
  return { figures, faults };

  async function live(seed: number): Promise<void> {
    const random = createRandom(seed, 0xc4a2);
    const world = await openWorld(seed, 'changes', random);
    const happen = createOddities(world, random);
    let [fullAt, drift, wasWrong] = [0, 0, false];
    try {
      for (let count = 0; count < oneLife && faults.length < 10; count += 1) {
        const isQuiet = count < 3 || !happen();
        const { parsed, isUp, isFull, wrong } = await world.scrape();
        const now = world.clock.monotonic();
        const sinceMs = count === 0 ? 0 : now - fullAt;
        const counted = parsed.value('cloud_list_drift_total') ?? 0;
        const words = () => `seed ${seed}, scrape ${count}: ${wrong.slice(0, 2).join('; ')}`;
        figures[isFull ? 'full lists' : 'lists of changes'] += 1;
        if (isFull && sinceMs < listMaxAgeMs && count > 3) figures['of these after a doubt'] += 1;
        if (!isUp) figures['failed collections'] += 1;
        if (wrong.length > 0) figures['scrapes with a wrong sum'] += 1;
        if (wrong.length > 0 && isFull) faults.push(`wrong after a full list, ${words()}`);
        if (wrong.length > 0 && sinceMs >= listMaxAgeMs) faults.push(`wrong for too long, ${words()}`);
        if (wasWrong && wrong.length === 0) {
          const isFound = counted > drift;
          const end = isFull && (isQuiet || isFound);
          figures[
            end
              ? 'wrong sums that a full list ended'
              : 'wrong sums that another change of the same servers ended'
          ] += 1;
          if (end && isFound) figures['of these counted'] += 1;
          if (end && !isFound) faults.push(`ended uncounted, ${words()}`);
        }
        const minutes = 'longest minutes since the last full list';
        if (!isFull) figures[minutes] = Math.max(figures[minutes], sinceMs / minuteMs);
        if (isFull) fullAt = now;
        // For an hour lists are full; there is nothing to learn of them.
        if (counted > drift) await world.clock.advance(60 * minuteMs);
        [drift, wasWrong] = [counted, wrong.length > 0];
      }
    } finally {
      await world.close();
    }
  }
}

/** Something happens, or not: mostly what is told as it should be, now and then what is not. */
function createOddities({ fleet, events, one, clock, cloud, setClock, halfTold }: World, random: Random) {
  const { servers } = fleet.tables;
  let backup = fleet.servers;
  const odd: Readonly<Record<string, () => void>> = {
    edit() {
      const { id, updated_at, update_version, vcpu_count } = one();
      fleet.change(id, { vcpu_count: vcpu_count + 1, updated_at, update_version });
    },
    vanish: () => void servers.remove([one().id]),
    replace() {
      servers.remove([one().id]);
      fleet.create(1);
    },
    roll: () => setClock(random.pick([-2 * 3_600_000, -90_000, 0, 0, 90_000, 3_600_000])),
    back: () => void (backup = fleet.servers),
    /** Who came since then is gone, who vanished is back, and the others are as they were. */
    restore() {
      const [then, deleted] = [
        new Map(backup.map((server) => [server.id, server])),
        new Set(fleet.tombstones.map(({ id }) => id)),
      ];
      servers.remove(fleet.servers.filter(({ id }) => !then.has(id)).map(({ id }) => id));
      const present = new Set(fleet.servers.map(({ id }) => id));
      servers.replace([...present], ({ id }) => then.get(id)!);
      servers.add(backup.filter(({ id }) => !present.has(id) && !deleted.has(id)));
    },
    /** It waited behind a lock, and shows after its own time. */
    late() {
      const at = clock.now() - random.below(45_000);
      fleet.change(one().id, { status: 'start_fail' }, { at });
    },
    halfTell: () =>
      void cloud.faults.set({
        operation: 'list',
        where: inDetail,
        times: 1 + random.below(3),
        fault: halfTold(),
      }),
  };
  return (): boolean => {
    const usual = random.chance(0.6);
    const isOdd = random.chance(0.06);
    if (usual) for (let count = random.below(3); count >= 0; count -= 1) random.pick(Object.values(events))();
    if (isOdd) random.pick(Object.values(odd))();
    return usual || isOdd;
  };
}

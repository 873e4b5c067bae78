import { minuteMs } from '../../test/support/manual-clock.ts';
import { inDetail, oneLife, openWorld, type Plan, type Tally, type World } from './world.ts';

const listMaxAgeMs = 5 * minuteMs;
/** Of rooms there is nothing to learn here. */
const settings = () => ({ room_max_age: '6h' });

/**
 * Lists of changes of fleets that do what no list of changes shows. A sum may be wrong until the next full list, which
 * is at most list_max_age away and counts what it finds to differ.
 */
export async function soakChanges({ collections, seed }: Plan): Promise<Tally> {
  const figures = {
    'lists of changes': 0,
    'full lists': 0,
    'scrapes with a wrong sum': 0,
    'wrong sums that a full list ended and counted': 0,
    'wrong sums that ended with another change of the same servers': 0,
    'minutes since the last full list, at most': 0,
    'failed collections': 0,
  };
  const faults: string[] = [];

  async function live(seed: number): Promise<void> {
    const world = await openWorld(seed, 'changes', settings);
    const happen = createOddities(world);
    const before = figures['lists of changes'];
    let [fullAt, drift, wasWrong] = [0, 0, false];
    for (let count = 0; count < oneLife && faults.length < 10; count += 1) {
      const isQuiet = count < 3 || !happen();
      const { parsed, isUp, isFull, wrong } = await world.scrape();
      const now = world.clock.monotonic();
      const sinceMs = isFull ? 0 : now - fullAt;
      const counted = parsed.value('cloud_list_drift_total') ?? 0;
      const isCounted = counted > drift;
      const blame = (what: string) =>
        faults.push(`${what}, seed ${seed}, scrape ${count}: ${wrong.slice(0, 2).join('; ')}`);
      const most = Math.max(figures['minutes since the last full list, at most'], sinceMs / minuteMs);
      figures['minutes since the last full list, at most'] = most;
      figures[isFull ? 'full lists' : 'lists of changes'] += 1;
      if (!isUp) figures['failed collections'] += 1;
      if (wrong.length > 0) figures['scrapes with a wrong sum'] += 1;
      if (wrong.length > 0 && isFull) blame('wrong after a full list');
      if (wrong.length > 0 && sinceMs >= listMaxAgeMs) blame('wrong for too long');
      if (wasWrong && wrong.length === 0) {
        // What changed once more meanwhile, as it should, is no longer different from what was told of it.
        if (isFull && isQuiet && !isCounted) blame('ended uncounted');
        const how =
          isFull && isCounted
            ? 'a full list ended and counted'
            : 'ended with another change of the same servers';
        figures[`wrong sums that ${how}`] += 1;
      }
      if (isFull) fullAt = now;
      // For an hour lists are full; there is nothing to learn of them.
      if (isCounted) await world.clock.advance(60 * minuteMs);
      [drift, wasWrong] = [counted, wrong.length > 0];
    }
    if (figures['lists of changes'] === before) faults.push(`no list of changes, seed ${seed}`);
    await world.close();
    process.stderr.write(`${figures['lists of changes']} lists of changes\n`);
  }

  for (let life = 0; figures['lists of changes'] < collections && faults.length < 10; life += 1)
    await live(seed + life);
  return { figures, faults };
}

/** Mostly what is told as it should be, now and then what is not; returns whether anything happened. */
function createOddities({ random, fleet, events, one, clock, cloud, setClock, halfTold }: World) {
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
    /** The platform's clock. */
    roll: () => setClock(random.pick([-2 * 3_600_000, -90_000, 0, 0, 90_000, 3_600_000])),
    backUp: () => void (backup = fleet.servers),
    /** Who came since then is gone, who vanished is back, and the others are as they were. */
    restore() {
      const then = new Map(backup.map((server) => [server.id, server]));
      const deleted = new Set(fleet.tombstones.map(({ id }) => id));
      servers.remove(fleet.servers.filter(({ id }) => !then.has(id)).map(({ id }) => id));
      const present = new Set(fleet.servers.map(({ id }) => id));
      servers.replace(present, ({ id }) => then.get(id)!);
      servers.add(backup.filter(({ id }) => !present.has(id) && !deleted.has(id)));
    },
    /** It waited behind a lock, and shows after its own time. */
    late: () =>
      void fleet.change(one().id, { status: 'start_fail' }, { at: clock.now() - random.below(45_000) }),
    halfTell: () =>
      void cloud.faults.set({
        operation: 'list',
        where: inDetail,
        times: 1 + random.below(3),
        fault: halfTold(),
      }),
  };
  return (): boolean => {
    const [isUsual, isOdd] = [random.chance(0.6), random.chance(0.06)];
    for (let left = isUsual ? 1 + random.below(3) : 0; left > 0; left -= 1)
      random.pick(Object.values(events))();
    if (isOdd) random.pick(Object.values(odd))();
    return isUsual || isOdd;
  };
}

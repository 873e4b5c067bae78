import { minuteMs, stamp } from '../answer.ts';
import { fillingZone, noLoad } from './host.ts';
import type { FleetPlan } from './population.ts';
import { createRandom, type Random, type Weighted } from './random.ts';
import { isAtRest, type ServerRecord } from './record.ts';
import { hasRoom, loadsOf } from './room.ts';
import { createWorld, type World } from './world.ts';

export type Fleet = ReturnType<typeof createFleet>;

/** Everything that a cloud has, the same for the same seed and moment. */
export function createFleet(plan: FleetPlan) {
  const world = createWorld(plan);
  return Object.assign(world, createLife(world, plan.seed ?? 1));
}

const stepMs = 5_000;
const mostStepsAtOnce = 720;
const mostEventsPerStep = 40;
const stepsBetweenOutages = 60;
/** A quarter of an hour. */
const stepsBetweenSyncs = 180;
const shortestOutage = 12;

/** Statuses that a server goes through one after the other; '' is the end at which it leaves the list. */
type Course = readonly string[];

const gone = '';
const removal: Course = ['start_delete', 'deleting', gone];
const recovery: Course = ['sync_status', 'starting', 'running'];

/** Written as a weight and the statuses. */
function courses(...texts: readonly string[]): Weighted<Course> {
  return texts.map((text) => text.split(' ')).map(([weight, ...course]) => [course, Number(weight)]);
}

const fromRunning = courses(
  '9 stopping ready',
  '25 snapshot running',
  '4 snapshot snapshot_failed running',
  '20 start_migrate migrating running',
  '4 migrating migrate_failed sync_status running',
  '10 start_resize_disk resize_disk running',
  '10 sync_config running',
);
const fromReady = courses(
  '80 start_start starting running',
  '12 starting start_fail starting running',
  '8 rebuild_root ready',
);
const births: Weighted<Course> = [
  ...courses('96 schedule deploying starting running', '2 schedule deploying deploy_fail'),
  [['schedule', 'net_fail', ...removal], 2],
];

function chooseCourse({ status, host_id, pending_deleted }: ServerRecord, random: Random): Course {
  if (pending_deleted) return random.chance(0.1) ? removal : [];
  if (host_id === '') return random.chance(0.3) ? removal : [];
  if (status === 'running') return random.weighted(fromRunning);
  if (status === 'ready') return random.weighted(fromReady);
  /** What hangs in a transition since before is left alone, so that there is something stuck to be found. */
  return isAtRest(status) ? recovery : [];
}

/** A fleet's life in steps of five seconds, taken only when it is asked how time has passed: no timers. */
function createLife(world: World, seed: number) {
  const bornSize = world.servers.length;
  const plans = new Map<string, { readonly course: Course; readonly dueStep: number }>();
  let outage: { readonly hostId: string; readonly endsAtStep: number } | undefined;
  let step = 0;
  let at = world.bornAtMs;
  let random = createRandom(seed);

  function takeStep(): void {
    changeOutage();
    for (const [id, { course, dueStep }] of plans) if (dueStep <= step) follow(id, course);
    const events = Math.min(mostEventsPerStep, Math.ceil(world.servers.length / 250));
    for (let event = 0; event < events; event += 1) {
      const server = pickIdle();
      if (server !== undefined) follow(server.id, chooseCourse(server, random));
    }
    if (step % stepsBetweenSyncs === 0) world.synchronise(at);
    if (step % 2 === 0) fillZone(pickIdle());
    approachSize();
  }

  function follow(id: string, [status, ...rest]: Course): void {
    plans.delete(id);
    if (status === gone) return world.remove([id], { at });
    if (status === undefined || world.find(id) === undefined) return;
    world.change(id, { status }, { at });
    if (rest.length > 0) plans.set(id, { course: rest, dueStep: step + 1 + random.below(4) });
  }

  /** Who is on a host that was silent before life began is left alone: an operator's board is never all green. */
  function pickIdle(): ServerRecord | undefined {
    const server = world.servers[random.below(world.servers.length)];
    const isBusy = server === undefined || plans.has(server.id) || server.host_status === 'unknown';
    return isBusy ? undefined : server;
  }

  /** Now and then a host falls silent: its servers are unknown until it is back. One host at a time. */
  function changeOutage(): void {
    const candidate = world.servers[random.below(world.servers.length)];
    if (outage !== undefined) {
      if (step < outage.endsAtStep) return;
      switchHost(outage.hostId, true);
      outage = undefined;
    } else if (candidate?.hypervisor === 'kvm' && candidate.host_status === 'running') {
      if (!random.chance(1 / stepsBetweenOutages)) return;
      const endsAtStep = step + shortestOutage + random.below(shortestOutage);
      outage = { hostId: candidate.host_id, endsAtStep };
      switchHost(outage.hostId, false);
    }
  }

  function switchHost(hostId: string, isBack: boolean): void {
    world.silenceHost(hostId, !isBack);
    const ids = world.servers.filter(({ host_id }) => host_id === hostId).map(({ id }) => id);
    world.changeAll(ids, () => ({ status: isBack ? 'running' : 'unknown' }), { at });
    for (const id of ids) plans.delete(id);
  }

  /** One zone gets full: every ten seconds a server moves there, until none of its hosts has room. */
  function fillZone(server: ServerRecord | undefined): void {
    const isMovable = server?.status === 'running' && server.hypervisor === 'kvm';
    if (!isMovable || server.zone === fillingZone || server.is_gpu || server.pending_deleted) return;
    const loads = loadsOf(world.servers);
    const host = world.hosts.find((one) => {
      const isFit = one.zone === fillingZone && one.host_type === server.host_type && one.enabled;
      return isFit && one.status === 'running' && hasRoom(one, loads.get(one.id) ?? noLoad, server);
    });
    if (host === undefined) return;
    world.moveServer(server.id, host.id, { at });
    follow(server.id, ['migrating', 'running']);
  }

  /** The size goes up and down in waves, so that a graph of it moves within minutes. */
  function approachSize(): void {
    const wave = (minutes: number) => Math.sin((2 * Math.PI * step * stepMs) / (minutes * minuteMs));
    const wanted = Math.round(bornSize * (1 + 0.06 * wave(15) + 0.03 * wave(4)));
    const leaving = [...plans.values()].filter(({ course }) => course.at(-1) === gone).length;
    const missing = wanted - (world.servers.length - leaving);
    const pace = Math.min(mostEventsPerStep, Math.ceil(bornSize / 100));
    if (missing > 0) {
      const born = { created_at: stamp(at), updated_at: stamp(at) };
      for (const { id, host_id } of world.create(Math.min(missing, pace), born))
        if (host_id !== '') follow(id, random.weighted(births));
    }
    for (let left = Math.min(-missing, pace); left > 0; left -= 1) {
      const server = pickIdle();
      if (server !== undefined) follow(server.id, removal);
    }
  }

  return {
    /** Lets the time until then pass: the same seed and moments give the same life. */
    live(nowMs: number): void {
      const target = Math.floor((nowMs - world.bornAtMs) / stepMs);
      for (step = Math.max(step, target - mostStepsAtOnce); step < target;) {
        step += 1;
        at = world.bornAtMs + step * stepMs;
        random = createRandom(seed, step, 0x11fe);
        takeStep();
      }
    },
  };
}

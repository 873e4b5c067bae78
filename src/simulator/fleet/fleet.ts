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
const shortestOutage = 12;

/** Statuses that a server goes through one after the other; '' is the end at which it leaves the list. */
type Course = readonly string[];

const gone = '';
const removal: Course = ['start_delete', 'deleting', gone];
const recovery: Course = ['sync_status', 'starting', 'running'];

const fromRunning: Weighted<Course> = [
  [['stopping', 'ready'], 9],
  [['snapshot', 'running'], 25],
  [['snapshot', 'snapshot_failed', 'running'], 4],
  [['start_migrate', 'migrating', 'running'], 20],
  [['migrating', 'migrate_failed', 'sync_status', 'running'], 4],
  [['start_resize_disk', 'resize_disk', 'running'], 10],
  [['sync_config', 'running'], 10],
];

const fromReady: Weighted<Course> = [
  [['start_start', 'starting', 'running'], 80],
  [['starting', 'start_fail', 'starting', 'running'], 12],
  [['rebuild_root', 'ready'], 8],
];

const births: Weighted<Course> = [
  [['schedule', 'deploying', 'starting', 'running'], 96],
  [['schedule', 'deploying', 'deploy_fail'], 2],
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

interface Step {
  readonly step: number;
  readonly at: number;
  readonly random: Random;
}

/** A fleet's life in steps of five seconds, taken only when it is asked how time has passed: no timers. */
function createLife(fleet: World, seed: number) {
  const bornSize = fleet.servers.length;
  const plans = new Map<string, { readonly course: Course; readonly dueStep: number }>();
  let outage: { readonly hostId: string; readonly endsAtStep: number } | undefined;
  let lived = 0;

  function follow(id: string, course: Course, { step, at, random }: Step): void {
    const [status, ...rest] = course;
    plans.delete(id);
    if (status === undefined) return;
    if (status === gone) return fleet.remove([id], { at });
    if (fleet.find(id) === undefined) return;
    fleet.change(id, { status }, { at });
    if (rest.length > 0) plans.set(id, { course: rest, dueStep: step + 1 + random.below(4) });
  }

  function takeStep(step: number): void {
    const moment = { step, at: fleet.bornAtMs + step * stepMs, random: createRandom(seed, step, 0x11fe) };
    const { random } = moment;
    changeOutage(moment);
    for (const [id, { course, dueStep }] of plans) if (dueStep <= step) follow(id, course, moment);
    const events = Math.min(mostEventsPerStep, Math.ceil(fleet.servers.length / 250));
    for (let event = 0; event < events; event += 1) {
      const server = pickIdle(random);
      if (server !== undefined) follow(server.id, chooseCourse(server, random), moment);
    }
    if (step % 2 === 0) fillZone(pickIdle(random), moment);
    approachSize(moment);
  }

  /** Who is on a host that was silent before life began is left alone: an operator's board is never all green. */
  function pickIdle(random: Random): ServerRecord | undefined {
    const server = fleet.servers[random.below(fleet.servers.length)];
    const isBusy = server === undefined || plans.has(server.id) || server.host_status === 'unknown';
    return isBusy ? undefined : server;
  }

  /** Now and then a host falls silent: its servers are unknown until it is back. One host at a time. */
  function changeOutage({ step, at, random }: Step): void {
    const candidate = fleet.servers[random.below(fleet.servers.length)];
    if (outage !== undefined) {
      if (step < outage.endsAtStep) return;
      switchHost(outage.hostId, true, at);
      outage = undefined;
      return;
    }
    const isFit = candidate?.hypervisor === 'kvm' && candidate.host_status === 'running';
    if (!isFit || !random.chance(1 / stepsBetweenOutages)) return;
    outage = { hostId: candidate.host_id, endsAtStep: step + shortestOutage + random.below(shortestOutage) };
    switchHost(outage.hostId, false, at);
  }

  function switchHost(hostId: string, isBack: boolean, at: number): void {
    fleet.silenceHost(hostId, !isBack);
    const ids = fleet.servers.filter(({ host_id }) => host_id === hostId).map(({ id }) => id);
    fleet.changeAll(ids, () => ({ status: isBack ? 'running' : 'unknown' }), { at });
    for (const id of ids) plans.delete(id);
  }

  /** One zone gets full: every ten seconds a server moves there, until none of its hosts has room. */
  function fillZone(server: ServerRecord | undefined, moment: Step): void {
    const isMovable =
      server?.status === 'running' && server.hypervisor === 'kvm' && server.zone !== fillingZone;
    if (!isMovable || server.is_gpu || server.pending_deleted) return;
    const loads = loadsOf(fleet.servers);
    const host = fleet.hosts.find(
      (one) =>
        one.zone === fillingZone &&
        one.host_type === server.host_type &&
        one.enabled &&
        one.status === 'running' &&
        hasRoom(one, loads.get(one.id) ?? noLoad, server),
    );
    if (host === undefined) return;
    fleet.moveServer(server.id, host.id, { at: moment.at });
    follow(server.id, ['migrating', 'running'], moment);
  }

  /** The size goes up and down in waves, so that a graph of it moves within minutes. */
  function approachSize(moment: Step): void {
    const wave = (minutes: number) => Math.sin((2 * Math.PI * moment.step * stepMs) / (minutes * minuteMs));
    const wanted = Math.round(bornSize * (1 + 0.06 * wave(15) + 0.03 * wave(4)));
    const leaving = [...plans.values()].filter(({ course }) => course.at(-1) === gone).length;
    const missing = wanted - (fleet.servers.length - leaving);
    const pace = Math.min(mostEventsPerStep, Math.ceil(bornSize / 100));
    if (missing > 0) {
      const born = { created_at: stamp(moment.at), updated_at: stamp(moment.at) };
      for (const { id, host_id } of fleet.create(Math.min(missing, pace), born))
        if (host_id !== '') follow(id, moment.random.weighted(births), moment);
    }
    for (let left = Math.min(-missing, pace); left > 0; left -= 1) {
      const server = pickIdle(moment.random);
      if (server !== undefined) follow(server.id, removal, moment);
    }
  }

  return {
    live(nowMs: number): void {
      const target = Math.floor((nowMs - fleet.bornAtMs) / stepMs);
      lived = Math.max(lived, target - mostStepsAtOnce);
      while (lived < target) takeStep((lived += 1));
    },
  };
}

import { chooseCourse, gone, newbornCourse, removalCourse, type Course } from './courses.ts';
import { createFilling } from './filling.ts';
import type { HostChanges } from './host-changes.ts';
import type { Hosts } from './hosts.ts';
import { createOutages } from './outages.ts';
import type { Population } from './population.ts';
import { createRandom, type Random } from './random.ts';
import { minuteMs, stamp } from '../timestamp.ts';

const stepMs = 5_000;
const mostStepsAtOnce = 720;
const mostEventsPerStep = 40;

export interface LifeParts {
  readonly population: Population;
  readonly hosts: Hosts;
  readonly changes: HostChanges;
  readonly seed: number;
}

/** A fleet's life in steps of five seconds, taken only when it is asked how time has passed: no timers. */
export function createLife({ population, hosts, changes, seed }: LifeParts) {
  const { bornAtMs } = population;
  const bornSize = population.servers.length;
  const plans = new Map<string, { readonly course: Course; readonly dueStep: number }>();
  const outages = createOutages(population, changes);
  const filling = createFilling(population, hosts, changes);
  let lived = 0;

  function follow(id: string, course: Course, { step, random }: { step: number; random: Random }): void {
    const [status, ...rest] = course;
    plans.delete(id);
    if (status === undefined) return;
    if (status === gone) return population.remove([id], { at: at(step) });
    if (population.find(id) === undefined) return;
    population.change(id, { status }, { at: at(step) });
    if (rest.length > 0) plans.set(id, { course: rest, dueStep: step + 1 + random.below(4) });
  }

  function takeStep(step: number): void {
    const random = createRandom(seed, step, 0x11fe);
    const moment = { step, random };
    for (const id of outages.takeStep(step, at(step), random)) plans.delete(id);
    const due = [...plans].filter(([, plan]) => plan.dueStep <= step);
    for (const [id, { course }] of due) follow(id, course, moment);

    const events = Math.min(mostEventsPerStep, Math.ceil(population.servers.length / 250));
    for (let event = 0; event < events; event += 1) {
      const server = pickIdle(random);
      if (server !== undefined) follow(server.id, chooseCourse(server, random), moment);
    }
    const moved = filling.takeStep(step, at(step), pickIdle(random));
    if (moved !== undefined) follow(moved, ['migrating', 'running'], moment);
    approachSize(wantedSize(step), moment);
  }

  function pickIdle(random: Random) {
    const server = population.servers[random.below(population.servers.length)];
    return server === undefined || plans.has(server.id) || outages.holds(server) ? undefined : server;
  }

  /** The size goes up and down in waves, so that a graph of it moves within minutes. */
  function wantedSize(step: number): number {
    const elapsed = step * stepMs;
    const wave = (periodMinutes: number) => Math.sin((2 * Math.PI * elapsed) / (periodMinutes * minuteMs));
    return Math.round(bornSize * (1 + 0.06 * wave(15) + 0.03 * wave(4)));
  }

  function approachSize(wanted: number, moment: { step: number; random: Random }): void {
    const leaving = [...plans.values()].filter(({ course }) => course.at(-1) === gone).length;
    const missing = wanted - (population.servers.length - leaving);
    const pace = Math.min(mostEventsPerStep, Math.ceil(bornSize / 100));
    if (missing > 0) {
      const bornAt = stamp(at(moment.step));
      const born = { created_at: bornAt, updated_at: bornAt };
      for (const server of population.create(Math.min(missing, pace), born)) {
        if (server.host_id !== '') follow(server.id, newbornCourse(moment.random), moment);
      }
    }
    for (let left = Math.min(-missing, pace); left > 0; left -= 1) {
      const server = pickIdle(moment.random);
      if (server !== undefined) follow(server.id, removalCourse, moment);
    }
  }

  function at(step: number): number {
    return bornAtMs + step * stepMs;
  }

  return {
    live(nowMs: number): void {
      const target = Math.floor((nowMs - bornAtMs) / stepMs);
      lived = Math.max(lived, target - mostStepsAtOnce);
      while (lived < target) takeStep((lived += 1));
    },
  };
}

import type { Fleet } from '../../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../../src/simulator/fleet/record.ts';
import { troubledZone } from '../troubled-fleet.ts';
import { dayMs, minuteMs, planStates, type Step } from './plan.ts';
import { storeHistory } from './record.ts';
import { tellTimeline } from './tell.ts';

/** One cloud has no trouble at all. */
function calm(fleet: Fleet): void {
  for (const { id } of fleet.hosts) {
    fleet.silenceHost(id, false);
    fleet.changeHost(id, { enabled: true, status: 'running', is_maintenance: false });
  }
  const well = { status: 'running', backup_host_status: '', expired_at: null, pending_deleted: false };
  for (const { id } of fleet.servers) fleet.change(id, well);
}

/** The states, with three months of growth and six lively last hours, to be drawn. */
function planPictures(endMs: number) {
  const { moments, steps } = planStates(endMs);
  const growing: Step[] = Array.from({ length: 30 }, (_, index) => ({
    atMs: endMs - (30 - index) * 3 * dayMs,
    live: ({ lab, paris }) => {
      if (index === 1) calm(paris!);
      lab!.create(2, { status: 'running' });
      if (index % 2 === 0) paris!.create(1, { status: 'running' });
    },
  }));
  // What is in trouble in one zone stays so, however lively the others are.
  let troubled: readonly ServerRecord[] | undefined;
  const lively: Step[] = Array.from({ length: 37 }, (_, index) => endMs - (36 - index) * 10 * minuteMs).map(
    (atMs) => ({
      atMs,
      live: ({ demo }) => {
        troubled ??= demo!.servers.filter(({ zone }) => zone === troubledZone);
        demo!.live(atMs);
        for (const server of troubled) if (demo!.find(server.id)) demo!.change(server.id, server);
      },
    }),
  );
  const quiet = steps.filter(({ atMs }) => atMs < endMs - dayMs || atMs > endMs - 10 * minuteMs);
  const taken = new Set(quiet.map(({ atMs }) => atMs));
  const more = [...growing, ...lively].filter(({ atMs }) => !taken.has(atMs));
  return { moments, steps: [...quiet, ...more].toSorted((one, other) => one.atMs - other.atMs) };
}

/** Writes the history from which pictures of the boards are drawn into a folder, and says when is what. */
const [, , folder] = process.argv;
const { moments, steps } = planPictures(Math.floor(Date.now() / (10 * minuteMs)) * 10 * minuteMs);
const samples = await tellTimeline(folder!, steps, { demo: 150, lab: 50, paris: 30 }, 500);
await storeHistory(folder!, samples);
console.log(JSON.stringify(moments));

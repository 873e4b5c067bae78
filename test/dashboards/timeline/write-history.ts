import type { ServerRecord } from '../../../src/simulator/fleet/record.ts';
import { troubledZone } from '../troubled-fleet.ts';
import { dayMs, minuteMs, minutesBefore, planStates, type Step } from './plan.ts';
import { storeHistory } from './record.ts';
import { tellTimeline } from './tell.ts';

/** The states, with three months of growth and a lively last hour, to be drawn. */
function planPictures(endMs: number) {
  const { moments, steps } = planStates(endMs);
  const growing: Step[] = Array.from({ length: 30 }, (_, index) => ({
    atMs: endMs - (30 - index) * 3 * dayMs,
    live: ({ lab, paris }) => {
      lab!.create(2, { status: 'running' });
      if (index % 2 === 0) paris!.create(1, { status: 'running' });
    },
  }));
  // What is in trouble in one zone stays so, however lively the others are.
  let troubled: readonly ServerRecord[] | undefined;
  const lively: Step[] = minutesBefore(endMs, 60).map(({ atMs }) => ({
    atMs,
    live: ({ demo }) => {
      troubled ??= demo!.servers.filter(({ zone }) => zone === troubledZone);
      demo!.live(atMs);
      for (const server of troubled) if (demo!.find(server.id)) demo!.change(server.id, server);
    },
  }));
  const quiet = steps.filter(({ atMs }) => atMs <= endMs - dayMs);
  const taken = new Set(quiet.map(({ atMs }) => atMs));
  const more = [...growing, ...lively].filter(({ atMs }) => !taken.has(atMs));
  return { moments, steps: [...quiet, ...more].toSorted((one, other) => one.atMs - other.atMs) };
}

/** Writes the history from which pictures of the boards are drawn into a folder, and says when is what. */
const [, , folder] = process.argv;
const { moments, steps } = planPictures(Math.floor(Date.now() / minuteMs) * minuteMs);
const samples = await tellTimeline(folder!, steps, { demo: 150, lab: 50, paris: 30 }, 500);
await storeHistory(folder!, samples);
console.log(JSON.stringify(moments));

import type { ServerRecord } from '../../../src/simulator/fleet/record.ts';
import { troubledZone } from '../troubled-fleet.ts';
import { dayMs, minutesBefore, minuteMs, type Step } from './plan.ts';
import { storeHistory } from './record.ts';
import { tellTimeline } from './tell.ts';

/** Three months of growth, six lively hours and ten minutes in which nothing happens, to be drawn. */
function planPictures(endMs: number): readonly Step[] {
  const growing: Step[] = Array.from({ length: 30 }, (_, index) => ({
    atMs: endMs - (30 - index) * 3 * dayMs,
    live: ({ demo, lab, paris }) => {
      lab!.create(2, { status: 'running' });
      if (index % 2 === 0) for (const fleet of [demo!, paris!]) fleet.create(1, { status: 'running' });
    },
  }));
  // What is in trouble in one zone stays so, however lively the others are.
  let troubled: readonly ServerRecord[] | undefined;
  const lively: Step[] = Array.from({ length: 36 }, (_, index) => endMs - (36 - index) * 10 * minuteMs).map(
    (atMs) => ({
      atMs,
      live: ({ demo }) => {
        troubled ??= demo!.servers.filter(({ zone }) => zone === troubledZone);
        demo!.live(atMs);
        for (const server of troubled) if (demo!.find(server.id)) demo!.change(server.id, server);
      },
    }),
  );
  return [...growing, ...lively, ...minutesBefore(endMs, 10)];
}

/** Writes the history from which pictures of the boards are drawn into a folder, and says at which second it ends. */
const [, , folder] = process.argv;
const endMs = Math.floor(Date.now() / (10 * minuteMs)) * 10 * minuteMs;
const samples = await tellTimeline(folder!, planPictures(endMs), { demo: 150, lab: 50, paris: 30 }, 500);
await storeHistory(folder!, samples);
console.log(endMs / 1000);

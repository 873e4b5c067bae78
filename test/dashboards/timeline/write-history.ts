import { minuteMs, planPictures } from './plan.ts';
import { storeHistory } from './record.ts';
import { tellTimeline } from './tell.ts';

/** Writes the history from which pictures of the boards are drawn into a folder, and says when is what. */
const [, , folder] = process.argv;
const { moments, steps } = planPictures(Math.floor(Date.now() / minuteMs) * minuteMs);
const samples = await tellTimeline(steps, { demo: 150, lab: 50, paris: 30 }, 500);
await storeHistory(folder!, samples, { prometheus: 'prometheus', promtool: 'promtool' });
console.log(JSON.stringify(moments));

import { Agent, get } from 'node:http';
import { constants, setPriority } from 'node:os';

/** A process of its own: asks for /-/healthy every few milliseconds, whether the last answer came or not. */

export interface Watched {
  readonly latenciesMs: readonly number[];
  readonly failures: number;
}

try {
  // Its own waiting for a processor is not the exporter's; only root may say so.
  setPriority(constants.priority.PRIORITY_HIGH);
} catch {}

const everyMs = 5;
/** Answers that only warm the prober up; it says so when it is warm. */
const warmUp = 100;
const [, , url = ''] = process.argv;
const agent = new Agent({ keepAlive: true });
let latenciesMs: number[] = [];
let failures = 0;
let isWarm = false;

const timer = setInterval(() => {
  const startedAt = performance.now();
  const request = get(`${url}/-/healthy`, { agent }, (response) => {
    response.resume().on('end', () => {
      latenciesMs.push(performance.now() - startedAt);
      if (isWarm || latenciesMs.length < warmUp) return;
      isWarm = true;
      process.send!('warm');
    });
  });
  request.on('error', () => {
    failures += 1;
  });
}, everyMs);

process.on('message', (order) => {
  if (order === 'begin') latenciesMs = [];
  if (order !== 'end') return;
  clearInterval(timer);
  process.send!({ latenciesMs, failures } satisfies Watched, () => process.exit(0));
});

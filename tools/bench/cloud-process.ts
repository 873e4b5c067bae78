import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { measuredCost } from '../../test/simulator/journal.ts';

/** Each is answered with one message. */
export type Question = { readonly ask: 'minute'; readonly oneIn: number } | { readonly ask: 'bill' };

let minutes = 0;
const now = () => Date.now() + minutes * 60_000;
const fleet = createFleet({ servers: Number(process.argv[2]), now });
// It writes down what its work costs, and nobody has to wait for it.
const { authUrl, ledger, journal } = await startSimulatedCloud({ fleet, now, platformCost: measuredCost });

/** Changes one server in so many, at the next minute the next ones. */
function change(oneIn: number): void {
  const ids = fleet.servers.filter((_, index) => index % oneIn === minutes % oneIn).map(({ id }) => id);
  fleet.changeAll(ids, ({ status }) => ({ status: status === 'running' ? 'ready' : 'running' }));
}

/** In milliseconds of the real platform, since the last time. */
function takeBill(): number {
  const { milliseconds } = ledger.total;
  ledger.clear();
  journal.clear();
  return milliseconds;
}

process.on('message', (question: Question) => {
  if (question.ask === 'bill') return process.send!(takeBill());
  minutes += 1;
  if (question.oneIn > 0) change(question.oneIn);
  return process.send!('passed');
});
process.on('disconnect', () => process.exit());
process.send!(authUrl);

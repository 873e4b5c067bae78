import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { measuredCost } from '../../test/simulator/journal.ts';

/** Each is answered with one number. */
export type Question = { readonly milliseconds: number; readonly oneIn: number } | 'bill';

let [skippedMs, times] = [0, 0];
const now = () => Date.now() + skippedMs;
const fleet = createFleet({ servers: Number(process.argv[2]), now });
// It writes down what its work costs, and nobody has to wait for it.
const { authUrl, ledger, journal } = await startSimulatedCloud({ fleet, now, platformCost: measuredCost });

/** Changes one server in so many, each time the next ones. */
function change(oneIn: number): void {
  times += 1;
  const ids = fleet.servers.filter((_, index) => index % oneIn === times % oneIn).map(({ id }) => id);
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
  if (question === 'bill') return process.send!(takeBill());
  skippedMs += question.milliseconds;
  if (question.oneIn > 0) change(question.oneIn);
  return process.send!(skippedMs);
});
process.on('disconnect', () => process.exit());
process.send!(authUrl);

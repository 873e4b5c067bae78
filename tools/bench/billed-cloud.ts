import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { measuredCost } from '../../test/simulator/journal.ts';

export interface Bill {
  readonly milliseconds: number;
  readonly requests: number;
  readonly bytes: number;
}

/** A simulated cloud that writes down what its work would take on the real platform; nobody has to wait for it. */
export async function startBilledCloud(servers: number, now: () => number) {
  const fleet = createFleet({ servers, now });
  const platformCost = { ...measuredCost, workers: Infinity, wait: () => Promise.resolve() };
  const { authUrl, ledger, journal, close } = await startSimulatedCloud({ fleet, now, platformCost });
  let turns = 0;
  return {
    authUrl,
    close,
    /** Changes one server in so many, at the next turn the next ones. */
    change(oneIn: number): void {
      const turn = (turns += 1) % oneIn;
      const ids = fleet.servers.filter((_, index) => index % oneIn === turn).map(({ id }) => id);
      fleet.changeAll(ids, ({ status }) => ({ status: status === 'running' ? 'ready' : 'running' }));
    },
    /** What was spent since the last time. */
    takeBill(): Bill {
      const { milliseconds, requests, bytes } = ledger.total;
      ledger.clear();
      journal.clear();
      return { milliseconds, requests, bytes };
    },
  };
}

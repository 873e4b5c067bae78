import { startSimulatedCloud, type SimulatedCloud } from '../../test/simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { truthOf } from '../../test/simulator/truth.ts';

export interface CloudSeat {
  readonly name: string;
  readonly authUrl: string;
  /** How many servers the exporter should count. */
  readonly servers: number;
}

export interface Clouds {
  readonly list: readonly CloudSeat[];
  /** Lets every request to these clouds wait for good. */
  hang(names: readonly string[]): Promise<void>;
  release(): Promise<void>;
  stop(): Promise<void>;
}

/** The clouds share a few fleets, for one takes longer to make than to serve: at most so many, with so many servers. */
const mostFleets = 8;
const mostServersMade = 200_000;

/** Simulated clouds in this process, numbered from `first` on; each has an address and tokens of its own. */
export async function startClouds(plan: {
  readonly count: number;
  readonly servers: number;
  readonly first?: number;
}): Promise<Clouds> {
  const { count, servers, first = 0 } = plan;
  const fleets = Array.from({ length: fleetsMade(count, servers) }, (_, seed) =>
    createFleet({ servers, seed: first + seed }),
  );
  const truths = fleets.map((fleet) => truthOf(fleet, { pendingDeleted: false }).total);
  const clouds = new Map<string, SimulatedCloud>();
  const list: CloudSeat[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `cloud-${String(first + index).padStart(4, '0')}`;
    const kind = index % fleets.length;
    const cloud = await startSimulatedCloud({ fleet: fleets[kind]! });
    clouds.set(name, cloud);
    list.push({ name, authUrl: cloud.authUrl, servers: truths[kind]! });
  }
  return {
    list,
    async hang(names) {
      for (const name of names)
        for (const operation of ['login', 'list', 'hosts'] as const)
          clouds.get(name)?.faults.set({ operation, fault: { kind: 'hang' } });
    },
    async release() {
      for (const { faults } of clouds.values()) faults.clear();
    },
    async stop() {
      await Promise.all([...clouds.values()].map((cloud) => cloud.close()));
    },
  };
}

function fleetsMade(clouds: number, servers: number): number {
  return Math.max(1, Math.min(mostFleets, clouds, Math.floor(mostServersMade / servers)));
}

import { systemClock } from '../../src/clock.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { createRandom } from '../../src/simulator/fleet/random.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { settingsFor } from '../../test/support/settings.ts';
import { exporterHere } from '../exporter-here.ts';

/** How the servers are listed. */
export const modes = {
  detailed: { details_max_age: 0 },
  light: { details_max_age: '30m' },
} as const;
export type Mode = keyof typeof modes;

export interface Plan {
  readonly mode: Mode;
  readonly seed: number;
  readonly collections: number;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** What must not be; empty if all is well. */
  readonly faults: readonly string[];
}

export const inDetail = (parameters: URLSearchParams) => parameters.get('details') === 'true';

/** A simulated cloud and an exporter of it, with the clock of this machine. */
export async function openWorld(seed: number, mode: Mode, more: () => object) {
  const random = createRandom(seed, 0xc4a2);
  const fleet = createFleet({ servers: 60, seed });
  const cloud = await startSimulatedCloud({ fleet, tokenLifetimeSeconds: 5 });
  const settings = () => settingsFor(cloud, { page_size: 15, ...modes[mode], ...more() });
  const exporter = await exporterHere(settings, systemClock);
  const one = () => random.pick(fleet.servers);

  return {
    random,
    cloud,
    fleet,
    exporter,
    /** What happens to servers every day. */
    events: {
      create: () => void (fleet.servers.length < 90 && fleet.create(1 + random.below(2))),
      remove: () => void (fleet.servers.length > 45 && fleet.remove([one().id, one().id])),
      status: () => void fleet.setStatus(one().id, random.pick(['running', 'ready', 'start_fail'])),
      move() {
        const taken = new Set(fleet.servers.map(({ host_id }) => host_id));
        const { id, hypervisor, host_id } = one();
        const hosts = fleet.hosts.filter((host) => taken.has(host.id) && host.host_type === 'hypervisor');
        if (hypervisor === 'kvm' && host_id !== '') fleet.moveServer(id, random.pick(hosts).id);
      },
    },
    async close() {
      await exporter.stop();
      await cloud.close();
    },
  };
}
export type World = Awaited<ReturnType<typeof openWorld>>;

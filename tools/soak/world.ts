import type { Random } from '../../src/simulator/fleet/random.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import type { Fault } from '../../test/simulator/faults.ts';
import type { Missing } from '../../test/simulator/lookups.ts';
import { settingsFor } from '../../test/support/settings.ts';
import { createShortPauses, exporterHere, minuteMs } from '../exporter-here.ts';
import { momentOf, readShort, untruths } from './truth.ts';

/** How the servers are listed. */
export const modes = {
  detailed: { details_max_age: 0 },
  light: { details_max_age: '30m' },
  changes: { details_max_age: '30m', list_max_age: '5m' },
} as const;
export type Mode = keyof typeof modes;

export interface Tally {
  readonly figures: Readonly<Record<string, number>>;
  /** What must not be; empty if all is well. */
  readonly faults: readonly string[];
}

export const inDetail = (parameters: URLSearchParams) => parameters.get('details') === 'true';

/** What happens to servers every day. */
export function createEvents(fleet: Fleet, random: Random) {
  const one = () => random.pick(fleet.servers);
  return {
    create: () => void (fleet.servers.length < 90 && fleet.create(1 + random.below(2))),
    remove: () => void (fleet.servers.length > 45 && fleet.remove([one().id, one().id])),
    status: () => void fleet.setStatus(one().id, random.pick(['running', 'ready', 'start_fail'])),
    move() {
      const taken = new Set(fleet.servers.map(({ host_id }) => host_id));
      const { id, hypervisor, host_id } = one();
      const hosts = fleet.hosts.filter((host) => taken.has(host.id) && host.host_type === 'hypervisor');
      if (hypervisor === 'kvm' && host_id !== '') fleet.moveServer(id, random.pick(hosts).id);
    },
  };
}

/** A simulated cloud and an exporter of it, scraped once a minute by a clock that this moves on. */
export async function openWorld(seed: number, mode: Mode, random: Random, settings: object = {}) {
  const clock = createShortPauses();
  let aheadMs = 0;
  const now = () => clock.now() + aheadMs;
  const fleet = createFleet({ servers: 60, seed, now });
  await clock.advance(60 * minuteMs);
  const cloud = await startSimulatedCloud({ fleet, now });
  const wanted = () => settingsFor(cloud, { page_size: 15, ...modes[mode], ...settings });
  const exporter = await exporterHere(wanted, clock);

  return {
    clock,
    cloud,
    fleet,
    exporter,
    one: () => random.pick(fleet.servers),
    events: createEvents(fleet, random),
    /** The platform's clock, by so much ahead of ours. */
    setClock: (ms: number) => void (aheadMs = ms),
    halfTold: (): Fault => halfTold(random),
    /** A minute later: what is told, how it was listed, and what of it is not so. */
    async scrape() {
      await clock.advance(minuteMs);
      cloud.journal.clear();
      const parsed = readShort(await exporter.scrape());
      const asked = cloud.journal.of('list').map(({ parameters }) => parameters);
      const whole = asked.filter(
        (parameters) =>
          parameters.get('limit') !== '1' &&
          !parameters.getAll('filter').some((filter) => /^(updated_at|deleted_at|id\.in)/.test(filter)),
      );
      return {
        parsed,
        isUp: parsed.value('cloud_up') === 1,
        isFull: whole.length > 0,
        wrong: untruths(parsed, momentOf(fleet)),
      };
    },
    async close() {
      await exporter.stop();
      await cloud.close();
    },
  };
}
export type World = Awaited<ReturnType<typeof openWorld>>;

const kinds: readonly Missing[] = ['host', 'place', 'project', 'domain', 'disks', 'devices'];

/** One to three things that were looked up are missing, in all records or in some. */
function halfTold(random: Random): Fault {
  const missing = Array.from({ length: 1 + random.below(3) }, () => random.pick(kinds));
  const [step, from] = [1 + random.below(4), random.below(15)];
  return { kind: 'halfTold', missing, which: (position) => position >= from && position % step === 0 };
}

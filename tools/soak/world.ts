import type { Clock } from '../../src/clock.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { createRandom } from '../../src/simulator/fleet/random.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import type { Fault } from '../../test/simulator/faults.ts';
import { createShortPauses, minuteMs } from '../../test/support/manual-clock.ts';
import { settingsFor } from '../../test/support/settings.ts';
import { exporterHere } from '../exporter-here.ts';
import { momentOf, readShort, untruths } from './truth.ts';

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

/** Scrapes of one fleet; then comes another. */
export const oneLife = 400;
export const inDetail = (parameters: URLSearchParams) => parameters.get('details') === 'true';

/** A simulated cloud and an exporter of it, scraped once a minute by a clock that is moved on, if none is given. */
export async function openWorld(seed: number, mode: Mode, more: () => object, given?: Clock) {
  const random = createRandom(seed, 0xc4a2);
  const clock = createShortPauses();
  const { now } = given ?? clock;
  const fleet = createFleet({ servers: 60, seed, now });
  await clock.advance(60 * minuteMs);
  const cloud = await startSimulatedCloud({ fleet, now, ...(given && { tokenLifetimeSeconds: 5 }) });
  const settings = () => settingsFor(cloud, { page_size: 15, ...modes[mode], ...more() });
  const exporter = await exporterHere(settings, given ?? clock);
  let isSpared = (_server: ServerRecord) => false;
  const one = () => random.pick(fleet.servers.filter((server) => !isSpared(server)));
  const kinds = ['host', 'place', 'project', 'domain', 'disks', 'devices'] as const;

  return {
    random,
    clock,
    cloud,
    fleet,
    exporter,
    one,
    /** To such servers nothing happens. */
    spare: (those: typeof isSpared) => void (isSpared = those),
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
    /** One to three things that were looked up are missing, in all records or in some. */
    halfTold(): Fault {
      const missing = Array.from({ length: 1 + random.below(3) }, () => random.pick(kinds));
      const [step, from] = [1 + random.below(4), random.below(15)];
      return { kind: 'halfTold', missing, which: (position) => position >= from && position % step === 0 };
    },
    /** A minute later: what is reported, and what of it is not so. */
    async scrape() {
      await clock.advance(minuteMs);
      // Without what the exporter says of itself, which is much of a small page.
      const parsed = readShort(await exporter.scrape('/probe?cloud=one'));
      cloud.journal.clear();
      const wrong = untruths(parsed, momentOf(fleet));
      return { parsed, isUp: parsed.value('cloud_up') === 1, wrong };
    },
    async close() {
      await exporter.stop();
      await cloud.close();
    },
  };
}
export type World = Awaited<ReturnType<typeof openWorld>>;

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { createRandom } from '../../src/simulator/fleet/random.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { startSimulatedCloud, type CloudPlan } from '../simulator/cloud.ts';
import { startHere } from '../support/exporter-here.ts';
import { createShortPauses, minuteMs } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';

export type World = Awaited<ReturnType<typeof openWorld>>;
export type WorldPlan = Partial<Omit<CloudPlan, 'fleet' | 'now' | 'platformCost'>> & {
  readonly seed?: number;
  readonly servers?: number;
  readonly settings?: object;
};

const plain = { 'Accept-Encoding': 'identity' };

/** A simulated cloud and the whole exporter, asked as Prometheus asks it: all that these properties know of either. */
export async function openWorld({ seed = 1, servers = 40, settings, ...plan }: WorldPlan = {}) {
  const random = createRandom(seed, 0x9a57);
  const clock = createShortPauses();
  const fleet = createFleet({ servers, seed, now: clock.now });
  await clock.advance(60 * minuteMs);
  // Only records with details cost anything, so that what was paid is how many there were.
  const platformCost = { millisecondsPerServer: 1, millisecondsPerPlainServer: 0 };
  const cloud = await startSimulatedCloud({ ...plan, fleet, now: clock.now, platformCost });
  const folder = await mkdtemp(join(tmpdir(), 'world-'));
  const options = { clock, disableExporterMetrics: true };
  const exporter = await startHere(folder, { one: settingsFor(cloud, settings) }, options);

  return {
    random,
    clock,
    fleet,
    cloud,
    /** What is told of the cloud after so many seconds, and what it cost. */
    async scrape(seconds = 60): Promise<Scrape> {
      await clock.advance(1000 * seconds);
      cloud.journal.clear();
      cloud.ledger.clear();
      const text = await exporter.text('/probe?cloud=one', plain);
      const cost = { detailed: cloud.ledger.total.milliseconds, requests: cloud.journal.count('list') };
      return { text, isUp: text.includes('\ncloud_up{cloud="one"} 1\n'), ...cost };
    },
    text: () => exporter.text('/probe?cloud=one', plain),
    discover: () => exporter.text('/sd/servers?cloud=one'),
    async reload(): Promise<void> {
      const problems = await exporter.reload();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async close(): Promise<void> {
      await exporter.stop();
      await cloud.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Scrape {
  readonly text: string;
  readonly isUp: boolean;
  /** Records of servers with details, and requests for servers, that the platform answered for it. */
  readonly detailed: number;
  readonly requests: number;
}

/** What happens to servers: all of it but the last two moves their version. */
export function createEvents({ fleet, random }: Pick<World, 'fleet' | 'random'>) {
  const { servers } = fleet.tables;
  const away: ServerRecord[] = [];
  const one = (isFit: (server: ServerRecord) => boolean = () => true) => {
    const fit = fleet.servers.filter(isFit);
    return fit.length > 0 ? random.pick(fit) : undefined;
  };
  const disksOf = (disks: ServerRecord['disks_info']) => ({
    disks_info: disks,
    disk: disks.reduce((sum, { size }) => sum + size, 0),
    disk_count: disks.length,
  });
  const isKvm = ({ hypervisor, host_id }: ServerRecord) => hypervisor === 'kvm' && host_id !== '';
  const hasDevice = ({ isolated_devices }: ServerRecord) => isolated_devices.length > 0;
  const moved = ({ name }: ServerRecord) => ({ name: `${name}+`.slice(-40) });
  const change = (
    server: ServerRecord | undefined,
    patchOf: (server: ServerRecord) => Partial<ServerRecord>,
  ) => {
    if (server) fleet.change(server.id, patchOf(server));
  };
  const fewer = ({ disks_info }: ServerRecord) =>
    disksOf(disks_info.slice(0, random.below(disks_info.length)));
  const more = ({ disks_info: [first, ...rest] }: ServerRecord) =>
    disksOf([first!, ...rest, { ...first!, id: random.uuid(), index: 1 + rest.length }]);
  const hasDisks = ({ disk_count }: ServerRecord) => disk_count > 0;

  return {
    create: () => void (fleet.servers.length < 48 && fleet.create(1 + random.below(2))),
    remove: () => void (fleet.servers.length > 30 && fleet.remove([one()!.id])),
    leave: () => void (fleet.servers.length > 30 && away.push(...servers.remove([one()!.id]))),
    comeBack() {
      const back = away.splice(0, 1 + random.below(2));
      const nameOf = (id: string) => fleet.projects.find((one) => one.id === id)!.name;
      servers.add(back.map((server) => ({ ...server, project: nameOf(server.tenant_id) })));
    },
    status: () =>
      change(one(), () => ({ status: random.pick(['running', 'ready', 'start_fail', 'migrating']) })),
    flavour: () => change(one(), ({ vcpu_count }) => ({ vcpu_count: vcpu_count + 1, vmem_size: 512 })),
    bin: () => change(one(), ({ pending_deleted }) => ({ pending_deleted: !pending_deleted })),
    move() {
      const server = one(isKvm);
      const hosts = fleet.hosts.filter(({ host_type }) => host_type === 'hypervisor');
      if (server) fleet.moveServer(server.id, random.pick(hosts).id);
    },
    owner() {
      const { id: tenant_id, name: project, domain } = random.pick(fleet.projects);
      change(one(), () => ({ tenant_id, project, project_domain: domain.name, domain_id: domain.id }));
    },
    attachDisk: () => change(one(hasDisks), (server) => ({ ...more(server), ...moved(server) })),
    detachDisks: () => change(one(hasDisks), (server) => ({ ...fewer(server), ...moved(server) })),
    attachDevice() {
      const [device] = one(hasDevice)?.isolated_devices ?? [];
      change(device && one(isKvm), (server) => {
        const added = { ...device!, id: random.uuid(), guest_id: server.id, host_id: server.host_id };
        return { isolated_devices: [...server.isolated_devices, added], is_gpu: true, ...moved(server) };
      });
    },
    detachDevices: () =>
      change(one(hasDevice), (server) => ({ isolated_devices: [], is_gpu: false, ...moved(server) })),
    /** As a synchronisation with a public cloud finds them. */
    silentDisk: () => change(one(hasDisks), more),
    renameProject() {
      const { id, name } = random.pick(fleet.projects);
      fleet.rename('projects', id, `${name}'`.slice(-30));
    },
  };
}

import type { SimulatedCloud } from '../simulator/cloud.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { createCalmFleet } from '../chain/calm-fleet.ts';

export type ScriptedCloud = SimulatedCloud & { readonly fleet: Fleet };

/** What happens to one cloud, and every alert that fires about it in the end, with how many of each. */
export interface Script {
  readonly happens: string;
  /** In minutes from the first scrape. A loss is judged after an hour, so it comes then. */
  readonly at: number;
  /** Runs at that time, and at each scrape after it with the minutes that have passed since. */
  readonly does: (
    cloud: ScriptedCloud,
    moment: { readonly nowMs: number; readonly since: number },
  ) => unknown;
  /** Settings of the exporter for this cloud. */
  readonly settings?: object;
  readonly fires: Readonly<Record<string, number>>;
}

/** Forty servers that are well, on four hosts in each of two zones. */
export function createScriptedFleet(): Fleet {
  const fleet = createCalmFleet(40);
  const before = fleet.hosts;
  const like = before.find(({ host_type }) => host_type === 'hypervisor')!.id;
  const addHost = (zone: string, index: number) =>
    fleet.addHost({ zone, name: `${zone}-host-${index}` }, like);
  const hosts = ['zone-a', 'zone-b'].map((zone) => [0, 1, 2, 3].map((index) => addHost(zone, index)));
  for (const [index, { id }] of fleet.servers.entries()) {
    fleet.moveServer(id, hosts[index < 20 ? 0 : 1]![index % 4]!.id);
    fleet.change(id, { hypervisor: 'kvm', billing_type: 'postpaid' });
  }
  for (const { id } of before) fleet.removeHost(id);
  return fleet;
}

function change(
  { fleet }: ScriptedCloud,
  patch: Partial<ServerRecord>,
  isMeant: (server: ServerRecord, index: number) => boolean = () => true,
): void {
  const meant = fleet.servers.filter(isMeant).map(({ id }) => id);
  fleet.changeAll(meant, () => patch);
}

const halfDayMs = 12 * 3_600_000;
const first = (count: number) => (_: ServerRecord, index: number) => index < count;
const silence = ({ fleet }: ScriptedCloud) =>
  fleet.silenceHost(fleet.hosts.find(({ name }) => name === 'zone-a-host-0')!.id);
const noReach = { 'critical CloudHostDown': 1 };
const endsAt = (nowMs: number) => new Date(nowMs + halfDayMs).toISOString();

export const scripts: Readonly<Record<string, Script>> = {
  calm: { happens: 'nothing', at: 0, does: () => undefined, fires: {} },
  tasks: {
    happens: 'a snapshot of every server fails',
    at: 4,
    does: (cloud, { since }) => since === 0 && change(cloud, { status: 'snapshot_failed' }),
    fires: { 'info CloudServerTaskFailed': 40 },
  },
  failed: {
    happens: 'no server starts',
    at: 4,
    does: (cloud, { since }) => since === 0 && change(cloud, { status: 'start_fail' }),
    fires: {
      'critical CloudHostNotRunning': 8,
      'critical CloudServersFailed': 1,
      'critical CloudZoneNotRunning': 2,
      'warning CloudServerFailed': 40,
    },
  },
  zone: {
    happens: 'nothing is known of the servers of a zone',
    at: 4,
    does: (cloud, { since }) =>
      since === 0 && change(cloud, { status: 'unknown' }, ({ zone }) => zone === 'zone-a'),
    fires: {
      'critical CloudHostNotRunning': 4,
      'critical CloudZoneNotRunning': 1,
      'warning CloudServerUnknown': 20,
    },
  },
  flicker: {
    happens: 'a server fails in one way and then in another, again and again',
    at: 4,
    does: (cloud, { since }) =>
      change(cloud, { status: since % 8 < 4 ? 'start_fail' : 'disk_fail' }, first(1)),
    fires: { 'warning CloudServerFailed': 1 },
  },
  host: {
    happens: 'a host falls silent',
    at: 4,
    does: (cloud, { since }) => since === 0 && silence(cloud),
    fires: noReach,
  },
  'host-by-servers': {
    happens: 'a host falls silent, and hosts are not exported',
    at: 4,
    does: (cloud, { since }) => since === 0 && silence(cloud),
    settings: { per_host: false },
    fires: noReach,
  },
  bin: {
    happens: 'two thirds of the servers go to the recycle bin, broken ones among them',
    at: 64,
    does: (cloud, { since }) =>
      since === 0 && change(cloud, { pending_deleted: true, status: 'start_fail' }, first(27)),
    fires: {
      'critical CloudServersRecycled': 1,
      'critical CloudServersVanished': 1,
      'warning CloudServersRecycled': 1,
      'warning CloudServersVanished': 1,
    },
  },
  gone: {
    happens: 'every server is deleted',
    at: 64,
    does: ({ fleet }) => fleet.remove(fleet.servers.map(({ id }) => id)),
    fires: { 'critical CloudServersVanished': 1, 'warning CloudServersVanished': 1 },
  },
  stopped: {
    happens: 'half of the servers are stopped',
    at: 64,
    does: (cloud, { since }) => since === 0 && change(cloud, { status: 'ready' }, first(20)),
    fires: { 'warning CloudServersStopped': 1 },
  },
  prepaid: {
    happens: 'a server ends tomorrow that was paid for in advance',
    at: 4,
    does: (cloud, { since, nowMs }) =>
      since === 0 && change(cloud, { billing_type: 'prepaid', expired_at: endsAt(nowMs) }, first(1)),
    fires: { 'info CloudServersExpiring': 1, 'warning CloudServersExpiring': 2 },
  },
  postpaid: {
    happens: 'a server is to be released tomorrow',
    at: 4,
    does: (cloud, { since, nowMs }) => since === 0 && change(cloud, { expired_at: endsAt(nowMs) }, first(1)),
    fires: { 'info CloudServersExpiring': 1 },
  },
  'year-one': {
    happens: 'every server ends in the year 1',
    at: 4,
    does: (cloud, { since }) =>
      since === 0 && change(cloud, { billing_type: 'prepaid', expired_at: '0001-01-01T00:00:00Z' }),
    fires: {},
  },
  down: {
    happens: 'the platform answers 503',
    at: 4,
    does: ({ faults }, { since }) =>
      since === 0 && faults.set({ operation: 'list', fault: { kind: 'status', code: 503 } }),
    fires: { 'critical CloudDown': 1, 'warning CloudDown': 1, 'warning CloudSnapshotOld': 1 },
  },
};

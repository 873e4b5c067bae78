import {
  addLoad,
  agentFields,
  createHostRecord,
  loadsOf,
  type HostRecord,
  type Load,
} from './host-record.ts';
import type { Host, Landscape } from './landscape.ts';
import { hostFields } from './placement.ts';
import { createRandom } from './random.ts';
import type { ServerRecord } from './record.ts';
import { stamp } from '../timestamp.ts';

/** The hosts themselves; what becomes of their servers is told in host-changes. */
export interface Hosts {
  /** Newest first. Replaced at every change, never changed itself. */
  readonly hosts: readonly HostRecord[];
  findHost(id: string): HostRecord | undefined;
  /** In the zone of the host `like`, or of the first one. */
  add(patch: Partial<HostRecord>, like?: string): HostRecord;
  remove(id: string): void;
  change(id: string, patch: Partial<HostRecord>): HostRecord;
  /** What a server says of the host that it is on. */
  fieldsOn(id: string): ReturnType<typeof hostFields>;
  /** Whether a host can still promise what the server takes, among the servers that are there. */
  hasRoom(host: HostRecord, server: ServerRecord, servers: readonly ServerRecord[]): boolean;
  /** A new server goes to a host that is there, enabled, and has room for it. */
  placeNew(server: ServerRecord, servers: readonly ServerRecord[]): ServerRecord;
}

export interface HostsPlan {
  readonly landscape: Landscape;
  readonly servers: readonly ServerRecord[];
  readonly seed: number;
  readonly now: () => number;
}

export function createHosts({ landscape, servers, seed, now }: HostsPlan): Hosts {
  const born = loadsOf(servers);
  const nothing = { vcpus: 0, memory: 0, disk: 0 };
  const known = new Map<string, { readonly host: Host; readonly record: HostRecord }>();
  const loadsByServers = new WeakMap<readonly ServerRecord[], Map<string, Load>>();
  let sorted: readonly HostRecord[] | undefined;
  let added = 0;

  function keep(host: Host, record: HostRecord): HostRecord {
    known.set(record.id, { host, record });
    sorted = undefined;
    return record;
  }

  function get(id: string) {
    const found = known.get(id);
    if (found === undefined) throw new RangeError(`no host ${id}`);
    return found;
  }

  function loads(of: readonly ServerRecord[]): Map<string, Load> {
    const counted = loadsByServers.get(of) ?? loadsOf(of);
    loadsByServers.set(of, counted);
    return counted;
  }

  function roomOn(host: HostRecord, of: readonly ServerRecord[]) {
    const { vcpus, memory } = loads(of).get(host.id) ?? nothing;
    if (host.is_emulated) return { vcpus: Infinity, memory: Infinity };
    return {
      vcpus: (host.cpu_count - host.cpu_reserved) * host.cpu_cmtbound - vcpus,
      memory: (host.mem_size - host.mem_reserved) * host.mem_cmtbound - memory,
    };
  }

  function hasRoom(host: HostRecord, server: ServerRecord, of: readonly ServerRecord[]): boolean {
    const { vcpus, memory } = roomOn(host, of);
    return vcpus >= server.vcpu_count && memory >= server.vmem_size;
  }

  /** The one with the most memory left. */
  function chooseHost(server: ServerRecord, of: readonly ServerRecord[]): Host | undefined {
    const fitting = [...known.values()].filter(
      ({ record }) =>
        record.enabled &&
        record.host_type === server.host_type &&
        record.host_status === 'online' &&
        hasRoom(record, server, of),
    );
    const byRoom = fitting.map(({ host, record }) => ({ host, room: roomOn(record, of).memory }));
    return byRoom.toSorted((one, other) => other.room - one.room)[0]?.host;
  }

  for (const host of landscape.hosts.flatMap(([hosts]) => hosts)) {
    const enabled = !landscape.disabled.has(host.id);
    keep(host, createHostRecord({ host, load: born.get(host.id) ?? nothing, enabled, seed, nowMs: now() }));
  }
  for (const host of landscape.spareHosts) {
    const enabled = !landscape.disabled.has(host.id);
    keep(host, createHostRecord({ host, load: spareLoad, enabled, seed, nowMs: now() }));
  }

  return {
    get hosts() {
      sorted ??= [...known.values()].map(({ record }) => record).toSorted(newestFirst);
      return sorted;
    },
    findHost: (id) => known.get(id)?.record,
    add(patch, like) {
      const model = (like === undefined ? [...known.values()][0] : get(like))!.host;
      const random = createRandom(seed, 0xadded, (added += 1));
      const id = patch.id ?? random.uuid();
      const name = patch.name ?? `${model.site.hypervisor}-host-added-${added}`;
      const host = { ...model, id, name, online: true, serial: `SN-${random.hex(8).toUpperCase()}` };
      const record = createHostRecord({ host, load: spareLoad, enabled: true, seed, nowMs: now() });
      return keep(host, { ...record, created_at: stamp(now()), updated_at: stamp(now()), ...patch });
    },
    remove(id) {
      known.delete(id);
      sorted = undefined;
    },
    change(id, patch) {
      const { host, record } = get(id);
      const version = { update_version: record.update_version + 1, updated_at: stamp(now()) };
      const after = { ...record, ...version, ...patch };
      return keep(
        { ...host, name: after.name, online: after.host_status === agentFields(true).host_status },
        after,
      );
    },
    fieldsOn: (id) => hostFields(get(id).host),
    hasRoom,
    placeNew(server, of) {
      if (server.host_id === '') return server;
      const found = known.get(server.host_id);
      const isFit = found?.record.enabled === true && hasRoom(found.record, server, of);
      const host = isFit ? found.host : (chooseHost(server, of) ?? found?.host);
      const placed = host === undefined ? server : { ...server, ...hostFields(host) };
      addLoad(loads(of), placed);
      return placed;
    },
  };
}

/** An empty host is large enough for the largest server. */
const spareLoad: Load = { vcpus: 200, memory: 420 * 1024, disk: 2_000 * 1024 };

function newestFirst(one: HostRecord, other: HostRecord): number {
  const [left, right] = [
    `${one.created_at} ${one.name} ${one.id}`,
    `${other.created_at} ${other.name} ${other.id}`,
  ];
  return left < right ? 1 : -1;
}

import { stamp } from '../answer.ts';
import { createHost, equip, isWell, noLoad, spareLoad, type HostRecord, type Load } from './host.ts';
import { createNetworks } from './network.ts';
import { createPlaces, sites, type Site } from './places.ts';
import type { Random } from './random.ts';
import { createServer, type ServerRecord } from './record.ts';
import { createSyncs } from './sync.ts';
import { addLoad, createFreeDevices, createStorages, deviceRow, hasRoom, loadsOf, movedTo } from './room.ts';

export interface FleetPlan {
  readonly servers: number;
  readonly seed?: number;
  readonly now?: () => number;
  /** With cases that are rare: failed tasks, ends in the year 1, every status in the recycle bin. */
  readonly rareCases?: boolean;
}

/** Everything that is there at first, and the servers that come later. */
export function createPopulation({ servers: size, seed = 1, now = Date.now, rareCases = false }: FleetPlan) {
  const bornAtMs = now();
  const places = createPlaces(size, seed, bornAtMs);
  const hostAt = (site: Site, position: number, place = position): HostRecord =>
    createHost({ site, position, place, seed, nowMs: bornAtMs });
  const bySite = new Map(
    sites.map(([site, weight]) => {
      const length = countHosts(site, Math.ceil((size * weight) / 100));
      return [site.hypervisor, Array.from({ length }, (_, position) => hostAt(site, position))];
    }),
  );
  const virtual = bySite.get('kvm')!;
  /** In the first two zones only, every other one disabled: the third zone has nothing in reserve. */
  const spares = Array.from({ length: Math.max(2, Math.ceil(virtual.length / 40)) }, (_, index) => {
    const host = hostAt(sites[0]![0], virtual.length + index, index % 2);
    return { ...equip(host, spareLoad), ...isWell, enabled: index % 2 === 0 };
  });
  const machines = bySite.get('baremetal')!.values();
  let sequence = 0;

  /** A machine for each server of bare metal, while there are any. */
  function chooseHost(random: Random): HostRecord {
    const { hypervisor } = random.weighted(sites);
    if (hypervisor !== 'baremetal') return random.pick(bySite.get(hypervisor)!);
    return machines.next().value ?? random.pick(virtual);
  }

  function nextServer(isNew: boolean): ServerRecord {
    return createServer({
      sequence: sequence++,
      seed,
      nowMs: isNew ? now() : bornAtMs,
      isNew,
      chooseProject: (random) => random.weighted(places.populated),
      chooseHost,
      standbys: virtual,
      rareCases: rareCases && !isNew,
    });
  }

  const servers = Array.from({ length: size }, () => nextServer(false));
  const loads = loadsOf(servers);
  const born = [...bySite.values()].flat().map((host) => equip(host, loads.get(host.id) ?? noLoad));
  const hosts = [...born, ...spares];
  const free = createFreeDevices(hosts, servers, spares[0]!.id);
  return {
    ...places,
    bornAtMs,
    servers,
    hosts,
    storages: createStorages(hosts, servers),
    networks: createNetworks(hosts, servers),
    /** As of that moment. */
    syncs: (atMs: number) => createSyncs(seed, bornAtMs, atMs),
    devices: [
      ...servers.flatMap((one) => one.isolated_devices.map((device) => deviceRow(device, one.created_at))),
      ...free.map((device) => deviceRow(device, stamp(bornAtMs))),
    ],
    /** New ones, each on a host that is there, takes servers and has room. */
    next(count: number, there: { hosts: readonly HostRecord[]; servers: readonly ServerRecord[] }) {
      const found = loadsOf(there.servers);
      return Array.from({ length: count }, () => placeAmong(there.hosts, found, nextServer(true)));
    },
  };
}

function countHosts({ hypervisor, environment, zones }: Site, servers: number): number {
  if (hypervisor === 'baremetal') return Math.ceil(servers * 1.2) + 3;
  const fewest = hypervisor === 'kvm' ? 16 : zones.length;
  return environment === 'public' ? fewest : Math.max(fewest, Math.ceil(servers / 24));
}

/** Where it is, if that fits; else the fitting host of its kind with the most memory left; else where it is. */
function placeAmong(
  hosts: readonly HostRecord[],
  loads: Map<string, Load>,
  server: ServerRecord,
): ServerRecord {
  if (server.host_id === '') return server;
  const loadOf = ({ id }: HostRecord) => loads.get(id) ?? noLoad;
  const left = (host: HostRecord) => host.mem_size - loadOf(host).memory;
  const takes = (host: HostRecord) => {
    if (host.is_baremetal) return host.enabled && !loads.has(host.id);
    return host.enabled && host.status === 'running' && hasRoom(host, loadOf(host), server);
  };
  const own = hosts.find(({ id }) => id === server.host_id);
  const others = hosts.filter((other) => other.host_type === server.host_type && takes(other));
  const most = others.toSorted((one, other) => left(other) - left(one))[0];
  const host = own !== undefined && takes(own) ? own : (most ?? own);
  const placed = host === undefined ? server : { ...server, ...movedTo(host, server) };
  addLoad(loads, placed);
  return placed;
}

import { sites, type Site } from './catalogue.ts';
import { createHost, equip, isWell, noLoad, spareLoad, type HostRecord, type Load } from './host.ts';
import { createLandscape } from './landscape.ts';
import { addLoad, hasRoom, loadsOf, movedTo } from './load.ts';
import type { Random } from './random.ts';
import { createServer, type ServerRecord } from './record.ts';
import { createFreeDevices, createStorages, deviceRow } from './room.ts';
import { stamp } from '../answer.ts';

export interface PopulationPlan {
  readonly size: number;
  readonly seed: number;
  readonly now: () => number;
  readonly rareCases: boolean;
}

/** Everything that is there at first, and the servers that come later. */
export function createPopulation({ size, seed, now, rareCases }: PopulationPlan) {
  const bornAtMs = now();
  const landscape = createLandscape(size, seed, bornAtMs);
  const bySite = new Map(
    sites.map(([site, weight]) => {
      const length = countHosts(site, Math.ceil((size * weight) / 100));
      return [site, Array.from({ length }, (_, position) => createHostAt(site, position))];
    }),
  );
  const [virtual] = [...bySite.values()] as [HostRecord[]];
  /** In the first two zones only, every other one disabled: the third zone has nothing in reserve. */
  const spares = Array.from({ length: Math.max(2, Math.ceil(virtual.length / 40)) }, (_, index) => {
    const host = createHostAt(sites[0]![0], virtual.length + index, index % 2);
    return { ...equip(host, spareLoad), ...isWell, enabled: index % 2 === 0 };
  });
  const machines = [...bySite].find(([site]) => site.hypervisor === 'baremetal')![1].values();
  let sequence = 0;

  function createHostAt(site: Site, position: number, place = position): HostRecord {
    const zone = site.zones[place % site.zones.length]!;
    const number = String(position + 1).padStart(4, '0');
    const name = isPublic(site) ? `${site.account}-sub-${zone}` : `${site.hypervisor}-host-${number}`;
    return createHost({ site, zone, name, position, seed, nowMs: bornAtMs });
  }

  /** A machine for each server of bare metal, while there are any. */
  function chooseHost(random: Random): HostRecord {
    const site = random.weighted(sites);
    if (site.hypervisor !== 'baremetal') return random.pick(bySite.get(site)!);
    return machines.next().value ?? random.pick(virtual);
  }

  function nextServer(isNew: boolean): ServerRecord {
    return createServer({
      sequence: sequence++,
      seed,
      nowMs: isNew ? now() : bornAtMs,
      isNew,
      chooseProject: (random) => random.weighted(landscape.populated),
      chooseHost,
      standbys: virtual,
      rareCases: rareCases && !isNew,
    });
  }

  const servers = Array.from({ length: size }, () => nextServer(false));
  const loads = loadsOf(servers);
  const hosts = [
    ...[...bySite.values()].flat().map((host) => equip(host, loads.get(host.id) ?? noLoad)),
    ...spares,
  ];
  const attached = servers.flatMap(({ isolated_devices, created_at }) =>
    isolated_devices.map((device) => deviceRow(device, created_at)),
  );
  const free = createFreeDevices(hosts, servers, spares[0]!.id);
  return {
    ...landscape,
    bornAtMs,
    servers,
    hosts,
    storages: createStorages(hosts, servers),
    devices: [...attached, ...free.map((device) => deviceRow(device, stamp(bornAtMs)))],
    /** New ones, each on a host that is there, takes servers and has room. */
    next(count: number, there: { hosts: readonly HostRecord[]; servers: readonly ServerRecord[] }) {
      const found = loadsOf(there.servers);
      return Array.from({ length: count }, () => placeAmong(there.hosts, found, nextServer(true)));
    },
  };
}

function isPublic({ account, hypervisor }: Site): boolean {
  return account !== '' && hypervisor !== 'esxi';
}

function countHosts(site: Site, servers: number): number {
  if (site.hypervisor === 'baremetal') return Math.ceil(servers * 1.2) + 3;
  const fewest = site.hypervisor === 'kvm' ? 16 : site.zones.length;
  return isPublic(site) ? fewest : Math.max(fewest, Math.ceil(servers / 24));
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
  const isFit = (host: HostRecord) =>
    host.is_baremetal
      ? !loads.has(host.id)
      : host.status === 'running' && hasRoom(host, loadOf(host), server);
  const takes = (host: HostRecord) => host.enabled && isFit(host);
  let host = hosts.find(({ id }) => id === server.host_id);
  if (host === undefined || !takes(host)) {
    const others = hosts.filter((other) => other.host_type === server.host_type && takes(other));
    host = others.toSorted((one, other) => left(other) - left(one))[0] ?? host;
  }
  const placed = host === undefined ? server : { ...server, ...movedTo(host, server) };
  addLoad(loads, placed);
  return placed;
}

import { sites, type Site } from './catalogue.ts';
import { addLoad, createHost, equip, hasRoom, isWell, loadsOf, movedTo, noLoad, spareLoad } from './host.ts';
import type { HostRecord, Load } from './host.ts';
import { createLandscape, type Place } from './landscape.ts';
import type { Random } from './random.ts';
import { addRareCase } from './rare-cases.ts';
import { createServer, type ServerRecord } from './record.ts';
import { createFreeDevices, createStorages, deviceRow } from './room.ts';
import { stamp } from '../timestamp.ts';

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
  const places = new Map<string, Place>();
  const bySite = new Map(sites.map(([site, weight]) => [site, createHosts(site, (size * weight) / 100)]));
  const [virtual] = [...bySite.values()] as [HostRecord[]];
  /** In the first two zones only, every other one disabled: the third zone has nothing in reserve. */
  const spares = Array.from({ length: Math.max(2, Math.ceil(virtual.length / 40)) }, (_, index) => {
    const host = createHostAt(places.get(virtual[index % 2]!.id)!, virtual.length + index);
    return { ...equip(host, spareLoad), ...isWell, enabled: index % 2 === 0 };
  });
  const machines = [...bySite].find(([site]) => site.hypervisor === 'baremetal')![1].values();
  let sequence = 0;

  function createHostAt(place: Place, position: number): HostRecord {
    const { site, zone } = place;
    const isPublic = site.account !== '' && site.hypervisor !== 'esxi';
    const number = String(position + 1).padStart(4, '0');
    const name = isPublic ? `${site.account}-sub-${zone.name}` : `${site.hypervisor}-host-${number}`;
    const host = createHost({ place, name, position, seed, nowMs: bornAtMs });
    places.set(host.id, place);
    return host;
  }

  function createHosts(site: Site, servers: number): HostRecord[] {
    const there = landscape.places.filter((place) => place.site === site);
    const count = countHosts(site, Math.ceil(servers), there.length);
    return Array.from({ length: count }, (_, position) =>
      createHostAt(there[position % there.length]!, position),
    );
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
      chooseStandby: (random) => random.pick(virtual),
      placeOf: ({ id }) => places.get(id)!,
    });
  }

  const servers = Array.from({ length: size }, (_, position) => {
    const server = nextServer(false);
    return rareCases ? addRareCase(server, { position, nowMs: bornAtMs, hosts: virtual }) : server;
  });
  const loads = loadsOf(servers);
  const hosts = [...bySite.values()].flat().map((host) => equip(host, loads.get(host.id) ?? noLoad));
  const attached = servers.flatMap(({ isolated_devices, created_at }) =>
    isolated_devices.map((device) => deviceRow(device, created_at)),
  );
  const free = createFreeDevices([...hosts, ...spares], servers, spares[0]!.id);
  return {
    bornAtMs,
    servers,
    hosts: [...hosts, ...spares],
    projects: landscape.projects,
    zones: landscape.zones,
    regions: landscape.regions,
    storages: createStorages([...hosts, ...spares], servers, ({ id }) => places.get(id)!.site.storage),
    devices: [...attached, ...free.map((device) => deviceRow(device, stamp(bornAtMs)))],
    /** New ones, each on a host that is there, takes servers and has room. */
    next(count: number, there: { hosts: readonly HostRecord[]; servers: readonly ServerRecord[] }) {
      const found = loadsOf(there.servers);
      return Array.from({ length: count }, () => placeAmong(there.hosts, found, nextServer(true)));
    },
  };
}

function countHosts({ hypervisor, account }: Site, servers: number, zones: number): number {
  if (hypervisor === 'baremetal') return Math.ceil(servers * 1.2) + 3;
  if (hypervisor === 'esxi' || account === '')
    return Math.max(hypervisor === 'kvm' ? 16 : zones, Math.ceil(servers / 24));
  return zones;
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
  const takes = (host: HostRecord) =>
    host.enabled &&
    (host.is_baremetal
      ? !loads.has(host.id)
      : host.status === 'running' && hasRoom(host, loadOf(host), server));
  let host = hosts.find(({ id }) => id === server.host_id);
  if (host === undefined || !takes(host)) {
    const others = hosts.filter((other) => other.host_type === server.host_type && takes(other));
    host = others.toSorted((one, other) => left(other) - left(one))[0] ?? host;
  }
  const placed = host === undefined ? server : { ...server, ...movedTo(host, server) };
  addLoad(loads, placed);
  return placed;
}

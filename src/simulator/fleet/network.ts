import type { HostRecord } from './host.ts';
import { networkIn } from './places.ts';
import type { ServerRecord } from './record.ts';

/** A range of addresses, as `GET /networks` has it, but for what is used of it. */
export type NetworkRecord = Readonly<ReturnType<typeof createNetwork>>;

const usual = { server_type: 'guest', status: 'available', lb_vnics: 0, reserve_vnics4: 0 };
type Kind = Partial<typeof usual & Pick<HostRecord, 'zone' | 'zone_id'>> & { name: string; ports?: number };

/** Beside the one that the servers of each zone are on. */
const others: readonly Kind[] = [
  { name: 'eip-pool', server_type: 'eip' },
  { name: 'net-machines', server_type: 'baremetal', ports: 60, reserve_vnics4: 21 },
  { name: 'net-nearly-full', ports: 62, reserve_vnics4: 59 },
  /** More is used than there is: each load balancer counts twice. */
  { name: 'net-balancers', ports: 14, lb_vnics: 9 },
  { name: 'net-broken', ports: 254, status: 'failed' },
  /** Its wire is in no zone. */
  { name: 'net-everywhere', ports: 126, reserve_vnics4: 4, zone: '', zone_id: '' },
];

export function createNetworks(hosts: readonly HostRecord[], servers: readonly ServerRecord[]) {
  const used = addressesUsed(servers);
  const zones = [...new Map(hosts.map((host) => [host.zone_id, host])).values()];
  const ofZones = zones.map((host) => createNetwork(host, { name: `net-${host.zone}` }, used));
  return [...ofZones, ...others.map((kind, index) => createNetwork(zones[0]!, kind, used, index))];
}

function createNetwork(host: HostRecord, kind: Kind, used: ReadonlyMap<string, number>, other?: number) {
  const { account, brand, cloud_env, created_at, manager, manager_id, provider } = host;
  const { region, region_id, zone, zone_id } = host;
  const id = other === undefined ? networkIn(host) : `4e80${other}${zone_id.slice(5)}`;
  const taken = used.get(kind.server_type ?? id) ?? 0;
  const owner = { account, brand, cloud_env, created_at, manager, manager_id, provider };
  const place = { region, region_id, zone, zone_id };
  return {
    ...owner,
    ...place,
    id,
    updated_at: created_at,
    external_id: account && `vsw-${zone}`,
    ports: Math.ceil(taken * 1.5) + 6,
    vpc: account === '' ? 'Default' : `vpc-${zone}`,
    vpc_id: account === '' ? 'default' : `7bc${zone_id.slice(3)}`,
    wire: `wire-${zone}`,
    wire_id: `31e${zone_id.slice(3)}`,
    ...usual,
    ...kind,
  };
}

/** By network, and as `eip` all public addresses. */
export function addressesUsed(servers: readonly ServerRecord[]): ReadonlyMap<string, number> {
  const used = new Map<string, number>();
  const add = (id: string) => used.set(id, (used.get(id) ?? 0) + 1);
  for (const { nics, eip } of servers) {
    for (const { network_id } of nics) add(network_id);
    if (eip !== '') add('eip');
  }
  return used;
}

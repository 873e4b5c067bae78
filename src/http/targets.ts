import { isIP } from 'node:net';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Server } from '../platform/server.ts';

export const addressKinds = ['private', 'public', 'ipv6'] as const;
export type AddressKind = (typeof addressKinds)[number];

/** Which servers become targets of Prometheus, and at which of their addresses. */
export interface TargetOptions {
  readonly address: AddressKind;
  /** The id of the network whose card has the address; any if not given. */
  readonly network: string | undefined;
  readonly port: number;
  /** Accepted values, by the name of a fact or of an extra label; a server must pass every filter. */
  readonly filters: ReadonlyMap<string, ReadonlySet<string>>;
}

/** As Prometheus reads it from HTTP service discovery. */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

const facts: Readonly<Record<string, (server: Server) => string>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  region: ({ region }) => region,
  zone: ({ zone }) => zone,
  hypervisor: ({ hypervisor }) => hypervisor,
  project_domain: ({ projectDomain }) => projectDomain,
  project: ({ project }) => project,
  status: ({ status }) => status,
  state: ({ state }) => state,
  host: ({ host }) => host,
  os_type: ({ osType }) => osType,
  instance_type: ({ instanceType }) => instanceType,
  brand: ({ brand }) => brand,
  billing_type: ({ billingType }) => billingType,
  pending_deleted: ({ pendingDeleted }) => String(pendingDeleted),
};

/** What a request may filter by, besides the extra labels of the cloud. */
export const filterNames: readonly string[] = Object.keys(facts);

/** The servers that pass, ordered by id: the same list gives the same answer, however the platform sorts it. */
export function* targetsOf(snapshot: Snapshot, options: TargetOptions): Generator<TargetGroup> {
  const passes = [...options.filters].map(([name, accepted]) => {
    const read = reader(name, snapshot.extraLabels);
    return (server: Server) => accepted.has(read(server));
  });
  // What waits in the recycle bin is nobody's target, unless it is asked for.
  const isBinWanted = options.filters.has('pending_deleted') || options.filters.has('state');
  const chosen = (snapshot.servers ?? []).filter(
    (server) => (isBinWanted || !server.pendingDeleted) && passes.every((pass) => pass(server)),
  );
  for (const server of chosen.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const address = addressOf(server, options.address, options.network);
    if (address === undefined) continue;
    const host = isIP(address) === 6 ? `[${address}]` : address;
    yield { targets: [`${host}:${options.port}`], labels: labelsOf(server, snapshot) };
  }
}

function reader(name: string, extraLabels: readonly string[]): (server: Server) => string {
  const fact = facts[name];
  if (fact) return fact;
  const position = extraLabels.indexOf(name);
  return ({ extra }) => extra[position] ?? '';
}

/** `ips` is in the platform's own order of preference; the cards are asked where it has nothing of the kind. */
function addressOf(server: Server, kind: AddressKind, network?: string): string | undefined {
  if (kind === 'public') return isIP(server.eip) === 0 ? undefined : server.eip;
  const version = kind === 'ipv6' ? 6 : 4;
  const cards = server.nics.filter((nic) => network === undefined || nic.network === network);
  const listed = network === undefined ? server.ips.split(',').map((text) => text.trim()) : [];
  const candidates = [...listed, ...cards.map(({ ipv4, ipv6 }) => (version === 6 ? ipv6 : ipv4))];
  return candidates.find((text) => isIP(text) === version);
}

function labelsOf(server: Server, { cloud, extraLabels }: Snapshot): Record<string, string> {
  const labels: Record<string, string> = { __meta_cloud_cloud: cloud };
  for (const [name, read] of Object.entries(facts)) labels[`__meta_cloud_${name}`] = read(server);
  for (const [index, name] of extraLabels.entries()) {
    labels[`__meta_cloud_label_${name}`] = server.extra[index] ?? '';
  }
  labels['__meta_cloud_private_ip'] = addressOf(server, 'private') ?? '';
  labels['__meta_cloud_public_ip'] = addressOf(server, 'public') ?? '';
  labels['__meta_cloud_ipv6'] = addressOf(server, 'ipv6') ?? '';
  return labels;
}

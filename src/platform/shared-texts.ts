import type { Server } from './server.ts';

export type Share = (text: string) => string;

/** So many are remembered; past that, some texts have two copies. */
const mostTexts = 100_000;

/** Each record comes with its own copy of the name of its region and so on; one copy is enough for all. */
export function createSharedTexts(): Share {
  const texts = new Map<string, string>();
  return (text) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= mostTexts) texts.clear();
    texts.set(text, text);
    return text;
  };
}

/** The same server, for one that is kept: with what it has in common with others, which is most of it, in one copy. */
export function withSharedTexts(server: Server, share: Share): Server {
  return {
    ...server,
    status: share(server.status),
    region: share(server.region),
    zone: share(server.zone),
    hypervisor: share(server.hypervisor),
    projectDomain: share(server.projectDomain),
    project: share(server.project),
    host: share(server.host),
    hostId: share(server.hostId),
    projectId: share(server.projectId),
    hostStatus: share(server.hostStatus),
    hostServiceStatus: share(server.hostServiceStatus),
    backupHostStatus: share(server.backupHostStatus),
    osType: share(server.osType),
    instanceType: share(server.instanceType),
    brand: share(server.brand),
    billingType: share(server.billingType),
    nics: each(server.nics, (nic) => ({ ...nic, network: share(nic.network) })),
    devices: each(server.devices, ({ type, model }) => ({ type: share(type), model: share(model) })),
    diskParts: each(server.diskParts, ({ storageType, mediumType, size }) => ({
      storageType: share(storageType),
      mediumType: share(mediumType),
      size,
    })),
    extra: each(server.extra, share),
  };
}

/** All empty lists stay the same one. */
function each<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  return items.length === 0 ? items : items.map(change);
}

import { stateOf } from './state.ts';
import {
  flag,
  isId,
  isRecord,
  longestLabel,
  momentOf,
  object,
  quantityOf,
  text,
  type Raw,
} from './values.ts';

export const rejections = ['not_an_object', 'no_id', 'bad_number'] as const;
export type Rejection = (typeof rejections)[number];

export type ReadServer = ReturnType<typeof createServerReader>;

/** One server as the exporter knows it. Absent, null and empty are the same: ''. Sizes are in the platform's units. */
export type Server = Readonly<Exclude<ReturnType<ReadServer>, Rejection>>;

/** So many texts are shared at most; a cloud with more of them, over time, has them shared anew. */
const maxShared = 200_000;

/** Sources of the configured extra labels are a field, or `metadata.KEY`. No other metadata is looked at. */
export function createServerReader(sources: readonly string[], infoSources: readonly string[] = []) {
  const shared = new Map<string, string>();
  /** One copy of a text that many servers have in common: a large fleet is kept. */
  const common = (value: unknown): string => {
    if (typeof value !== 'string') return '';
    const known = shared.get(value);
    if (known !== undefined) return known;
    const word = text(value);
    if (shared.size >= maxShared) shared.clear();
    // By the text as it came, so that it is repaired once; a very long one is not worth keeping.
    if (value.length <= longestLabel) shared.set(value, word);
    return word;
  };
  const readDevice = (value: unknown) => {
    const raw = object(value);
    return { id: text(raw['id']), type: common(raw['dev_type']), model: common(raw['model']) };
  };
  const readerOf = (source: string) =>
    source.startsWith('metadata.')
      ? (raw: Raw) => common(object(raw['metadata'])[source.slice('metadata.'.length)])
      : (raw: Raw) => common(raw[source]);
  const [extras, infos] = [sources.map(readerOf), infoSources.map(readerOf)];
  return (raw: unknown) => {
    if (!isRecord(raw)) return 'not_an_object';
    const { id } = raw;
    if (!isId(id)) return 'no_id';
    const [vcpus, memory] = [quantityOf(raw['vcpu_count']), quantityOf(raw['vmem_size'])];
    const [disk, disks] = [quantityOf(raw['disk']), quantityOf(raw['disk_count'])];
    if (vcpus === undefined || memory === undefined || disk === undefined || disks === undefined)
      return 'bad_number';
    // Everything else is read leniently, so that one new field breaks nothing.
    const status = common(raw['status']);
    const pendingDeleted = flag(raw['pending_deleted']);
    return {
      id,
      name: text(raw['name']),
      status,
      state: stateOf({ status, pendingDeleted, power: text(raw['power_states']) }),
      region: common(raw['region']) || common(raw['cloudregion']),
      zone: common(raw['zone']),
      hypervisor: common(raw['hypervisor']),
      projectDomain: common(raw['project_domain']),
      project: common(raw['project']) || common(raw['tenant']),
      host: common(raw['host']),
      hostId: common(raw['host_id']),
      projectId: common(raw['tenant_id']) || common(raw['project_id']),
      hostStatus: common(raw['host_status']),
      hostServiceStatus: common(raw['host_service_status']),
      backupHostStatus: common(raw['backup_host_status']),
      /** Where its standby is kept, for which the platform's scheduler counts its vCPUs and memory as well. */
      backupHostId: common(raw['backup_host_id']),
      /** In a public cloud, where hosts are stand-ins; undefined where the platform does not say. */
      isPublic: raw['cloud_env'] ? raw['cloud_env'] === 'public' : undefined,
      osType: common(raw['os_type']),
      instanceType: common(raw['instance_type']),
      brand: common(raw['brand']),
      billingType: common(raw['billing_type']),
      ips: text(raw['ips']),
      eip: text(raw['eip']),
      nics: all(raw['nics'], readNic),
      /** Moments are in milliseconds of Unix time: read once, and asked for many times. */
      createdAt: momentOf(raw['created_at']),
      updatedAt: momentOf(raw['updated_at']),
      /** `update_version`, which grows with each change; undefined on a platform that has none. */
      version: quantityOf(raw['update_version']),
      /** When it expires or is released. */
      endsAt: readEnd(raw),
      autoRenew: flag(raw['auto_renew']),
      pendingDeleted,
      isGpu: flag(raw['is_gpu']),
      devices: all(raw['isolated_devices'], readDevice),
      vcpus,
      memory,
      disk,
      disks,
      /** Values of the configured extra labels, in their order. */
      extra: extras.length === 0 ? none : extras.map((one) => one(raw)),
      /** Likewise of those that are told of single servers only. */
      info: infos.length === 0 ? none : infos.map((one) => one(raw)),
    };
  };
}

/** Before this, it is no end but an empty moment, such as the year 1 in which Go's clock starts. */
const firstEnd = Date.UTC(1971, 0);

/** Newer releases write the planned end of a postpaid server as `release_at`. */
export function readEnd(raw: Raw): number | undefined {
  const release = raw['billing_type'] === 'prepaid' ? undefined : endOf(raw['release_at']);
  return release ?? endOf(raw['expired_at']);
}

function endOf(value: unknown): number | undefined {
  const end = momentOf(value);
  return end !== undefined && end >= firstEnd ? end : undefined;
}

function readNic(value: unknown) {
  const raw = object(value);
  return { network: text(raw['network_id']), ipv4: text(raw['ip_addr']), ipv6: text(raw['ip6_addr']) };
}

/** One empty list for all: most servers have no device, and a large fleet is kept. */
const none: readonly never[] = [];

function all<Item>(value: unknown, read: (item: unknown) => Item): readonly Item[] {
  return Array.isArray(value) && value.length > 0 ? value.map(read) : none;
}

/** Read by the reader, but of use only where single servers are exported or discovered. */
const ofSingleServers = new Set(['created_at', 'os_type', 'instance_type', 'brand', 'ips', 'eip', 'nics']);

/** Beside `metadata`: some releases send it only if this is named too. */
const metadataCompanion = '__meta__';

/** The fields to ask for: those that this reader looks at. */
export function fieldsFor(
  read: ReadServer,
  needs: { readonly labelSources: readonly string[]; readonly singleServers: boolean },
): string[] {
  const isNeeded = (field: string) =>
    needs.singleServers || !ofSingleServers.has(field) || needs.labelSources.includes(field);
  const fields = fieldsOf(read).filter(isNeeded);
  return fields.includes('metadata') ? [...fields, metadataCompanion] : fields;
}

/** The least that is a server. */
export const leastServer: Raw = { id: '-', vcpu_count: 0, vmem_size: 0, disk: 0, disk_count: 0 };

/** Those that a reader looks at. */
export function fieldsOf(read: (record: unknown) => unknown): readonly string[] {
  const looked = new Set<string>();
  const get = (target: object, field: string | symbol): unknown => {
    looked.add(String(field));
    return Reflect.get(target, field);
  };
  read(new Proxy(leastServer, { get }));
  return [...looked];
}

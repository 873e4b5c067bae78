/** What was looked up and is missing, though the record itself is there. */
export type Missing = 'host' | 'place' | 'project' | 'domain' | 'disks' | 'addresses';

export interface HalfTold {
  readonly missing: Missing | readonly Missing[];
  /** By its place on the page, from 0; every record if not given. */
  readonly which?: (position: number) => boolean;
}

type Row = Readonly<Record<string, unknown>>;

const place = [
  'zone',
  'zone_id',
  'zone_ext_id',
  'region',
  'region_id',
  'cloudregion',
  'cloudregion_id',
  'brand',
];

/** The fields that were seen to go together when the platform's database dropped a connection. */
const fieldsOf: Readonly<Record<Missing, readonly string[]>> = {
  host: ['host', 'host_sn', 'host_status', 'host_service_status', 'host_type', 'provider', ...place],
  place,
  project: ['project', 'tenant', 'project_domain'],
  domain: ['project_domain'],
  disks: ['disks', 'disks_info'],
  addresses: ['ips', 'nics', 'macs', 'vpc', 'vpc_id'],
};

/** A page with 200 and wrong numbers: asked for again, it is right. */
export function dropLookedUpFields(body: Buffer, { missing, which = () => true }: HalfTold): Buffer {
  const page = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  const key = 'hosts' in page ? 'hosts' : 'servers';
  const kinds = [missing].flat() as readonly Missing[];
  const rows = (page[key] ?? []) as readonly Row[];
  // A host knows the id of its zone by itself.
  const own = new Set(key === 'hosts' ? ['zone_id'] : []);
  const told = rows.map((row, position) => (which(position) ? without(row, kinds, own) : row));
  return Buffer.from(JSON.stringify({ ...page, [key]: told }));
}

function without(row: Row, kinds: readonly Missing[], own: ReadonlySet<string>): Row {
  const lost = new Set(kinds.flatMap((kind) => fieldsOf[kind]));
  const kept = Object.entries(row).filter(([field]) => own.has(field) || !lost.has(field));
  const zeros = kinds.includes('disks') ? ['disk', 'disk_count'].filter((field) => field in row) : [];
  return { ...Object.fromEntries(kept), ...Object.fromEntries(zeros.map((field) => [field, 0])) };
}

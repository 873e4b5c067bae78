/** What was looked up and is missing, though the record itself is there. */
export type Missing =
  | 'host'
  | 'hostState'
  | 'place'
  | 'project'
  | 'domain'
  | 'disks'
  | 'devices'
  | 'addresses';

export interface HalfTold {
  readonly missing: Missing | readonly Missing[];
  /** By its place in the answer, from 0; every record if not given. */
  readonly which?: (position: number) => boolean;
}

type Row = Readonly<Record<string, unknown>>;

const place = 'zone zone_id zone_ext_id region region_id cloudregion cloudregion_id brand'.split(' ');

/** The fields that were seen to go together when the platform's database dropped a connection. */
const fieldsOf: Readonly<Record<Missing, readonly string[]>> = {
  host: ['host', 'host_sn', 'host_status', 'host_service_status', 'host_type', 'provider', ...place],
  hostState: ['host_status', 'host_service_status'],
  place,
  project: ['project', 'tenant', 'project_domain'],
  domain: ['project_domain'],
  disks: ['disks', 'disks_info'],
  devices: ['isolated_devices'],
  addresses: ['ips', 'nics', 'macs', 'vpc', 'vpc_id'],
};

/** What a record says instead. */
const blanksOf: Partial<Readonly<Record<Missing, Row>>> = {
  disks: { disk: 0, disk_count: 0 },
  devices: { is_gpu: false },
};

/** An answer with 200 and wrong numbers: asked for again, it is right. */
export function dropLookedUpFields(body: Buffer, { missing, which = () => true }: HalfTold): Buffer {
  const kinds = [missing].flat() as readonly Missing[];
  return rewriteRows(body, (rows, key) => {
    // A host, a storage and a zone know by themselves where they are.
    const own = new Set(key === 'servers' ? [] : ['zone_id', 'host_status']);
    return rows.map((row, position) => (which(position) ? without(row, kinds, own) : row));
  });
}

export function cutShort(body: Buffer, length: number): Buffer {
  return rewriteRows(body, (rows) => rows.slice(0, length));
}

/** Of the one list that an answer has. */
export function rewriteRows(
  body: Buffer,
  change: (rows: readonly Row[], key: string) => readonly unknown[],
): Buffer {
  const page = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  const key = Object.keys(page).find((name) => Array.isArray(page[name]));
  if (key === undefined) return body;
  return Buffer.from(JSON.stringify({ ...page, [key]: change(page[key] as Row[], key) }));
}

function without(row: Row, kinds: readonly Missing[], own: ReadonlySet<string>): Row {
  const lost = new Set(kinds.flatMap((kind) => fieldsOf[kind]));
  const blanks = Object.assign({}, ...kinds.map((kind) => blanksOf[kind])) as Row;
  const kept = Object.entries(row).filter(([field]) => own.has(field) || !lost.has(field));
  return Object.fromEntries(kept.map(([field, value]) => [field, field in blanks ? blanks[field] : value]));
}

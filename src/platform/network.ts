import { isId, isRecord, quantityOf, text } from './server.ts';

/** One range of IPv4 addresses as the detailed list has it; numbers are undefined where it does not say. */
export interface ListedNetwork {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly zone: string;
  /** '' for a network that is in no zone. */
  readonly zoneId: string;
  readonly vpc: string;
  readonly serverType: string;
  readonly isUp: boolean;
  readonly addresses: number | undefined;
  /** Never more than there are: some releases count load balancers twice. */
  readonly used: number | undefined;
}

/** Undefined for a record that is no network. */
export function readNetwork(record: unknown): ListedNetwork | undefined {
  if (!isRecord(record)) return undefined;
  const [id, name] = [record['id'], text(record['name'])];
  if (!isId(id) || name === '') return undefined;
  const [addresses, used] = [quantityOf(record['ports']), quantityOf(record['ports_used'])];
  return {
    id,
    name,
    region: text(record['region']) || text(record['cloudregion']),
    zone: text(record['zone']),
    zoneId: text(record['zone_id']),
    vpc: text(record['vpc']),
    serverType: text(record['server_type']),
    isUp: text(record['status']) === 'available',
    addresses,
    used: addresses === undefined || used === undefined ? undefined : Math.min(used, addresses),
  };
}

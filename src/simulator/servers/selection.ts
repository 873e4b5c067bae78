import { newestFirst, type Population } from '../fleet/population.ts';
import type { ServerRecord } from '../fleet/record.ts';
import { readFilters, type Filters, type Row } from '../lists/filters.ts';

/** Which servers are listed. */
export interface Selection {
  readonly recycleBin: 'hidden' | 'only' | 'shown';
  readonly projectId?: string;
  readonly domainId?: string;
  readonly ascending: boolean;
  /** Those of the platform itself, and those that stand for something else. */
  readonly system: boolean;
  readonly emulated: boolean;
  /** Rows of deleted servers too. */
  readonly deleted: boolean;
  readonly filters: Filters;
  /** Plain parameters such as `status=`: the field is one of the values. */
  readonly equal: readonly (readonly [field: string, values: readonly string[]])[];
}

export const everything: Selection = {
  recycleBin: 'shown',
  ascending: false,
  system: true,
  emulated: true,
  deleted: false,
  filters: { texts: [], any: false },
  equal: [],
};

export type Select = (population: Population, selection: Selection) => readonly ServerRecord[];

const mostRemembered = 16;

/** The fleet's array is replaced at every change, so a choice made from one array holds as long as the array does. */
export function createSelector(): Select {
  const known = new WeakMap<readonly ServerRecord[], Map<string, readonly ServerRecord[]>>();
  const all = JSON.stringify(everything);

  return (population, selection) => {
    const { servers } = population;
    const key = JSON.stringify(selection);
    if (key === all) return servers;
    const ofServers = known.get(servers) ?? new Map<string, readonly ServerRecord[]>();
    known.set(servers, ofServers);
    const selected = ofServers.get(key) ?? select(population, selection);
    if (ofServers.size >= mostRemembered) ofServers.clear();
    ofServers.set(key, selected);
    return selected;
  };
}

function select({ servers, tombstones }: Population, selection: Selection): readonly ServerRecord[] {
  const test = testOf(selection);
  const living = servers.filter(test);
  const deleted = selection.deleted ? tombstones.filter(test) : [];
  const selected = deleted.length === 0 ? living : [...living, ...deleted].toSorted(newestFirst);
  return selection.ascending ? selected.toReversed() : selected;
}

function testOf(selection: Selection): (server: ServerRecord) => boolean {
  const { recycleBin, projectId, domainId, system, emulated, equal } = selection;
  const filter = readFilters(selection.filters, isFilterColumn) ?? (() => true);
  const wanted = equal.map(([field, values]) => [field, new Set(values)] as const);
  return (server) =>
    (recycleBin === 'shown' || server.pending_deleted === (recycleBin === 'only')) &&
    (projectId === undefined || server.tenant_id === projectId) &&
    (domainId === undefined || server.domain_id === domainId) &&
    (system || !server.is_system) &&
    (emulated || !server.is_emulated) &&
    wanted.every(([field, values]) => valuesOf(server, field).some((value) => values.has(value))) &&
    filter(server);
}

const filterColumns = new Set(
  (
    'id name status hypervisor vcpu_count vmem_size host_id tenant_id domain_id os_type billing_type expired_at ' +
    'auto_renew instance_type external_id created_at updated_at update_version deleted deleted_at ' +
    'pending_deleted pending_deleted_at backup_host_id is_system is_emulated'
  ).split(' '),
);

function isFilterColumn(column: string): boolean {
  return filterColumns.has(column);
}

/** Places and owners are found by name and by id. */
function valuesOf(server: ServerRecord, field: string): readonly string[] {
  const values = server as Row;
  return [String(values[field] ?? ''), String(values[`${field}_id`] ?? '')];
}

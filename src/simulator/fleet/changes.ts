import { equip, heard, hostFields, spareLoad, type HostRecord } from './host.ts';
import { createNamed } from './landscape.ts';
import { movedTo } from './load.ts';
import type { ServerRecord } from './record.ts';
import type { Moment, Population, Removal, Tables } from './tables.ts';
import { stamp } from '../answer.ts';

/** What becomes of hosts and of names, and what their servers say of it: no version of a server moves, except if it moves. */
export interface HostChanges {
  /** Like the host of that id, or the first one. A zone that it names is there from then on. */
  addHost(patch?: Partial<HostRecord>, like?: string): HostRecord;
  /** Its servers go with it, and only `deleted_at` tells. */
  removeHost(id: string, moment?: Removal): void;
  changeHost(id: string, patch: Partial<HostRecord>): HostRecord;
  enableHost(id: string, enabled: boolean): HostRecord;
  /** The agent is no longer heard of, or is again. The status of its servers is another matter. */
  silenceHost(id: string, silent?: boolean): HostRecord;
  moveServer(id: string, hostId: string, moment?: Moment): ServerRecord;
  /** Of a zone, a region or a project, wherever it is told. */
  rename(kind: 'zones' | 'cloudregions' | 'projects', id: string, name: string): void;
}

export interface ChangesPlan {
  readonly tables: Tables;
  readonly changeAll: Population['changeAll'];
  readonly remove: Population['remove'];
  readonly renameProject: (id: string, name: string) => void;
  readonly now: () => number;
  readonly seed: number;
}

export function createHostChanges(plan: ChangesPlan): HostChanges {
  const { tables, changeAll, now, seed } = plan;
  const { servers, hosts, storages, zones, cloudregions } = tables;
  let added = 0;

  function find(id: string): HostRecord {
    const found = hosts.find(id);
    if (found === undefined) throw new RangeError(`no host ${id}`);
    return found;
  }

  function changeServers(isMeant: (server: ServerRecord) => boolean, patch: Partial<ServerRecord>): void {
    const meant = servers.rows.filter(isMeant).map(({ id }) => id);
    changeAll(meant, () => patch);
  }

  function changeHost(id: string, patch: Partial<HostRecord>): HostRecord {
    const before = find(id);
    const version = { update_version: before.update_version + 1, updated_at: stamp(now()) };
    const after = { ...before, ...version, ...patch };
    hosts.replace([id], () => after);
    tellServers(before, after);
    return after;
  }

  /** Places too, if they have changed. */
  function tellServers(before: HostRecord, after: HostRecord): void {
    const [old, told] = [hostFields(before), hostFields(after)];
    const changed = Object.entries(told).filter(([field, value]) => old[field as keyof typeof old] !== value);
    if (changed.length === 0) return;
    changeServers(({ host_id }) => host_id === after.id, Object.fromEntries(changed));
    const standby = { backup_host_name: after.name, backup_host_status: after.host_status };
    changeServers(({ backup_host_id }) => backup_host_id === after.id, standby);
  }

  function addHost(patch: Partial<HostRecord> = {}, like?: string): HostRecord {
    const model = like === undefined ? hosts.rows[0]! : find(like);
    const random = createNamed(seed, `added ${(added += 1)}`);
    const at = { created_at: stamp(now()), updated_at: stamp(now()) };
    const name = patch.name ?? `${model.host_type}-host-added-${added}`;
    const zone_id =
      patch.zone === undefined
        ? model.zone_id
        : createNamed(seed, (patch.region ?? model.region) + patch.zone).uuid();
    const fresh = { ...equip(model, spareLoad), ...at, id: random.uuid(), name, zone_id, ...patch };
    const { zone, region, region_id } = fresh;
    const row = { ...zones.rows[0]!, ...at, external_id: '', cloudregion: region, cloudregion_id: region_id };
    if (zones.find(fresh.zone_id) === undefined) zones.add([{ ...row, id: fresh.zone_id, name: zone }]);
    hosts.add([fresh]);
    return fresh;
  }

  function renameAt(kind: 'zones' | 'cloudregions', id: string, name: string): void {
    const isThere = (place: { zone_id: string; region_id: string }) =>
      (kind === 'zones' ? place.zone_id : place.region_id) === id;
    const patch = kind === 'zones' ? { zone: name } : { region: name };
    for (const host of hosts.rows.filter(isThere)) {
      hosts.replace([host.id], (row) => ({ ...row, ...patch }));
    }
    const there = storages.rows.filter(isThere).map((storage) => storage.id);
    storages.replace(there, (row) => ({ ...row, ...patch }));
    if (kind === 'zones') zones.replace([id], (row) => ({ ...row, name }));
    else cloudregions.replace([id], (row) => ({ ...row, name }));
    changeServers(isThere, patch);
  }

  return {
    addHost,
    removeHost(id, moment = {}) {
      const ids = servers.rows.filter(({ host_id }) => host_id === id).map((server) => server.id);
      plan.remove(ids, { ...moment, withHost: true });
      hosts.remove([id]);
    },
    changeHost,
    enableHost: (id, enabled) => changeHost(id, { enabled }),
    silenceHost: (id, silent = true) => changeHost(id, heard(!silent)),
    moveServer(id, hostId, moment) {
      const host = find(hostId);
      changeAll([id], (server) => movedTo(host, server), moment);
      return servers.find(id)!;
    },
    rename(kind, id, name) {
      if (kind !== 'projects') return renameAt(kind, id, name);
      plan.renameProject(id, name);
      changeServers(({ tenant_id }) => tenant_id === id, { project: name });
    },
  };
}

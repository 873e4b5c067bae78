import { agentFields, type HostRecord } from './host-record.ts';
import type { Hosts } from './hosts.ts';
import { hostStatusFields } from './placement.ts';
import type { Moment, Population } from './population.ts';
import type { ServerRecord } from './record.ts';

export interface HostChanges {
  addHost(patch?: Partial<HostRecord>, like?: string): HostRecord;
  /** Its servers go with it, and only `deleted_at` tells. */
  removeHost(id: string, moment?: Moment): void;
  /** Its name and its status show on its servers, whose own version stays: the platform looks these up. */
  changeHost(id: string, patch: Partial<HostRecord>): HostRecord;
  enableHost(id: string, enabled: boolean): HostRecord;
  /** The agent is no longer heard of, or is again. The status of its servers is another matter. */
  silenceHost(id: string, silent?: boolean): HostRecord;
  moveServer(id: string, hostId: string, moment?: Moment): ServerRecord;
}

export function createHostChanges(hosts: Hosts, population: Population): HostChanges {
  function changeHost(id: string, patch: Partial<HostRecord>): HostRecord {
    const after = hosts.change(id, patch);
    if (patch.name === undefined && patch.host_status === undefined) return after;
    const online = after.host_status === agentFields(true).host_status;
    const fields = hostStatusFields(online);
    const on = population.servers.filter(({ host_id }) => host_id === id).map((server) => server.id);
    population.changeAll(on, () => ({ ...fields, host: after.name }));
    const standby = { backup_host_name: after.name, backup_host_status: fields.host_service_status };
    const backed = population.servers.filter(({ backup_host_id }) => backup_host_id === id);
    population.changeAll(
      backed.map((server) => server.id),
      () => standby,
    );
    return after;
  }

  return {
    addHost: (patch = {}, like) => hosts.add(patch, like),
    removeHost(id, moment = {}) {
      const ids = population.servers.filter(({ host_id }) => host_id === id).map((server) => server.id);
      population.remove(ids, { ...moment, withHost: true });
      hosts.remove(id);
    },
    changeHost,
    enableHost: (id, enabled) => changeHost(id, { enabled }),
    silenceHost: (id, silent = true) => changeHost(id, agentFields(!silent)),
    moveServer: (id, hostId, moment) => population.change(id, hosts.fieldsOn(hostId), moment),
  };
}

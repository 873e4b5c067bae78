import { fillingZone } from './host-record.ts';
import type { HostChanges } from './host-changes.ts';
import type { Hosts } from './hosts.ts';
import type { Population } from './population.ts';
import type { ServerRecord } from './record.ts';

const stepsBetween = 2;

/** One zone gets full: every ten seconds a server moves there, until none of its hosts has room. */
export function createFilling(population: Population, hosts: Hosts, changes: HostChanges) {
  return {
    /** The id of the server that was moved. */
    takeStep(step: number, at: number, candidate: ServerRecord | undefined): string | undefined {
      if (step % stepsBetween !== 0 || candidate === undefined) return undefined;
      const { status, hypervisor, zone, is_gpu } = candidate;
      const isMovable = status === 'running' && hypervisor === 'kvm' && zone !== fillingZone && !is_gpu;
      if (!isMovable || candidate.pending_deleted) return undefined;
      const host = hosts.hosts.find(
        (one) =>
          one.zone === fillingZone &&
          one.host_type === candidate.host_type &&
          one.enabled &&
          one.host_status === 'online' &&
          hosts.hasRoom(one, candidate, population.servers),
      );
      if (host === undefined) return undefined;
      return changes.moveServer(candidate.id, host.id, { at }).id;
    },
  };
}

import type { HostChanges } from './host-changes.ts';
import type { Population } from './population.ts';
import type { Random } from './random.ts';
import type { ServerRecord } from './record.ts';

const stepsBetween = 60;
const shortestSteps = 12;

/** Now and then a host falls silent: its servers are unknown until it is back. One host at a time. */
export function createOutages(population: Population, changes: HostChanges) {
  let silentHost: string | undefined;
  let endsAtStep = 0;

  function switchHost(hostId: string, online: boolean, at: number): readonly string[] {
    const status = online ? 'running' : 'unknown';
    changes.silenceHost(hostId, !online);
    const ids = population.servers.filter(({ host_id }) => host_id === hostId).map(({ id }) => id);
    population.changeAll(ids, () => ({ status }), { at });
    return ids;
  }

  return {
    /** Hosts that were silent before life began stay so: an operator's board is never all green. */
    holds: (server: ServerRecord): boolean => server.host_service_status === 'offline',
    /** Gives the ids of the servers whose course it cut short. */
    takeStep(step: number, at: number, random: Random): readonly string[] {
      const candidate = population.servers[random.below(population.servers.length)];
      if (silentHost !== undefined) {
        if (step < endsAtStep) return [];
        const back = switchHost(silentHost, true, at);
        silentHost = undefined;
        return back;
      }
      const suitable = candidate?.hypervisor === 'kvm' && candidate.host_service_status === 'online';
      if (!suitable || !random.chance(1 / stepsBetween)) return [];
      silentHost = candidate.host_id;
      endsAtStep = step + shortestSteps + random.below(shortestSteps);
      return switchHost(silentHost, false, at);
    },
  };
}

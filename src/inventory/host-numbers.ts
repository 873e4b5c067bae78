import type { Server } from '../platform/server.ts';

export type HostNumbers = ReturnType<typeof createHostNumbers>;

/** No host says anything of a server that has neither its id nor its name. */
export const noHost = 0;

/** Numbers the hosts that servers name. It only grows, as the groups do. */
export function createHostNumbers() {
  const numbers = new Map<string, number>();
  /** By number; `''` where its servers give a name only. */
  const ids: string[] = [''];

  function add(key: string, id: string): number {
    let number = numbers.get(key);
    if (number === undefined) {
      number = ids.length;
      numbers.set(key, number);
      ids.push(id);
    }
    return number;
  }

  return {
    size: () => ids.length,
    idOf: (number: number): string => ids[number]!,
    find: (id: string): number => numbers.get(id) ?? noHost,
    numberOf({ hostId, backupHostId, region, zone, host }: Server): number {
      if (backupHostId !== '') add(backupHostId, backupHostId);
      if (hostId !== '') return add(hostId, hostId);
      return host === '' ? noHost : add(JSON.stringify([region, zone, host]), '');
    },
  };
}

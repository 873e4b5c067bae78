import type { ServerRecord } from '../fleet/record.ts';

export interface Selection {
  readonly recycleBin: 'hidden' | 'only' | 'shown';
  readonly projectId?: string;
  readonly domainId?: string;
  readonly ascending: boolean;
}

export type Select = (servers: readonly ServerRecord[], selection: Selection) => readonly ServerRecord[];

/** The fleet's array is replaced at every change, so a choice made from one array holds as long as the array does. */
export function createSelector(): Select {
  const known = new WeakMap<readonly ServerRecord[], Map<string, readonly ServerRecord[]>>();

  return (servers, selection) => {
    if (selection.recycleBin === 'shown' && !isNarrowed(selection)) return servers;
    const ofServers = known.get(servers) ?? new Map<string, readonly ServerRecord[]>();
    known.set(servers, ofServers);
    const key = JSON.stringify(selection);
    const selected = ofServers.get(key) ?? select(servers, selection);
    ofServers.set(key, selected);
    return selected;
  };
}

function isNarrowed({ projectId, domainId, ascending }: Selection): boolean {
  return projectId !== undefined || domainId !== undefined || ascending;
}

function select(servers: readonly ServerRecord[], selection: Selection): readonly ServerRecord[] {
  const { recycleBin, projectId, domainId, ascending } = selection;
  const selected = servers.filter(
    (server) =>
      (recycleBin === 'shown' || server.pending_deleted === (recycleBin === 'only')) &&
      (projectId === undefined || server.tenant_id === projectId) &&
      (domainId === undefined || server.domain_id === domainId),
  );
  return ascending ? selected.toReversed() : selected;
}

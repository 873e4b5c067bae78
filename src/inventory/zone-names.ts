import type { Clock } from '../clock.ts';
import type { HostPlace, ListedHost } from '../platform/host.ts';

/** A host of the list, with the names of its place. */
export interface PlacedHost extends HostPlace {
  readonly host: ListedHost;
}

export interface ZoneNames {
  place(input: {
    readonly hosts: readonly ListedHost[];
    /** Where servers say that hosts are, by the id of the host. */
    readonly told: ReadonlyMap<string, HostPlace>;
    /** Reads one host with details. */
    readonly readPlace: (id: string) => Promise<HostPlace>;
  }): Promise<readonly PlacedHost[]>;
}

/** After so long a zone may have another name. */
const keptMs = 3_600_000;

const nowhere: HostPlace = { region: '', zone: '' };

/**
 * The list of hosts knows zones by id only, and details are dear. So servers tell the name of a zone; where none is,
 * one host is read with details, and what it says is kept.
 */
export function createZoneNames(clock: Clock): ZoneNames {
  const kept = new Map<string, { readonly place: HostPlace; readonly until: number }>();

  function recall(zoneId: string): HostPlace | undefined {
    const known = kept.get(zoneId);
    return known && clock.monotonic() < known.until ? known.place : undefined;
  }

  return {
    async place({ hosts, told, readPlace }) {
      const names = new Map<string, HostPlace>();
      for (const { id, zoneId } of hosts) {
        const place = told.get(id);
        if (place) names.set(zoneId, place);
      }
      // A host that says no zone is only where its own servers say.
      names.set('', nowhere);
      for (const { id, zoneId } of hosts) {
        if (names.has(zoneId)) continue;
        let place = recall(zoneId);
        if (!place) {
          place = await readPlace(id);
          kept.set(zoneId, { place, until: clock.monotonic() + keptMs });
        }
        names.set(zoneId, place);
      }
      return hosts.map((host) => {
        const { region, zone } = told.get(host.id) ?? names.get(host.zoneId)!;
        return { host, region, zone };
      });
    },
  };
}

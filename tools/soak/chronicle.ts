import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { countServers, type Truth } from '../../test/simulator/truth.ts';

type ServerRecord = Fleet['servers'][number];

/** What may be told of a time in which servers came, went and changed. */
export interface Range {
  /** Of those that were there all the time, as they were all the time. */
  readonly least: Truth;
  /** Of all that ever were there, in every way that they were. */
  readonly most: Truth;
  /** Who was there all the time, and who ever was. */
  readonly stayed: ReadonlySet<string>;
  readonly ever: ReadonlySet<string>;
}

export interface Chronicle {
  /** The range is what is there now, and nothing else. */
  begin(): void;
  /** To be called after each change. */
  note(): void;
  range(): Range;
}

/** Remembers what there was in a fleet while a list was read. A list of a moving fleet is of no single moment. */
export function createChronicle(fleet: Pick<Fleet, 'servers'>): Chronicle {
  let unchanged = new Set<ServerRecord>();
  let stayed = new Set<string>();
  let ever = new Set<ServerRecord>();

  return {
    begin() {
      unchanged = new Set(fleet.servers);
      stayed = new Set(fleet.servers.map(({ id }) => id));
      ever = new Set(fleet.servers);
    },
    note() {
      const now = new Set(fleet.servers);
      const present = new Set(fleet.servers.map(({ id }) => id));
      unchanged = new Set([...unchanged].filter((server) => now.has(server)));
      stayed = new Set([...stayed].filter((id) => present.has(id)));
      for (const server of now) ever.add(server);
    },
    range: () => ({
      least: countServers([...unchanged]),
      most: countServers([...ever]),
      stayed,
      ever: new Set([...ever].map(({ id }) => id)),
    }),
  };
}

import type { Print } from '../platform/records.ts';
import type { Rejection, Server } from '../platform/server.ts';
import type { HostNames, ProjectNames } from './names.ts';
import type { Place } from './places.ts';

/** What one server of the list is known as: an immutable value. Made with all its keys in this order, to be fast. */
export interface Row {
  readonly id: string;
  /** As it was told last, completed by what was known before; names of places and projects are looked up by its ids. */
  readonly server: Server;
  /** Of its record in the last full list; undefined where that has to be parsed again. */
  readonly print: Print | undefined;
  /** When its details were read, on the monotonic clock. */
  readonly readAt: number;
  /** What it has from before because its record lacked it, and since when, on the same clock. */
  readonly kept: Kept | undefined;
  /** Given by the mirror. */
  readonly at: Placed | undefined;
}

/** Where a row counts: the same object as long as no name of its ids changes. */
export interface Placed {
  readonly host: HostNames;
  readonly project: ProjectNames;
  readonly place: Place;
}

/** A row of the mirror. */
export type PlacedRow = Row & { readonly at: Placed };

export type Kept = Partial<Readonly<Record<LookedUp, number>>>;

/** What the platform looks up beside a server, each by itself, so that an answer may lack it. */
export const lookedUp = ['disk', 'device', 'label'] as const;
export type LookedUp = (typeof lookedUp)[number];

/** A record that was read with details just now. */
export interface Fresh {
  readonly id: string;
  readonly server: Server;
  readonly print: Print | undefined;
}

/** A record that cannot be counted; '' where it has no id. */
export interface Rejected {
  readonly id: string;
  readonly rejection: Rejection;
}

export function isFresh(record: Row | Fresh | Rejected): record is Fresh {
  return 'server' in record && !('readAt' in record);
}

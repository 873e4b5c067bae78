import type { LabelSet } from './label-sets.ts';
import type { Location } from './location.ts';
import type { PlainServer } from '../platform/plain-server.ts';
import type { Print } from '../platform/records.ts';
import type { Rejection, Server } from '../platform/server.ts';

/** Servers that count under the same labels. It lasts from list to list. */
export interface Group {
  readonly location: Location;
  readonly project: LabelSet;
  /** For each breakdown. */
  readonly parts: readonly (readonly LabelSet[])[];
}

/** What one server is known as: an immutable value. Made with all its keys in this order, to be fast. */
export interface Row {
  readonly kind: 'row';
  readonly id: string;
  /** Names of host and project are looked up by its ids. */
  readonly server: Server;
  /** Of the bytes that it was read from, or that were found to say the same; undefined where those have to be parsed. */
  readonly print: Print | undefined;
  /** When its details were read, on the monotonic clock. */
  readonly readAt: number;
  /** Undefined where it is settled; else its details are read again at the next list. */
  readonly unsettled: Unsettled | undefined;
  /** What it counts under, and the number of its host; undefined until that is known. */
  readonly group: Group | undefined;
  readonly host: number | undefined;
}

export interface Unsettled {
  /** Since when it lacks something, on the monotonic clock; undefined where it only has to be read a second time. */
  readonly doubtedSince: number | undefined;
  /** It has something from before, which is right meanwhile. */
  readonly isKept: boolean;
}

/** A record that was read with details just now. */
export interface Reading {
  readonly kind: 'reading';
  readonly id: string;
  readonly server: Server;
  /** Of the record in the list, which is the plain one where there is one. */
  readonly print: Print | undefined;
  readonly before: Row | undefined;
  /** What the plain list of this collection says of it. */
  readonly plain: PlainServer | undefined;
}

/** A record of a plain list that is new, or says other things than its row. */
export interface ChangedRecord {
  readonly kind: 'changed';
  readonly id: string;
  readonly plain: PlainServer;
  readonly print: Print | undefined;
}

/** A record that cannot be counted; `''` where it has no id. */
export interface RejectedRecord {
  readonly kind: 'rejected';
  readonly id: string;
  readonly rejection: Rejection;
}

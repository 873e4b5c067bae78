import type { Server } from '../platform/server.ts';
import type { State } from '../platform/state.ts';
import type { Listed } from '../platform/suspicion.ts';
import type { Place } from './places.ts';
import type { Problem } from './problems.ts';
import type { Validity } from './validity.ts';

/** One object for all servers that have it in common, and the number of that object among its like. */
interface Numbered {
  readonly number: number;
}

/** What the servers of one place, status and state have in common. */
export interface Kind extends Numbered {
  readonly place: Place;
  readonly status: string;
  readonly state: State;
  /** One object for all kinds of the same project. */
  readonly project: Place;
  /** Place, status and state as one text, by which kinds are sorted; made once, since there are many and they stay. */
  readonly order: string;
}

export interface HostName extends Numbered {
  /** '' where servers do not say. */
  readonly id: string;
  readonly region: string;
  readonly zone: string;
  readonly name: string;
}

/** How large a server is. */
export interface Sizes extends Numbered {
  /** One for each measure of the fleet, and of the hosts. */
  readonly numbers: readonly number[];
  readonly hostNumbers: readonly number[];
  /** Whether all of them are whole numbers, and not too large to be added up exactly. */
  readonly isExact: boolean;
}

/** What a breakdown, by its index, counts of a server. */
export interface CountedPart {
  readonly breakdown: number;
  readonly values: readonly string[];
  readonly count: number;
}

/** What there is to say of a server beside its numbers. */
export interface Note {
  /** The server itself, where single servers are wanted. */
  readonly server: Server | undefined;
  readonly problems: readonly Problem[];
  readonly parts: readonly CountedPart[];
}

/** How a server counts, worked out once: of a large fleet this is kept, and not its servers. */
export interface Counted extends Listed {
  readonly kind: Kind;
  readonly host: HostName | undefined;
  readonly sizes: Sizes;
  readonly isHostDown: boolean;
  /** Most servers have none. */
  readonly note: Note | undefined;
  /** For how long all of this holds. */
  readonly validity: Validity;
}

import type { Rejection } from '../platform/server.ts';
import type { ScopeKnown } from '../platform/scope.ts';
import { createGroups, type Groups } from './groups.ts';
import type { Lack } from './lookups.ts';
import { copyNames, type Names } from './names.ts';
import type { Row } from './row.ts';
import { forgetRefusedLists, type SideLists } from './side-lists.ts';
import type { SideSeries } from './side-series.ts';

/** All that a cloud remembers from list to list: an immutable value. A collection that fails leaves it as it was. */
export interface Known {
  /** In the order of their ids. */
  readonly rows: readonly Row[];
  /** One name for each id. */
  readonly names: Names;
  /** They only grow, and what an abandoned collection has added is in nobody's way. */
  readonly groups: Groups;
  /** How many of what they number the latest snapshot has. */
  readonly groupsInUse: number;
  readonly sideSeries: SideSeries | undefined;
  /** When the last list began, on the monotonic clock; undefined where there was none. */
  readonly listedAt: number | undefined;
  /** The fields that its details were asked for; all if there are none. */
  readonly fields: readonly string[];
  /** The id behind which details are read next. */
  readonly cursor: string | undefined;
  /** How many rows have to be read again, and have nothing from before that would be right meanwhile. */
  readonly toReadAgain: number;
  /** Plain records whose details cannot be read. */
  readonly rejected: ReadonlyMap<string, RejectedDetails>;
  /** What the platform does not heed. */
  readonly ignored: Ignored | undefined;
  readonly scope: ScopeKnown;
  readonly sideLists: SideLists;
  /** Incomplete answers since the start, by what was missing; and lists that had lost too many. */
  readonly incomplete: Readonly<Record<Lack | 'loss', number>>;
}

export interface RejectedDetails {
  readonly version: number | undefined;
  readonly rejection: Rejection;
}

export interface Ignored {
  readonly what: string;
  /** How servers are listed because of that. */
  readonly remedy: 'in detail' | 'by offset';
  /** On the monotonic clock. */
  readonly until: number;
}

const nothingRefused: Pick<Known, 'ignored' | 'scope'> = {
  ignored: undefined,
  scope: { proven: 'project', narrowed: undefined },
};

export function nothingKnown(): Known {
  return {
    rows: [],
    names: copyNames(),
    groups: createGroups(),
    groupsInUse: 0,
    sideSeries: undefined,
    listedAt: undefined,
    fields: [],
    cursor: undefined,
    toReadAgain: 0,
    rejected: new Map(),
    ...nothingRefused,
    sideLists: {},
    incomplete: { host: 0, project: 0, disk: 0, device: 0, loss: 0 },
  };
}

/** After a reload: what was refused or not heeded is tried again. */
export function forgetRefusals(known: Known): Known {
  return { ...known, ...nothingRefused, sideLists: forgetRefusedLists(known.sideLists) };
}

import { grown } from '../platform/grown.ts';
import { createKeyTable, wordsOfKey } from '../platform/key-table.ts';
import type { Rejected } from '../platform/register.ts';
import type { RollCall, Seat } from '../platform/roll.ts';
import { readServerKey, uuidOf } from '../platform/server-key.ts';
import type { Seats } from '../platform/suspicion.ts';
import type { Counted, Note } from './counted.ts';
import type { Counting } from './counting.ts';
import type { Leavers } from './ledger.ts';
import { createMemberRows } from './member-rows.ts';

/**
 * Who was in the latest list. Each has a seat, and the row of that number says how it counts: a hundred thousand objects
 * would be most of the memory in use.
 */
export interface Members extends Seats {
  /** Ends the collection before, if it has not been kept. */
  begin(): MemberCollection;
  noteOf(seat: Seat): Note | undefined;
  /** Whether how it counts still holds at this moment. */
  isValid(seat: Seat, now: number): boolean;
  everyone(): Iterable<Counted>;
}

/** One collection. Until one of its readings is kept, the members stay as they were. */
export interface MemberCollection {
  /** A seat for one that is not known as it is now. */
  add(counted: Counted): Seat;
  begin(): MemberCall;
}

/** One reading of the list. */
export interface MemberCall extends RollCall<Seat | Rejected> {
  /** How a server counts that is not as it was, or was not there; undefined for one that stays. */
  newcomer(seat: Seat): Counted | undefined;
  /** The list was whole: who was counted is a member from now on, and nobody else. Says who left. */
  keep(): Leavers;
  /** Afterwards: whether what was made of a record is of use. */
  isOfUse(item: Seat | Rejected): boolean;
}

/** What a reading has counted. */
interface Counts {
  readonly collection: number;
  readonly reading: number;
  /** Seats of members that are not as they were, and of what they are now. */
  readonly replaced: { readonly before: Seat; readonly now: Seat }[];
  stayed: number;
  came: number;
}

/** What is written in place of the collection at a seat that is a member's, or nobody's. */
const [ofMember, ofNobody] = [0, -1];
/** The seat that one gets who comes after the next collection has begun. */
const noSeat = -1;

/** Of servers that were counted by one counting. */
export function createMembers(counting: Counting): Members {
  const table = createKeyTable();
  const rows = createMemberRows(counting);
  /** By seat: the collection that added it, and the latest reading that counted it. */
  let addedIn = new Int32Array(1024);
  let countedIn = new Int32Array(1024);
  /** By seat, where the key does not say it. */
  const ids = new Map<Seat, string>();
  const key = new Int32Array(wordsOfKey);
  let seats = 0;
  let members = 0;
  /** Collections and readings are counted together. */
  let begun = 0;
  let latest = 0;
  /** What the latest collection has added, while it is not kept. */
  let added: Seat[] = [];

  function addSeat(id: string, collection: number): Seat {
    if (collection !== latest) return noSeat;
    const isUuid = readServerKey(id, key);
    const seat = table.reserve(key);
    seats = Math.max(seats, seat + 1);
    addedIn = grown(addedIn, seats);
    countedIn = grown(countedIn, seats);
    addedIn[seat] = collection;
    countedIn[seat] = 0;
    if (!isUuid) ids.set(seat, id);
    added.push(seat);
    return seat;
  }

  function leave(seat: Seat): void {
    rows.erase(seat);
    ids.delete(seat);
    table.remove(seat);
    addedIn[seat] = ofNobody;
  }

  function isFirst(seat: Seat, counts: Counts): boolean {
    if (addedIn[seat] !== ofMember) return addedIn[seat] === counts.collection && isFirstAdded(seat, counts);
    // A list that was given up may still be read for a moment; it takes nobody from the next one.
    if (countedIn[seat]! >= counts.reading) return false;
    countedIn[seat] = counts.reading;
    counts.stayed += 1;
    return true;
  }

  function isFirstAdded(seat: Seat, counts: Counts): boolean {
    const { reading, replaced } = counts;
    const found = table.linkUnlessFound(seat);
    if (found !== seat) {
      if (countedIn[found]! >= reading) return false;
      if (addedIn[found] === ofMember) {
        countedIn[found] = reading;
        replaced.push({ before: found, now: seat });
      } else table.link(seat);
    }
    countedIn[seat] = reading;
    counts.came += 1;
    return true;
  }

  function keep({ reading, replaced, stayed, came }: Counts): Leavers {
    const left: Counted[] = [];
    const areAllHere = stayed + replaced.length === members;
    for (const { before, now } of replaced) {
      takeLeaver(before, left);
      table.link(now);
    }
    if (!areAllHere) takeGone(reading, left);
    for (const seat of added) {
      if (countedIn[seat] === reading) addedIn[seat] = ofMember;
      else leave(seat);
    }
    added = [];
    members = stayed + came;
    return { left, everyone };
  }

  function takeGone(reading: number, left: Counted[]): void {
    for (let seat = 0; seat < seats; seat += 1)
      if (addedIn[seat] === ofMember && countedIn[seat]! < reading) takeLeaver(seat, left);
  }

  function takeLeaver(seat: Seat, left: Counted[]): void {
    const counted = rows.read(seat);
    if (counted) left.push(counted);
    leave(seat);
  }

  function* everyone(): Iterable<Counted> {
    for (let seat = 0; seat < seats; seat += 1) {
      const counted = addedIn[seat] === ofMember ? rows.read(seat) : undefined;
      if (counted) yield counted;
    }
  }

  return {
    everyone,
    noteOf: rows.noteOf,
    tellingOf: rows.tellingOf,
    isValid: rows.isValid,
    idOf(seat) {
      const id = ids.get(seat);
      if (id !== undefined) return id;
      table.readKey(seat, key);
      return uuidOf(key);
    },
    begin() {
      for (const seat of added) leave(seat);
      added = [];
      const collection = (latest = begun += 1);
      return {
        add(counted) {
          const seat = addSeat(counted.id, collection);
          if (seat !== noSeat) rows.write(seat, counted);
          return seat;
        },
        begin() {
          const reading = (begun += 1);
          const counts: Counts = { collection, reading, replaced: [], stayed: 0, came: 0 };
          return {
            get size() {
              return counts.stayed + counts.came;
            },
            isFirst: (item) =>
              isFirst(typeof item === 'number' ? item : addSeat(item.id, collection), counts),
            newcomer: (seat) => (addedIn[seat] === ofMember ? undefined : rows.read(seat)),
            keep: () => keep(counts),
            isOfUse: (item) =>
              typeof item !== 'number' || (addedIn[item] === ofMember && countedIn[item]! >= reading),
          };
        },
      };
    },
  };
}

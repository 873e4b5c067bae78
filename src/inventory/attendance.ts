import type { Counted } from './counted.ts';
import type { Leavers } from './ledger.ts';

/** A server that is kept as an object, with the mark of the latest reading that showed it; 0 while it does not count. */
export interface Attending extends Counted {
  countedIn: number;
}

/** Who came and who left, where a server that has not changed is the same object as in the list before. */
export interface Attendance {
  begin(): AttendanceCall;
}

/** One reading of the list; without `keep`, all stays as it was. */
export interface AttendanceCall {
  /** Each server once. */
  isNew(counted: Attending): boolean;
  /** The list was whole: its servers are those that count from now on. */
  keep(): Leavers;
}

/** What a reading found. */
interface Found {
  readonly reading: number;
  readonly came: Attending[];
  stayed: number;
}

export function createAttendance(): Attendance {
  const members: Attending[] = [];
  let readings = 0;

  /** Takes out who was not seen in this reading. */
  function takeLeavers(reading: number): Counted[] {
    const left: Counted[] = [];
    let kept = 0;
    for (const member of members) {
      if (member.countedIn >= reading) {
        members[kept] = member;
        kept += 1;
      } else {
        left.push(member);
        member.countedIn = 0;
      }
    }
    members.length = kept;
    return left;
  }

  return {
    begin() {
      const found: Found = { reading: (readings += 1), came: [], stayed: 0 };
      return {
        isNew: (counted) => isNew(counted, found),
        keep() {
          const left = found.stayed < members.length ? takeLeavers(found.reading) : [];
          for (const counted of found.came) {
            counted.countedIn = found.reading;
            members.push(counted);
          }
          return { left, everyone: () => members };
        },
      };
    },
  };
}

function isNew(counted: Attending, found: Found): boolean {
  if (counted.countedIn === 0) {
    found.came.push(counted);
    return true;
  }
  if (counted.countedIn < found.reading) {
    found.stayed += 1;
    // Never less than before: a list that was given up may still be read for a moment beside the next one.
    counted.countedIn = found.reading;
  }
  return false;
}

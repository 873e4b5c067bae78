import { grown } from '../platform/grown.ts';
import type { Seat } from '../platform/roll.ts';
import type { Telling } from '../platform/suspicion.ts';
import { createAsides } from './asides.ts';
import type { Counted, Note } from './counted.ts';
import type { Counting } from './counting.ts';

/** How servers count, in a row of numbers each. */
export interface MemberRows {
  write(seat: Seat, counted: Counted): void;
  /** The same again, but for its id; undefined if there is nothing in this row. */
  read(seat: Seat): Counted | undefined;
  erase(seat: Seat): void;
  noteOf(seat: Seat): Note | undefined;
  tellingOf(seat: Seat): Telling;
  isValid(seat: Seat, now: number): boolean;
}

/** What of a row is where: a number and 1, or 0 for nothing; the number of an aside as it is. */
const [kindAt, hostAt, sizesAt, asideAt, width] = [0, 1, 2, 3, 4];
const fewest = 1024;

/** Of servers that were counted by one counting. */
export function createMemberRows({ kinds, hosts, sizes }: Counting): MemberRows {
  const asides = createAsides();
  let cells = new Int32Array(fewest * width);

  const asideOf = (seat: Seat) => cells[seat * width + asideAt] ?? 0;

  return {
    noteOf: (seat) => asides.noteOf(asideOf(seat)),
    tellingOf: (seat) => asides.tellingOf(asideOf(seat)),
    isValid: (seat, now) => asides.isValid(asideOf(seat), now),
    write(seat, counted) {
      const { kind, host, sizes: ofServer } = counted;
      const row = seat * width;
      cells = grown(cells, row + width);
      cells[row + kindAt] = kind.number + 1;
      cells[row + hostAt] = host ? host.number + 1 : 0;
      cells[row + sizesAt] = ofServer.number + 1;
      cells[row + asideAt] = asides.put(counted);
    },
    read(seat) {
      const row = seat * width;
      const kind = cells[row + kindAt] ?? 0;
      if (kind === 0) return undefined;
      const host = cells[row + hostAt]!;
      const { isHostDown, note, telling, validity } = asides.get(asideOf(seat));
      return {
        mark: 0,
        telling,
        validity,
        note,
        id: '',
        kind: kinds[kind - 1]!,
        host: host === 0 ? undefined : hosts[host - 1],
        sizes: sizes[cells[row + sizesAt]! - 1]!,
        isHostDown,
      };
    },
    erase(seat) {
      const row = seat * width;
      asides.drop(asideOf(seat));
      cells.fill(0, row, row + width);
    },
  };
}

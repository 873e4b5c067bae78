import { grown } from '../platform/grown.ts';
import type { Seat } from '../platform/roll.ts';
import { toldInFull, type Telling } from '../platform/suspicion.ts';
import type { Counted, Note } from './counted.ts';
import type { Counting } from './counting.ts';
import { always, isValid, type Validity } from './validity.ts';

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

/** What there is to say of few servers. */
interface Aside {
  readonly isHostDown: boolean;
  readonly note: Note | undefined;
  readonly telling: Telling;
  readonly validity: Validity;
}

/** What of a row is where: a number and 1, or 0 for nothing. */
const [kindAt, hostAt, sizesAt, asideAt, width] = [0, 1, 2, 3, 4];
const fewest = 1024;

const usual: Aside = { isHostDown: false, note: undefined, telling: toldInFull, validity: always };

/** Of servers that were counted by one counting. */
export function createMemberRows({ kinds, hosts, sizes }: Counting): MemberRows {
  const asides: (Aside | undefined)[] = [];
  const freeAsides: number[] = [];
  let cells = new Int32Array(fewest * width);

  function asideOf(seat: Seat): Aside {
    const number = cells[seat * width + asideAt] ?? 0;
    return number === 0 ? usual : asides[number - 1]!;
  }

  function putAside(aside: Aside): number {
    const number = freeAsides.pop() ?? asides.length;
    asides[number] = aside;
    return number;
  }

  return {
    noteOf: (seat) => asideOf(seat).note,
    tellingOf: (seat) => asideOf(seat).telling,
    isValid: (seat, now) => isValid(asideOf(seat).validity, now),
    write(seat, { kind, host, sizes: ofServer, isHostDown, note, telling, validity }) {
      const row = seat * width;
      cells = grown(cells, row + width);
      const isUsual = !isHostDown && !note && telling === toldInFull && validity === always;
      cells[row + kindAt] = kind.number + 1;
      cells[row + hostAt] = host ? host.number + 1 : 0;
      cells[row + sizesAt] = ofServer.number + 1;
      cells[row + asideAt] = isUsual ? 0 : putAside({ isHostDown, note, telling, validity }) + 1;
    },
    read(seat) {
      const row = seat * width;
      const kind = cells[row + kindAt] ?? 0;
      if (kind === 0) return undefined;
      const host = cells[row + hostAt]!;
      const { isHostDown, note, telling, validity } = asideOf(seat);
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
      const aside = cells[row + asideAt] ?? 0;
      if (aside > 0) {
        asides[aside - 1] = undefined;
        freeAsides.push(aside - 1);
      }
      cells.fill(0, row, row + width);
    },
  };
}

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAttendance, type Attending } from '../../src/inventory/attendance.ts';
import type { CountedPart, HostName, Kind } from '../../src/inventory/counted.ts';
import { foldEntries } from '../../src/inventory/fold.ts';
import { createLedger, type Ledger } from '../../src/inventory/ledger.ts';
import { always } from '../../src/inventory/validity.ts';
import { toldInFull } from '../../src/platform/suspicion.ts';

const kinds = ['ready', 'running', 'unknown'].map((status, number): Kind => ({
  number,
  place: [status],
  status,
  state: status === 'unknown' ? 'unknown' : 'running',
  project: [],
  order: status,
}));
const hosts = ['a', 'b'].map((name, number): HostName => ({
  number,
  id: name,
  region: 'r',
  zone: 'z',
  name,
}));

interface Shape {
  readonly kind: number;
  readonly host: number;
  readonly isHostDown: boolean;
  readonly numbers: readonly number[];
  readonly parts: readonly CountedPart[];
}

function counted({ kind, host, isHostDown, numbers, parts }: Shape, id: number): Attending {
  return {
    id: String(id),
    mark: 0,
    telling: toldInFull,
    kind: kinds[kind]!,
    host: hosts[host],
    sizes: {
      number: 0,
      numbers,
      hostNumbers: numbers.slice(0, 2),
      isExact: numbers.every(Number.isSafeInteger),
    },
    isHostDown,
    note: parts.length > 0 ? { server: undefined, problems: [], parts } : undefined,
    validity: always,
    countedIn: 0,
  };
}

/** All that a ledger tells, hosts in the order of their names; large and odd numbers but for the order of adding. */
function told(ledger: Ledger): object {
  return rounded({
    ...foldEntries(ledger.entries(), { limit: 1000, breakdowns: 2 }),
    hosts: ledger
      .hosts()
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map(({ sums, ...host }) => ({ ...host, sums: Object.fromEntries(sums) })),
  });
}

function rounded(value: object): object {
  const text = JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'number' && !Number.isSafeInteger(one) ? Number(one.toPrecision(12)) : one,
  );
  return JSON.parse(text) as object;
}

/** A ledger, and who tells it of servers that are objects. */
function openLedger() {
  const ledger = createLedger({ withHosts: true });
  const attendance = createAttendance();
  return {
    ledger,
    begin() {
      const [reading, call] = [ledger.begin(), attendance.begin()];
      return {
        add(one: Attending): void {
          if (call.isNew(one)) reading.add(one);
        },
        keep: () => reading.keep(call.keep()),
      };
    },
  };
}

/** What the same servers add up to without a past. */
function addedUpAnew(fleet: Iterable<Attending>): object {
  const { ledger, begin } = openLedger();
  const reading = begin();
  for (const one of fleet) reading.add({ ...one, countedIn: 0 });
  reading.keep();
  return told(ledger);
}

const number = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 1000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0.1, 1e300, 2 ** 60) },
);
const part = fc.record({
  breakdown: fc.nat({ max: 1 }),
  values: fc.tuple(fc.constantFrom('GPU', 'NIC')),
  count: number,
});
const shape = fc.record({
  kind: fc.nat({ max: 2 }),
  // One more than there are: a server without a host.
  host: fc.nat({ max: 2 }),
  isHostDown: fc.boolean(),
  numbers: fc.array(number, { minLength: 3, maxLength: 3 }),
  parts: fc.array(part, { maxLength: 3 }),
});
/** Who is in a list: by id, how it is there; undefined if it is as it was, or is not there. */
const list = fc.record({
  changes: fc.array(fc.tuple(fc.nat({ max: 15 }), fc.option(shape, { nil: undefined })), { maxLength: 10 }),
  isWhole: fc.boolean(),
});

it('tells of every list what its servers add up to, as if there had been none before', () => {
  fc.assert(
    fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
      const { ledger, begin } = openLedger();
      let fleet = new Map<number, Attending>();
      for (const { changes, isWhole } of lists) {
        const next = new Map(fleet);
        for (const [id, how] of changes) {
          if (how) next.set(id, counted(how, id));
          else next.delete(id);
        }
        const reading = begin();
        for (const one of next.values()) reading.add(one);
        if (isWhole) {
          reading.keep();
          fleet = next;
        }
        expect(told(ledger)).toEqual(addedUpAnew(fleet.values()));
      }
    }),
    { numRuns: 500 },
  );
});

it('leaves what it told before as it was', () => {
  const { ledger, begin } = openLedger();
  const read = (...fleet: Attending[]) => {
    const reading = begin();
    for (const one of fleet) reading.add(one);
    reading.keep();
    return { entries: ledger.entries(), hosts: ledger.hosts() };
  };
  const one = { kind: 0, host: 0, isHostDown: false, numbers: [1, 2, 3], parts: [] };
  const [first, second] = [counted(one, 1), counted(one, 2)];
  const before = read(first);
  const copy = structuredClone(before);
  read(first, second);
  expect(before).toEqual(copy);
});

it('is not led astray by a reading that was given up and goes on for a moment', () => {
  const { ledger, begin } = openLedger();
  const one = counted({ kind: 0, host: 0, isHostDown: false, numbers: [1, 2, 3], parts: [] }, 1);
  const first = begin();
  first.add(one);
  first.keep();
  const [givenUp, next] = [begin(), begin()];
  next.add(one);
  givenUp.add(one);
  next.keep();
  expect(told(ledger)).toEqual(addedUpAnew([one]));
});

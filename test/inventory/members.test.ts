import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCounting } from '../../src/inventory/counting.ts';
import type { Counted } from '../../src/inventory/counted.ts';
import { createMembers, type MemberCall } from '../../src/inventory/members.ts';
import { hostMeasures } from '../../src/metrics/hosts.ts';
import { fleetBreakdowns, fleetMeasures } from '../../src/metrics/fleet.ts';
import type { Rejected } from '../../src/platform/register.ts';
import type { Seat } from '../../src/platform/roll.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { toldInFull } from '../../src/platform/suspicion.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 15);
const read = createServerReader([]);
const ids = [
  '0f6e7c1a-1234-4abc-8def-0123456789ab',
  '0f6e7c1a-1234-4abc-8def-0123456789ac',
  '0F6E7C1A-1234-4abc-8def-0123456789ab',
  'vm-1',
  '__proto__',
  'x',
];

/** Of each a server can be in some shapes; those with a problem, an end or half of their names are told more of. */
const shapes: readonly object[] = [
  { status: 'running', disk: 10, disk_count: 1, zone: 'z', region: 'r', host: 'h1', host_id: '1' },
  { status: 'ready', disk: 20, disk_count: 2, zone: 'z', region: 'r', host: 'h2', host_id: '2' },
  { status: 'running', disk: 10, disk_count: 1, host_id: '1' },
  { status: 'sched_fail', disk: 0, disk_count: 0 },
  { status: 'running', disk: 1, disk_count: 1, expired_at: '2026-11-16T00:00:00Z', billing_type: 'prepaid' },
  { status: 'running', disk: 1, disk_count: 1, host: 'h3', host_service_status: 'offline' },
];
const recordOf = (id: number, shape: number) => ({
  id: ids[id],
  vcpu_count: 1,
  vmem_size: 1,
  ...shapes[shape],
});

function openMembers() {
  const problems = { limit: 10, stuckAfterMs: dayMs, expiringWithinMs: 3 * dayMs };
  const settings = { measures: fleetMeasures, hostMeasures, breakdowns: fleetBreakdowns, problems };
  const counting = createCounting(settings, { keepsServers: false });
  const count = (id: number, shape: number) => counting.count(read(recordOf(id, shape)) as Server, now);
  return { members: createMembers(counting), count };
}

/** All of it that is told again. */
const told = ({ id: _id, mark: _mark, ...counted }: Counted) => JSON.stringify(counted);
const rejected = (id: number): Rejected => ({ id: ids[id]!, mark: 0, rejection: 'bad_number' });

/** Who a list shows, in which shape; -1 if the record cannot be counted. */
const shown = fc.tuple(fc.nat({ max: ids.length - 1 }), fc.integer({ min: -1, max: shapes.length - 1 }));
const list = fc.record({
  /** A first reading may be given up for a second one of the same collection. */
  readings: fc.array(fc.array(shown, { maxLength: 12 }), { minLength: 1, maxLength: 2 }),
  isWhole: fc.boolean(),
});

it('has who was in the latest list, each as it was there first, and says who left', () => {
  fc.assert(
    fc.property(fc.array(list, { maxLength: 10 }), (lists) => {
      const { members, count } = openMembers();
      /** What is known by record, as records are known by their digests. */
      let known = new Map<string, Seat>();
      let fleet = new Map<number, number>();
      for (const { readings, isWhole } of lists) {
        const collection = members.begin();
        const learned = [...known];
        let next = new Map<number, number>();
        let call: MemberCall = collection.begin();
        for (const [index, records] of readings.entries()) {
          if (index > 0) call = collection.begin();
          next = new Map();
          for (const [id, shape] of records) {
            const key = `${id} ${shape}`;
            const item = shape < 0 ? rejected(id) : (known.get(key) ?? collection.add(count(id, shape)));
            if (typeof item === 'number') {
              learned.push([key, item]);
              expect(members.idOf(item)).toBe(ids[id]);
              expect(members.tellingOf(item)).toEqual(count(id, shape).telling);
              expect(members.noteOf(item)).toEqual(count(id, shape).note);
            }
            expect(call.isFirst(item)).toBe(!next.has(id));
            if (next.has(id)) continue;
            next.set(id, shape);
            if (typeof item !== 'number') continue;
            const isNew = fleet.get(id) !== shape;
            expect(call.newcomer(item) && told(call.newcomer(item)!)).toBe(
              isNew ? told(count(id, shape)) : undefined,
            );
          }
          expect(call.size).toBe(next.size);
        }
        if (!isWhole) continue;
        const { left, everyone } = call.keep();
        const gone = [...fleet].filter(([id, shape]) => shape >= 0 && next.get(id) !== shape);
        expect(left.map(told).toSorted()).toEqual(gone.map(([...one]) => told(count(...one))).toSorted());
        const there = [...next].filter(([, shape]) => shape >= 0);
        expect([...everyone()].map(told).toSorted()).toEqual(
          there.map(([...one]) => told(count(...one))).toSorted(),
        );
        known = new Map(learned.filter(([, seat]) => call.isOfUse(seat)));
        expect(new Set(known.keys())).toEqual(new Set(there.map(([id, shape]) => `${id} ${shape}`)));
        fleet = next;
      }
    }),
    { numRuns: 300 },
  );
});

it('is not led astray by a collection that was given up and goes on for a moment', () => {
  const { members, count } = openMembers();
  const givenUp = members.begin();
  const late = givenUp.begin();
  const early = givenUp.add(count(0, 0));
  expect(late.isFirst(early)).toBe(true);
  const collection = members.begin();
  const call = collection.begin();
  const seat = collection.add(count(1, 1));
  expect(late.isFirst(early)).toBe(false);
  expect(late.isFirst(givenUp.add(count(1, 0)))).toBe(false);
  expect(late.isFirst(rejected(1))).toBe(false);
  expect([call.isFirst(seat), call.size]).toEqual([true, 1]);
  expect([...call.keep().everyone()].map(told)).toEqual([told(count(1, 1))]);
  const next = members.begin().begin();
  expect(late.isFirst(seat)).toBe(false);
  expect(next.isFirst(seat)).toBe(true);
});

it('says for how long it holds how a server counts', () => {
  const { members, count } = openMembers();
  const collection = members.begin();
  const [always, ending] = [collection.add(count(0, 0)), collection.add(count(1, 4))];
  expect(members.tellingOf(always)).toBe(toldInFull);
  expect([members.isValid(always, now + dayMs), members.isValid(ending, now)]).toEqual([true, true]);
  expect(members.isValid(ending, now + dayMs)).toBe(false);
});

it('takes no more seats than there were servers in two lists', () => {
  const { members, count } = openMembers();
  const seats = new Set<Seat>();
  for (let list = 0; list < 50; list += 1) {
    const collection = members.begin();
    const call = collection.begin();
    for (const id of ids.keys()) {
      const seat = collection.add(count(id, list % shapes.length));
      seats.add(seat);
      call.isFirst(seat);
    }
    if (list % 3 !== 0) call.keep();
  }
  expect(seats.size).toBeLessThanOrEqual(2 * ids.length);
});

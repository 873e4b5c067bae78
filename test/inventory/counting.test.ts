import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCounting } from '../../src/inventory/counting.ts';
import { placeOf } from '../../src/inventory/places.ts';
import { problemOf, problemsOf } from '../../src/inventory/problems.ts';
import { isValid } from '../../src/inventory/validity.ts';
import { fleetBreakdowns, fleetMeasures } from '../../src/metrics/fleet.ts';
import { hostMeasures } from '../../src/metrics/hosts.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 10, 15);
const problems = { limit: 10, stuckAfterMs: dayMs, expiringWithinMs: 3 * dayMs };
const read = createServerReader([]);

const moment = fc
  .integer({ min: -60, max: 60 })
  .chain((days) => fc.constantFrom(-1, 0, 1).map((more) => start + days * dayMs + more));
const written = fc.option(
  moment.map((one) => new Date(one).toISOString()),
  { nil: '' },
);
const record = fc.record({
  id: fc.constant('x'),
  vcpu_count: fc.constant(1),
  vmem_size: fc.constant(1024),
  disk: fc.constant(10_240),
  disk_count: fc.constant(1),
  status: fc.constantFrom('running', 'ready', 'deploying', 'sched_fail', 'made up'),
  updated_at: written,
  created_at: written,
  expired_at: written,
  release_at: written,
  billing_type: fc.constantFrom('prepaid', 'postpaid', ''),
  auto_renew: fc.boolean(),
  pending_deleted: fc.boolean(),
  isolated_devices: fc.constantFrom([], [{ dev_type: 'GPU-HPC', model: 'T4' }]),
});

describe('how a server counts', () => {
  it('holds for as long as it says, and not only now', () => {
    const breakdowns = fleetBreakdowns;
    const settings = { measures: fleetMeasures, hostMeasures: undefined, breakdowns, problems };
    const counting = createCounting(settings, { keepsServers: false });

    /** All of it that may change with time. */
    function noteOf(server: Server, now: number): object {
      const parts: unknown[] = [];
      for (const [breakdown, one] of breakdowns.entries())
        one.parts(server, now, (values, count) => parts.push({ breakdown, values, count }));
      const { status, host } = server;
      const shared = { status, place: placeOf(server), host };
      return {
        problems: problemsOf(server, problems, now).map((kind) => problemOf(server, kind, shared)),
        parts,
      };
    }

    fc.assert(
      fc.property(record, moment, moment, (raw, now, later) => {
        const server = read(raw) as Server;
        const { note, validity } = counting.count(server, now);
        const { server: held, ...said } = note ?? { server: undefined, problems: [], parts: [] };
        expect(held).toBeUndefined();
        expect(said).toEqual(noteOf(server, now));
        expect(isValid(validity, now)).toBe(true);
        if (isValid(validity, later)) expect(said).toEqual(noteOf(server, later));
      }),
      { numRuns: 3000 },
    );
  });

  it('has its own numbers, in one object for all that have the same', () => {
    const settings = {
      measures: fleetMeasures,
      hostMeasures,
      breakdowns: fleetBreakdowns,
      problems,
    };
    const counting = createCounting(settings, { keepsServers: false });
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.nat({ max: 40 }), fc.nat({ max: 1240 }), (vcpus, memory, disk) => {
        const raw = { id: 'x', vcpu_count: vcpus, vmem_size: memory, disk: disk / 4, disk_count: 1 };
        const server = read(raw) as Server;
        const { sizes } = counting.count(server, start);
        expect(sizes.numbers).toEqual(fleetMeasures.map((measure) => measure(server)));
        expect(sizes.hostNumbers).toEqual(hostMeasures.map((measure) => measure(server)));
        expect(counting.count(read(raw) as Server, start).sizes).toBe(sizes);
        expect(counting.sizes[sizes.number]).toBe(sizes);
      }),
      { numRuns: 5000 },
    );
  });
});

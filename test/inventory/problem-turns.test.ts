import { expect, it } from 'vitest';
import { problemsOf, tellProblemTurns, type ProblemSettings } from '../../src/inventory/problems.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';

const changed = Date.parse('2026-11-15T00:00:00Z');
const end = Date.parse('2027-01-01T00:00:00Z');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const settings: ProblemSettings = { limit: 10, stuckAfterMs: hourMs, expiringWithinMs: 7 * dayMs };
const moments = { updated_at: new Date(changed).toISOString(), expired_at: new Date(end).toISOString() };

const read = createServerReader([]);

function serverOf(given: object): Server {
  const numbers = { vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
  return read({ id: 'some-id', ...numbers, ...given }) as Server;
}

const stuck = changed + hourMs + 1;
const expiring = end - 7 * dayMs;

it.each([
  ['in transition and with an end', { status: 'migrating', ...moments }, [stuck, expiring, end]],
  ['in transition and without an end', { status: 'migrating', ...moments, expired_at: undefined }, [stuck]],
  ['at rest and with an end', { status: 'running', ...moments }, [expiring, end]],
  ['at rest and without an end', { status: 'running', updated_at: moments.updated_at }, []],
  ['whose moments are unreadable', { status: 'migrating', updated_at: 'then', expired_at: 'soon' }, []],
])('the problems of a server %s change when it says, and not a moment before', (_words, given, expected) => {
  const server = serverOf(given);
  const problemsAt = (now: number) => problemsOf(server, settings, now);
  const turns: number[] = [];
  tellProblemTurns(server, settings, (moment) => turns.push(moment));
  expect(turns).toEqual(expected);
  for (const turn of turns) expect(problemsAt(turn), String(turn)).not.toEqual(problemsAt(turn - 1));
});

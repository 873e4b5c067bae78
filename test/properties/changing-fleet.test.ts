import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

const which = fc.nat({ max: 200 });
/** So many seconds before its own time a change shows, or after it if negative. */
const stamp = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 55 }), fc.constant(-3600));

type Kind = 'create' | 'delete' | 'status' | 'bin' | 'size' | 'owner' | 'end' | 'move' | 'vanish';
const eventOf = (kind: Kind, late: fc.Arbitrary<number>) =>
  fc.record({ kind: fc.constant(kind), which, late, withHost: fc.boolean() });

const changes = (['status', 'bin', 'size', 'owner', 'end'] as const).map((kind) => eventOf(kind, stamp));
const traced = fc.oneof(
  eventOf('create', stamp),
  eventOf('delete', fc.nat({ max: 55 })),
  eventOf('move', stamp),
  ...changes,
);
/** Without any trace. Within a scrape that would be after its time: the total was counted. */
const untraced = eventOf('vanish', stamp);
const event = fc.oneof({ weight: 8, arbitrary: traced }, { weight: 1, arbitrary: untraced });
type Event = typeof event extends fc.Arbitrary<infer One> ? One : never;

const round = fc.record({
  seconds: fc.integer({ min: 1, max: 200 }),
  before: fc.array(event, { maxLength: 6 }),
  /** Between the total and the changes. */
  between: fc.array(traced, { maxLength: 2 }),
});

const run = fc.record({
  seed: fc.nat({ max: 1000 }),
  /** How far the clock of the database is ahead of the service's. */
  skew: fc.constantFrom(0, 0, -240, 240),
  rounds: fc.array(round, { minLength: 3, maxLength: 10 }),
});

function happen(fleet: Fleet, now: number, { kind, which, late, withHost }: Event): void {
  if (kind === 'create') return void fleet.create(1 + (which % 3));
  const server = fleet.servers[which % fleet.servers.length];
  if (!server) return;
  const { id, status, pending_deleted, vcpu_count, expired_at } = server;
  const at = now - 1000 * late;
  if (kind === 'vanish') return fleet.remove([id], { withHost: true, at: 0 });
  if (kind === 'delete') return fleet.remove([id], { at, withHost });
  if (kind === 'move') return void fleet.moveServer(id, fleet.hosts[which % fleet.hosts.length]!.id);
  const { id: tenant_id, name: project, domain } = fleet.projects[which % fleet.projects.length]!;
  const changed = {
    status: { status: status === 'ready' ? 'running' : 'ready' },
    bin: { pending_deleted: !pending_deleted },
    size: { vcpu_count: vcpu_count + 1, vmem_size: 512 },
    end: { expired_at: expired_at ? null : '2027-01-01T00:00:00.000000Z' },
    owner: { tenant_id, project, tenant: project, project_domain: domain.name, domain_id: domain.id },
  };
  fleet.change(id, changed[kind], { at });
}

it.each([
  ['lists of changes, and all of the recycle bin', '10m', { scope: 'system', pending_delete: 'all' }],
  ['lists of changes, and none of it', '10m', { scope: 'system' }],
  ['light lists', 0, { scope: 'system', pending_delete: 'all' }],
])(
  'whatever happens between two scrapes and within one, every sum is true, with %s',
  async (_words, list_max_age, query) => {
    const seen = { scrapes: 0, changes: 0 };
    await fc.assert(
      fc.asyncProperty(run, async ({ seed, skew, rounds }) => {
        const clock = createManualClock();
        const database = () => clock.now() + 1000 * skew;
        const fleet = createFleet({ servers: 40, seed, now: database });
        await clock.advance(3_600_000);
        const settings = { query, list_max_age, details_max_age: '2h', page_size: 15 };
        const { cloud, probe } = await exportCloud({ fleet, clock, release: '3.11', settings });
        const truth = () => truthOf(fleet, { pendingDeleted: 'pending_delete' in query });
        for (const { seconds, before, between } of [...quiet, ...rounds]) {
          await clock.advance(1000 * seconds);
          for (const one of before) happen(fleet, database(), one);
          cloud.journal.clear();
          cloud.hooks.beforePage = (_page, parameters) => {
            if (parameters.get('filter')?.startsWith('updated_at') !== true) return;
            cloud.hooks.beforePage = undefined;
            for (const one of between) happen(fleet, database(), one);
          };
          const parsed = await probe();
          cloud.hooks.beforePage = undefined;
          expectTruth(parsed, truth(), 'one');
          expect(parsed.value('cloud_list_drift_total')).toBe(list_max_age === 0 ? undefined : 0);
          const lists = cloud.journal.of('list').map(({ parameters }) => parameters);
          const isOfIds = (filter: string) => /^id\.(gt|le)\(/.test(filter);
          const isWhole = lists.some(
            (one) => one.get('limit') !== '1' && one.getAll('filter').every(isOfIds),
          );
          seen.scrapes += 1;
          seen.changes += Number(!isWhole);
        }
      }),
      { numRuns: 8, examples: [[{ seed: 0, skew: 0, rounds: hidden }]] },
    );
    if (list_max_age !== 0) expect(seen.changes).toBeGreaterThan(seen.scrapes / 10);
  },
);

/** Until there is a whole list to go on from. */
const quiet = [0, 1].map(() => ({ seconds: 60, before: [], between: [] }));

/** One that is created and deleted before it is known makes up for one that vanished. */
const hidden = (['bin', 'delete'] as const).map((kind) => {
  const one = { late: 0, withHost: false };
  const before = [
    { ...one, kind: 'vanish' as const, which: 2 },
    { ...one, kind: 'create' as const, which: 0 },
  ];
  return { seconds: 1, before, between: [{ ...one, kind, which: 0 }] };
});

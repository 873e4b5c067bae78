import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startSimulatedCloud } from '../simulator/cloud.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { plain } from '../support/exported-cloud.ts';
import { parseExposition } from '../support/exposition.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

const which = fc.nat({ max: 200 });
/** So many seconds before its own time a change shows, or after it if negative. */
const stamp = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 55 }), fc.constant(-3600));

const traced = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant('delete' as const),
    which,
    late: fc.nat({ max: 55 }),
    withHost: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('status' as const), which, late: stamp }),
  fc.record({ kind: fc.constant('bin' as const), which, late: stamp }),
  fc.record({ kind: fc.constant('size' as const), which, late: stamp }),
  fc.record({ kind: fc.constant('owner' as const), which, late: stamp }),
  fc.record({ kind: fc.constant('move' as const), which, late: fc.constant(0) }),
);
/** Without any trace. Within a scrape that would be after its time: the total was counted. */
const untraced = fc.record({ kind: fc.constant('vanish' as const), which });
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

function happen(fleet: Fleet, now: number, one: Event): void {
  if (one.kind === 'create') return void fleet.create(one.count);
  const server = fleet.servers[one.which % fleet.servers.length];
  if (!server) return;
  const { id } = server;
  if (one.kind === 'vanish') return fleet.remove([id], { withHost: true, at: 0 });
  const at = now - 1000 * one.late;
  const { id: tenant_id, name: project, domain } = fleet.projects[one.which % fleet.projects.length]!;
  const owner = { tenant_id, project, tenant: project, project_domain: domain.name, domain_id: domain.id };
  switch (one.kind) {
    case 'delete':
      return fleet.remove([id], { at, withHost: one.withHost });
    case 'status':
      return void fleet.change(id, { status: server.status === 'ready' ? 'running' : 'ready' }, { at });
    case 'bin':
      return void fleet.change(id, { pending_deleted: !server.pending_deleted }, { at });
    case 'size':
      return void fleet.change(id, { vcpu_count: server.vcpu_count + 1, vmem_size: 512 }, { at });
    case 'owner':
      return void fleet.change(id, owner, { at });
    default:
      return void fleet.moveServer(id, fleet.hosts[one.which % fleet.hosts.length]!.id);
  }
}

it.each([
  ['all of the recycle bin', { scope: 'system', pending_delete: 'all' }],
  ['none of it', { scope: 'system' }],
])(
  'whatever happens between two scrapes and within one, with %s: every sum of lists of changes is true',
  async (_words, query) => {
    const seen = { scrapes: 0, changes: 0 };
    await fc.assert(
      fc.asyncProperty(run, async ({ seed, skew, rounds }) => {
        const clock = createManualClock();
        const database = () => clock.now() + 1000 * skew;
        const fleet = createFleet({ servers: 40, seed, now: database });
        await clock.advance(3_600_000);
        const dialect = { release: '3.11' } as const;
        const cloud = await startSimulatedCloud({ fleet, now: clock.now, ...dialect });
        const ages = { details_max_age: '2h', list_max_age: '10m', page_size: 15, list_hosts: true };
        const exporter = await runExporter({ one: settingsFor(cloud, { query, ...ages }) }, { clock });
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
          const parsed = parseExposition(await exporter.text('/probe?cloud=one', plain));
          cloud.hooks.beforePage = undefined;
          expectTruth(parsed, truth(), 'one');
          expect(parsed.value('cloud_list_drift_total')).toBe(0);
          const lists = cloud.journal.of('list').map(({ parameters }) => parameters);
          const isOfIds = (filter: string) => /^id\.(gt|le)\(/.test(filter);
          const isWhole = lists.some(
            (one) => one.get('limit') !== '1' && one.getAll('filter').every(isOfIds),
          );
          seen.scrapes += 1;
          seen.changes += Number(!isWhole);
        }
        await exporter.stop();
        await cloud.close();
      }),
      { numRuns: 8 },
    );
    expect(seen.changes).toBeGreaterThan(seen.scrapes / 10);
  },
);

/** Until there is a whole list to go on from. */
const quiet = [0, 1].map(() => ({ seconds: 60, before: [], between: [] }));

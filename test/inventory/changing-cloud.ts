import type { CloudPlan } from '../simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { countServers } from '../simulator/truth.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';

export const minute = 60_000;

/** A whole list without details has this many pages. */
export const wholePages = 5;

/** The exporter with lists of changes, scraped once a minute: the third scrape is the first that asks for changes. */
export async function setUpChanges(
  settings: object = {},
  plan: Partial<CloudPlan> = {},
  isListed: (server: ServerRecord) => boolean = () => true,
) {
  const clock = createManualClock();
  const fleet = plan.fleet ?? createFleet({ servers: 150, now: clock.now });
  await clock.advance(60 * minute);
  const cloud = await simulate({ fleet, now: clock.now, ...plan });
  const changing = {
    query: { scope: 'system', pending_delete: 'all' },
    details_max_age: '30m',
    list_max_age: '5m',
    page_size: 40,
    ...settings,
  };
  const exporter = await runExporter({ one: settingsFor(cloud, changing) }, { clock });

  async function scrape(): Promise<Parsed> {
    await clock.advance(minute);
    cloud.journal.clear();
    return parseExposition(await exporter.text('/metrics'));
  }

  /** What was asked for since the last scrape began. */
  function asked() {
    const lists = cloud.journal.of('list').map(({ parameters }) => parameters);
    const filters = (one: URLSearchParams) => one.getAll('filter').join(' ');
    const unfiltered = lists.filter((one) => !one.has('filter'));
    const totals = unfiltered.filter((one) => one.get('limit') === '1').length;
    const whole = unfiltered.filter((one) => one.get('limit') !== '1');
    return {
      totals,
      changes: lists.filter((one) => filters(one).includes('updated_at')),
      plain: whole.filter((one) => one.get('details') === 'false').length,
      detailed: whole.filter((one) => one.get('details') === 'true').length,
      ids: lists.flatMap((one) => /^id\.in\((.*)\)$/.exec(filters(one))?.[1]?.split(',') ?? []),
    };
  }

  async function expectTrue(): Promise<Parsed> {
    const parsed = await scrape();
    expectTruth(parsed, countServers(fleet.servers.filter(isListed)), 'one');
    return parsed;
  }

  /** How the latest scrape listed. */
  function how(): 'detailed' | 'whole' | 'changes' {
    const { detailed, plain } = asked();
    if (detailed > 0) return 'detailed';
    return plain > 0 ? 'whole' : 'changes';
  }

  /** Until there is a whole list to go on from. */
  async function begin(): Promise<void> {
    await expectTrue();
    await expectTrue();
  }

  /** Servers that no host needs for its news, so that they are read again only if they have changed. */
  function quiet(count: number): string[] {
    const hosts = fleet.servers.map(({ host_id }) => host_id);
    const later = fleet.servers.filter(({ host_id }, index) => hosts.indexOf(host_id) < index);
    return later.slice(-count).map(({ id }) => id);
  }

  return { clock, cloud, fleet, exporter, scrape, asked, how, expectTrue, begin, quiet };
}

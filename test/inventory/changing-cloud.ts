import { expect } from 'vitest';
import type { CloudPlan } from '../simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { countServers } from '../simulator/truth.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { createShortPauses } from '../support/manual-clock.ts';
import { expectTruth } from '../support/truth.ts';

export const minute = 60_000;

/** A whole list without details has this many pages. */
export const wholePages = 5;

export const isById = (parameters: URLSearchParams) => parameters.get('filter')?.startsWith('id.in') === true;

function kindOf(list: URLSearchParams): string {
  const filter = list.get('filter');
  const [kind] = /^(updated_at|deleted_at|id\.in)/.exec(filter ?? '') ?? [];
  if (kind) return kind;
  if (filter === null && list.get('limit') === '1') return 'total';
  return list.get('details') === 'true' ? 'detailed' : 'plain';
}

type Way = 'detailed' | 'whole' | 'changes';

/**
 * The exporter with lists of changes, unless the settings say otherwise, scraped once a minute: the third scrape is the
 * first that asks for changes.
 */
export async function setUpChanges(
  settings: object = {},
  plan: Partial<CloudPlan> & { servers?: number } = {},
  isListed: (server: ServerRecord) => boolean = () => true,
) {
  const clock = createShortPauses();
  const fleet = plan.fleet ?? createFleet({ servers: plan.servers ?? 100, now: clock.now });
  await clock.advance(60 * minute);
  const usual = { details_max_age: '30m', list_max_age: '5m', page_size: 25 };
  const { cloud, exporter, ...exported } = await exportCloud({
    ...plan,
    fleet,
    clock,
    settings: { ...usual, ...settings },
  });

  /** Which is to list in that way, if one is given. */
  async function scrape(way?: Way): Promise<Parsed> {
    await clock.advance(minute);
    cloud.journal.clear();
    const parsed = await exported.probe();
    if (way) expect(how()).toBe(way);
    return parsed;
  }

  /** What was asked for since the last scrape began. */
  function asked() {
    const lists = cloud.journal.of('list').map(({ parameters }) => parameters);
    const of = (kind: string) => lists.filter((one) => kindOf(one) === kind);
    return {
      totals: of('total').length,
      changes: of('updated_at'),
      deletions: of('deleted_at'),
      plain: of('plain').length,
      detailed: of('detailed').length,
      ids: of('id.in').flatMap((one) => one.get('filter')!.slice('id.in('.length, -1).split(',')),
    };
  }

  async function expectTrue(way?: Way): Promise<Parsed> {
    const parsed = await scrape(way);
    expectTruth(parsed, countServers(fleet.servers.filter(isListed)), 'one');
    return parsed;
  }

  /** How the latest scrape listed. */
  function how(): Way {
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

  type Change = Parameters<typeof fleet.changeAll>[1];
  const changeFirst = (count: number, change: Change) =>
    fleet.changeAll(
      fleet.servers.slice(0, count).map(({ id }) => id),
      change,
    );

  return { clock, cloud, fleet, exporter, scrape, asked, expectTrue, begin, quiet, changeFirst };
}

/** The same, with a whole list to go on from. */
export async function beginChanges(...wishes: Parameters<typeof setUpChanges>) {
  const setting = await setUpChanges(...wishes);
  await setting.begin();
  return setting;
}

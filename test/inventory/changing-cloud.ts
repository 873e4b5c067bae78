import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import type { CloudPlan } from '../simulator/cloud.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { createShortPauses } from '../support/manual-clock.ts';

export const minute = 60_000;

export const isById = (parameters: URLSearchParams) => parameters.get('filter')?.startsWith('id.in') === true;

/** The exporter, with small pages and scraped once a minute, of a cloud that is an hour old. */
export async function setUpChanges(
  settings: object = {},
  plan: Partial<CloudPlan> & { servers?: number } = {},
) {
  const clock = createShortPauses();
  const fleet = plan.fleet ?? createFleet({ servers: plan.servers ?? 100, now: clock.now });
  await clock.advance(60 * minute);
  const usual = { details_max_age: '30m', page_size: 25 };
  const { cloud, exporter, probe, expectTrue } = await exportCloud({
    ...plan,
    fleet,
    clock,
    settings: { ...usual, ...settings },
  });

  async function pass(): Promise<void> {
    await clock.advance(minute);
    cloud.journal.clear();
  }

  /** What was asked for since the last scrape began. */
  function asked() {
    const lists = cloud.journal.of('list').map(({ parameters }) => parameters);
    const pages = lists.filter((one) => !isById(one));
    const detailed = pages.filter((one) => one.get('details') === 'true').length;
    const ids = lists
      .filter(isById)
      .flatMap((one) => one.get('filter')!.slice('id.in('.length, -1).split(','));
    return { plain: pages.length - detailed, detailed, ids };
  }

  type Change = Parameters<typeof fleet.changeAll>[1];
  return {
    clock,
    cloud,
    fleet,
    exporter,
    asked,
    scrape: (): Promise<Parsed> => pass().then(probe),
    expectTrue: (): Promise<Parsed> => pass().then(() => expectTrue()),
    changeFirst: (count: number, change: Change) =>
      fleet.changeAll(
        fleet.servers.slice(0, count).map(({ id }) => id),
        change,
      ),
  };
}

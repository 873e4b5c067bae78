import { expect, it } from 'vitest';
import { problemKinds, states } from '../../dashboards/look.ts';
import { boards, panelsOf, queriesOf, substitute } from './boards.ts';
import { readExpression, type Selector } from './promql.ts';

/** A million servers: ten clouds of a hundred thousand, as the simulated fleet of that size is spread, and more projects. */
const clouds = 10;
const inEachCloud = {
  zones: 12,
  hypervisors: 6,
  projects: 100,
  hosts: 4000,
  models: 5,
  /** Region, zone, hypervisor and project together: most projects are not everywhere. */
  places: 1700,
  statusesOfAPlace: 5,
  namedProblems: 1000,
};
const exporters = 2;
const { zones, hypervisors, projects, hosts, models, places, statusesOfAPlace, namedProblems } = inEachCloud;

/** Series by metric: the first pattern that matches counts. */
const cardinalities: readonly (readonly [RegExp, number])[] = [
  [/^cloud:/, clouds],
  [/^cloud_state:/, clouds * states.length],
  [/^cloud_zone_state:/, clouds * zones * states.length],
  [/^cloud_zone:room/, clouds * zones * 2],
  [/^cloud_zone:/, clouds * zones],
  [/^cloud_hypervisor_state:/, clouds * hypervisors * states.length],
  [/^cloud_project_state:/, clouds * projects * states.length],
  [/^cloud_project:/, clouds * projects],
  [/^cloud_host:/, clouds * hosts * 2],
  [/^cloud_model:/, clouds * models],
  [/^cloud_server_problems$/, clouds * problemKinds.length],
  [/^cloud_server_problem(_timestamp_seconds)?$/, clouds * namedProblems],
  [/^cloud_(server_)/, clouds * 100_000],
  [/^cloud_host_(servers|vcpus|memory_bytes)$/, clouds * hosts * 3],
  [/^cloud_host_/, clouds * hosts],
  [/^cloud_servers_devices$/, clouds * projects * models],
  [/^cloud_servers/, clouds * places * statusesOfAPlace],
  [/^cloud_exporter_/, clouds * 20],
  [/^cloud_/, clouds],
  [/^(up|scrape_\w+|process_\w+|nodejs_\w+)$/, exporters],
];

/** How many series Prometheus has to read for a selector; one value of a state or problem is one part of all. */
function touchedBy({ metric, matchers }: Selector): number {
  const [, all] = cardinalities.find(([pattern]) => pattern.test(metric)) ?? [];
  if (all === undefined) throw new Error(`how many series has ${metric}?`);
  const share = matchers.map(({ label, operator, value }) => {
    const chosen = operator === '!~' || operator === '!=' ? 0 : value.split('|').length;
    if (chosen === 0 || value.startsWith('.')) return 1;
    if (label === 'project') return chosen / projects;
    if (label === 'state') return chosen / states.length;
    if (label === 'problem') return chosen / problemKinds.length;
    return label === 'resource' ? 1 / 2 : 1;
  });
  return Math.ceil(share.reduce((product, part) => product * part, all));
}

const someThousand = 6000;

it('no panel of the fleet board touches more than some thousand series at a million servers', () => {
  const values = { job: 'x', exporter_job: 'x', project: 'x', problem: '.*' };
  const touched = boards.flatMap((board) =>
    panelsOf(board).map((panel) => {
      const selectors = queriesOf(panel).flatMap(
        ({ expr }) => readExpression(substitute(expr, board, values)).selectors,
      );
      const different = new Map(
        selectors.map((each) => [JSON.stringify([each.metric, each.matchers]), each]),
      );
      const series = [...different.values()].reduce((sum, selector) => sum + touchedBy(selector), 0);
      return { board: board.title!.replace('Cloud: ', ''), panel: panel.title!, series };
    }),
  );
  const ofFleet = touched.filter(({ board }) => board === 'Fleet');
  expect(ofFleet.length).toBeGreaterThan(20);
  expect(ofFleet.filter(({ series }) => series > someThousand)).toEqual([]);
});

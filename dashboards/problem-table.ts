import { MappingType, type ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { problemKinds, urgencies } from './colours.ts';
import { toHost, toProject } from './links.ts';
import type { Drawing } from './panels.ts';
import type { problemQueries } from './queries/problems.ts';
import { table } from './table.ts';

/** The worst word of a cell gives it its colour: the kinds are sorted, and the first that matches counts. */
const problemColours: readonly ValueMapping[] = problemKinds.map(({ kind, urgency }, index) => ({
  type: MappingType.RegexToText,
  options: { pattern: `/(^| )${kind}( |$)/`, result: { color: urgencies[urgency].color, index } },
}));

/** The servers that need attention, by name. */
export function problemTable(frame: {
  width: number;
  height: number;
  queries: ReturnType<typeof problemQueries>;
}): Drawing {
  const { queries, ...size } = frame;
  return table({
    title: 'Servers that need attention',
    description:
      'One row a server, the most urgent and then the longest first. For each cloud at most problem_limit of them (1000 unless set) are named.',
    ...size,
    labels: {
      problems: 'Problems',
      name: 'Server',
      project: 'Project',
      host: 'Host',
      cloud: 'Cloud',
      zone: 'Zone',
      region: 'Region',
      project_domain: 'Domain',
      hypervisor: 'Hypervisor',
      id: 'Id',
    },
    columns: [
      { title: 'Look', expr: queries.rows, texts: urgencies },
      { title: 'Since', expr: queries.since, unit: 'ago' },
      { title: 'Ends', expr: queries.ends, unit: 'date' },
    ],
    order: ['Look', 'Problems', 'Server', 'Since', 'Ends', 'Project', 'Host', 'Cloud'],
    colours: { Problems: problemColours },
    sortBy: [
      { title: 'Look', descending: true },
      { title: 'Since', descending: false },
    ],
    links: [toProject, toHost],
  });
}

import { placeLabels, splitPlace } from '../inventory/places.ts';
import type { Problem } from '../inventory/problems.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { familiesOf, type Family, type FamilyTable } from './family.ts';

const named: FamilyTable<Snapshot, Problem> = {
  columns: [
    {
      name: 'cloud_server_problem',
      help: 'A server that needs attention, by name, and why; at most problem_limit of them, with a fair part for each kind.',
      type: 'gauge',
      labels: ['cloud', 'id', 'name', ...placeLabels, 'host', 'problem'],
      extraLabels: (snapshot) => snapshot.extraLabels,
      value: () => 1,
    },
  ],
  rows: ({ problems }) => problems.named,
  labelValues({ kind, id, name, place, host }, { cloud }) {
    const [own, extra] = splitPlace(place);
    return [cloud, id, name, ...own, host, kind, ...extra];
  },
};

const timestamps: FamilyTable<Snapshot, Problem> = {
  columns: [
    {
      name: 'cloud_server_problem_timestamp_seconds',
      help: 'Since when a server has a problem, from updated_at; for expired and expiring the end itself. In Unix time.',
      type: 'gauge',
      labels: ['cloud', 'id', 'problem'],
      value: ({ moment }) => (moment === undefined ? undefined : moment / 1000),
    },
  ],
  rows: ({ problems }) => problems.named,
  labelValues: ({ kind, id }, { cloud }) => [cloud, id, kind],
};

export const problemCounts: Family<Snapshot> = {
  name: 'cloud_server_problems',
  help: 'Servers with each kind of problem; the true count, also where cloud_server_problem names only some.',
  type: 'gauge',
  labels: ['cloud', 'problem'],
  *samples({ cloud, problems }) {
    for (const [kind, count] of problems.counts) yield [[cloud, kind], count];
  },
};

export const problemTables = [named, timestamps];

export const problemFamilies: readonly Family<Snapshot>[] = [
  ...problemTables.flatMap((table) => familiesOf(table)),
  problemCounts,
];

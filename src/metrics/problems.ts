import { placeLabels, placeValues } from '../inventory/places.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Family } from './family.ts';

const problem: Family<Snapshot> = {
  name: 'cloud_server_problem',
  help: 'A server that needs a person, by name, and why; at most problem_limit of them, the most pressing first.',
  type: 'gauge',
  labels: ['cloud', 'id', 'name', ...placeLabels, 'host', 'status', 'problem'],
  extraLabels: (snapshot) => snapshot.extraLabels,
  *samples({ cloud, problems }) {
    for (const { kind, server } of problems.named) {
      const { id, name, host, status, extra } = server;
      yield [[cloud, id, name, ...placeValues(server), host, status, kind, ...extra], 1];
    }
  },
};

const counts: Family<Snapshot> = {
  name: 'cloud_server_problems',
  help: 'Servers with each kind of problem; the true count, also where cloud_server_problem names only some.',
  type: 'gauge',
  labels: ['cloud', 'problem'],
  *samples({ cloud, problems }) {
    for (const [kind, count] of problems.counts) yield [[cloud, kind], count];
  },
};

export const problemFamilies: readonly Family<Snapshot>[] = [problem, counts];

import { placeLabels, placeValues } from '../inventory/places.ts';
import { momentOfProblem } from '../inventory/problems.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Family } from './family.ts';

const problem: Family<Snapshot> = {
  name: 'cloud_server_problem',
  help: 'A server that needs attention, by name, and why; at most problem_limit of them, with a fair part for each kind.',
  type: 'gauge',
  labels: ['cloud', 'id', 'name', ...placeLabels, 'host', 'problem'],
  extraLabels: (snapshot) => snapshot.extraLabels,
  *samples({ cloud, problems }) {
    for (const { kind, server } of problems.named) {
      const { id, name, host, extra } = server;
      yield [[cloud, id, name, ...placeValues(server), host, kind, ...extra], 1];
    }
  },
};

const timestamps: Family<Snapshot> = {
  name: 'cloud_server_problem_timestamp_seconds',
  help: 'Since when a server has a problem, from updated_at; for expired and expiring the end itself. In Unix time.',
  type: 'gauge',
  labels: ['cloud', 'id', 'problem'],
  *samples({ cloud, problems }) {
    for (const problem of problems.named) {
      const moment = momentOfProblem(problem);
      if (moment !== undefined) yield [[cloud, problem.server.id, problem.kind], moment / 1000];
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

export const problemFamilies: readonly Family<Snapshot>[] = [problem, timestamps, counts];

import type { Problem, ProblemKind } from '../inventory/problems.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { tableOf, type Table } from './family.ts';

export const problemTables: readonly Table<Snapshot>[] = [
  tableOf<Snapshot, Problem>({
    series: 'one per server and problem, at most `problem_limit`',
    byLocation: true,
    withInfo: true,
    labels: ['id', 'name', 'host', 'problem'],
    rows: ({ problems }) => problems.named,
    labelValues: ({ location, id, name, host, kind, info }) => [...location, id, name, host, kind, ...info],
    columns: {
      cloud_server_problem: {
        help: 'A server that needs attention, by name, and why; always 1; at most problem_limit, shared evenly among kinds.',
        example: 'cloud_server_problem{problem="failed"}',
        value: () => 1,
      },
    },
  }),
  tableOf<Snapshot, Problem>({
    series: 'one per server and problem, at most `problem_limit`',
    labels: ['id', 'problem'],
    rows: ({ problems }) => problems.named,
    labelValues: ({ id, kind }) => [id, kind],
    columns: {
      cloud_server_problem_timestamp_seconds: {
        help: 'Since when a server has a problem, from updated_at; for expired and expiring, the expiry.',
        example: 'time() - cloud_server_problem_timestamp_seconds{problem="failed"}',
        unit: 'milliseconds',
        value: ({ since }) => since,
      },
    },
  }),
  tableOf<Snapshot, [ProblemKind, number]>({
    series: 'eight per cloud',
    labels: ['problem'],
    rows: ({ problems }) => [...problems.counts],
    labelValues: ([kind]) => [kind],
    columns: {
      cloud_server_problems: {
        help: 'Servers with each kind of problem, including those that problem_limit leaves out.',
        example: 'cloud_server_problems > 0',
        value: ([, count]) => count,
      },
    },
  }),
];

import type { Drawing } from './panels.ts';
import { table } from './table.ts';

/** The servers that need a person, by name. */
export function problemTable(frame: { width: number; height: number; expr: string }): Drawing {
  const { expr, ...size } = frame;
  return table({
    title: 'Servers that need a person',
    description:
      'Each server with a problem, by name; the most pressing problem_limit of them (1000 unless set) for each cloud.',
    ...size,
    labels: {
      problem: 'Problem',
      name: 'Server',
      status: 'Status',
      cloud: 'Cloud',
      project_domain: 'Domain',
      project: 'Project',
      region: 'Region',
      zone: 'Zone',
      host: 'Host',
      hypervisor: 'Hypervisor',
      id: 'Id',
    },
    columns: [{ title: 'Number', expr }],
    hideNumbers: true,
  });
}

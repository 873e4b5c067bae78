import type { Board } from '../board.ts';
import { toProject } from '../links.ts';
import { lines } from '../lines.ts';
import type { Drawing } from '../panels.ts';
import { fullIn, growing, growthOf, type Growing } from '../queries/growth.ts';
import { largestFirst, table, type Column } from '../table.ts';
import { timeLeft } from '../thresholds.ts';
import { trustRow } from '../trust.ts';
import type { Unit } from '../units.ts';
import { top, zoneVariables } from '../variables.ts';

const noHistory = 'no history known: are the recording rules loaded?';

interface Subject {
  readonly title: string;
  readonly unit: Unit;
  readonly of: Growing;
  readonly labels: Readonly<Record<string, string>>;
  readonly more?: readonly Column[];
}

function growthTable({ title, unit, of, labels, more = [] }: Subject): Drawing {
  const growth = growthOf(of);
  const { project } = labels;
  return table({
    title,
    description:
      'Those that grew most in 30 days. A column is empty until there is that much history. The last ones say what follows if it goes on as in the last 30 days.',
    width: 24,
    height: labels === cloud ? 6 : 8,
    labels,
    columns: [
      { title: 'Now', expr: growth.now, unit },
      { title: '7 days', expr: growth['7d'], unit },
      { title: '30 days', expr: growth['30d'], unit },
      { title: '90 days', expr: growth['90d'], unit },
      { title: 'In a quarter', expr: growth.quarter, unit },
      { title: 'Doubles in', expr: growth.doubles, unit: 'age', steps: timeLeft },
      ...more,
    ],
    sortBy: largestFirst('30 days'),
    ...(project && { links: [toProject] }),
    nothing: noHistory,
  });
}

function overTime(title: string, unit: Unit, of: Growing, legend: string, width = 12): Drawing {
  const queries = [{ expr: growthOf(of).overTime, legend }];
  const description = 'As far back as the recorded sums are kept.';
  return lines({ title, description, unit, width, height: 9, queries, nothing: noHistory });
}

const cloud = { cloud: 'Cloud' };
const zone = { zone: 'Zone', cloud: 'Cloud', region: 'Region' };
const project = { project: 'Project', cloud: 'Cloud', project_domain: 'Domain' };
const model = { model: 'Model', cloud: 'Cloud' };

const untilFull = (of: Growing, resource: 'vcpus' | 'memory'): readonly Column[] => [
  { title: 'Full in', expr: fullIn(of, resource), unit: 'age', steps: timeLeft },
];

export const growth: Board = {
  uid: 'cloud-growth',
  title: 'Cloud: Growth',
  description:
    'What grew in 7, 30 and 90 days, when it doubles, and what it needs in a quarter. It needs the recording rules, and as much history as it looks back.',
  variables: [...zoneVariables, top],
  from: 'now-90d',
  rows: [
    trustRow,
    {
      title: 'Clouds',
      panels: [
        growthTable({ title: 'Servers by cloud', unit: 'count', of: growing.servers, labels: cloud }),
        growthTable({ title: 'vCPUs by cloud', unit: 'count', of: growing.vcpus, labels: cloud }),
        overTime('Servers by cloud, over time', 'count', growing.servers, '{{cloud}}'),
        overTime('vCPUs by cloud, over time', 'count', growing.vcpus, '{{cloud}}'),
      ],
    },
    {
      title: 'Zones',
      panels: [
        growthTable({
          title: 'vCPUs by zone',
          unit: 'count',
          of: growing.zoneVcpus,
          labels: zone,
          more: untilFull(growing.zoneVcpus, 'vcpus'),
        }),
        growthTable({
          title: 'Memory by zone',
          unit: 'bytes',
          of: growing.zoneMemory,
          labels: zone,
          more: untilFull(growing.zoneMemory, 'memory'),
        }),
      ],
    },
    {
      title: 'Projects, whatever region and zone are chosen',
      panels: [
        growthTable({ title: 'vCPUs by project', unit: 'count', of: growing.projectVcpus, labels: project }),
        growthTable({
          title: 'Memory by project',
          unit: 'bytes',
          of: growing.projectMemory,
          labels: project,
        }),
      ],
    },
    {
      title: 'GPUs, whatever region and zone are chosen',
      panels: [
        growthTable({ title: 'GPUs by model', unit: 'count', of: growing.gpus, labels: model }),
        overTime('GPUs by model, over time', 'count', growing.gpus, '{{cloud}} {{model}}', 24),
      ],
    },
  ],
};

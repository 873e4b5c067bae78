import type { Board } from '../board.ts';
import { lines } from '../lines.ts';
import { exporter as query } from '../queries/exporter.ts';
import { table } from '../table.ts';

const yesOrNo = { '0': { text: 'no', color: 'red' }, '1': { text: 'yes', color: 'green' } };

export const processRow: Board['rows'][number] = {
  title: 'The exporter itself',
  panels: [
    lines({
      title: 'Memory',
      description: 'Resident memory of the process, and the part that JavaScript uses.',
      unit: 'bytes',
      width: 12,
      height: 8,
      queries: [
        { expr: query.residentMemory, legend: '{{instance}} resident' },
        { expr: query.heap, legend: '{{instance}} heap' },
      ],
    }),
    lines({
      title: 'Processor',
      description: 'Processor seconds used per second: 1 is one core.',
      unit: 'share',
      width: 12,
      height: 8,
      queries: [{ expr: query.processor, legend: '{{instance}}' }],
    }),
    lines({
      title: 'Event loop lag',
      description: 'How long the exporter could not react: all but one in a hundred delays were shorter.',
      unit: 'seconds',
      width: 12,
      height: 8,
      queries: [{ expr: query.eventLoopLag, legend: '{{instance}}' }],
    }),
    lines({
      title: 'Samples per scrape',
      description: 'What a scrape costs Prometheus; keep it below sample_limit.',
      unit: 'count',
      width: 12,
      height: 8,
      queries: [{ expr: query.samples, legend: '{{instance}}' }],
    }),
    table({
      title: 'Versions',
      description: 'What runs where.',
      width: 12,
      height: 8,
      labels: { instance: 'Exporter', version: 'Version', node_version: 'Node.js' },
      columns: [{ title: 'Number', expr: query.build }],
      hideNumbers: true,
    }),
    table({
      title: 'Configuration',
      description: 'Whether the latest configuration was accepted, and how long ago one was.',
      width: 12,
      height: 8,
      labels: { instance: 'Exporter' },
      columns: [
        { title: 'Accepted', expr: query.reload, texts: yesOrNo },
        { title: 'Loaded before', expr: query.reloadAge, unit: 'age' },
      ],
    }),
  ],
};

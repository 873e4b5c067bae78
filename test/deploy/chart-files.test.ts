import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { leftoverChartFiles, renderChartFiles } from '../../tools/docs/chart-files.ts';
import type { Values } from './rendered-chart.ts';

const root = new URL('../../', import.meta.url);

describe('the files of the chart', () => {
  it('tell Artifact Hub what it is and under which licence', () => {
    const path = new URL('deploy/helm/cloud-platform-exporter/Chart.yaml', root);
    const about = parse(readFileSync(path, 'utf8')) as { annotations: Values };
    const license = (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Values)['license'];
    expect(about.annotations).toMatchObject({
      'artifacthub.io/category': 'monitoring-logging',
      'artifacthub.io/license': license,
    });
  });

  it('are those of the project: otherwise run `npm run docs`', async () => {
    for (const [path, text] of await renderChartFiles(root)) {
      expect(readFileSync(new URL(path, root), 'utf8'), path).toBe(text);
    }
    expect(await leftoverChartFiles(root)).toEqual([]);
  });
});

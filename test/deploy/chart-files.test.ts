import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { leftoverChartFiles, renderChartFiles } from '../../tools/docs/chart-files.ts';
import type { Values } from './rendered-chart.ts';

const root = new URL('../../', import.meta.url);

describe('the files of the chart', () => {
  it('tell Artifact Hub what it is, who makes it and where to read on', () => {
    const path = new URL('deploy/helm/cloud-platform-exporter/Chart.yaml', root);
    const about = parse(readFileSync(path, 'utf8')) as Record<string, string> & { annotations: Values };
    const license = (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Values)['license'];
    expect(about.annotations).toMatchObject({
      'artifacthub.io/category': 'monitoring-logging',
      'artifacthub.io/license': license,
    });
    const links = parse(about.annotations['artifacthub.io/links'] as string) as {
      name: string;
      url: string;
    }[];
    expect(links.map(({ url }) => URL.canParse(url))).toEqual([true, true]);
    expect(about['sources']).toEqual([about['home']]);
  });

  it('are those of the project: otherwise run `npm run docs`', async () => {
    for (const [path, text] of await renderChartFiles(root)) {
      expect(readFileSync(new URL(path, root), 'utf8'), path).toBe(text);
    }
    expect(await leftoverChartFiles(root)).toEqual([]);
  });
});

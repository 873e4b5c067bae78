import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartParts, describeWith } from '../support/real-parts.ts';
import { clouds, createChartRenderer, type ChartRenderer, type Values } from './rendered-chart.ts';

const settings = (more: Values) => ({
  clouds: { production: { settings: { auth_url: 'https://cloud.example.com', ...more } } },
});
const demo = (more: Values) => ({ demo: true, ...more });

/** Values that are wrong, and a part of what is said about them. */
const mistakes: readonly (readonly [string, Values, string])[] = [
  ['a misspelt value', demo({ cloud: {} }), 'Additional property cloud is not allowed'],
  ['a misspelt setting', settings({ page_sise: 5 }), 'Additional property page_sise is not allowed'],
  ['a setting out of its range', settings({ page_size: 0 }), 'page_size: Must be greater than or equal to 1'],
  ['a duration without a unit', settings({ max_age: '30 seconds' }), 'max_age: Does not match pattern'],
  ['an address with a password', settings({ base_url: 'https://a:b@c' }), 'base_url: Does not match'],
  ['a label that Prometheus has', settings({ labels: { __name__: 'name' } }), 'Property name of "__name__"'],
  ['a cloud without an address', { clouds: { production: { settings: {} } } }, 'auth_url is required'],
  ['a cloud whose name is a path', { clouds: { 'no/slash': clouds['lab'] } }, 'no/slash'],
  ['a port that is none', demo({ service: { port: 70_000 } }), 'service.port: Must be less than or equal'],
  ['a flag that is none', demo({ extraArgs: ['log.level=debug'] }), 'extraArgs.0: Does not match'],
  [
    'a scrape longer than its interval',
    demo({ serviceMonitor: { enabled: true, interval: '1m', scrapeTimeout: '1m30s' } }),
    'serviceMonitor.scrapeTimeout (1m30s) is longer than serviceMonitor.interval (1m)',
  ],
];

describeWith(chartParts, 'the chart refuses', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  it.each(mistakes)('%s', (_, values, words) => {
    expect(() => chart.render(values)).toThrow(words);
  });

  it('a literal secret, and says why and what to do', () => {
    const refused = () => chart.render(settings({ secret_key: 'hunter2' }));
    expect(refused).toThrow('clouds.production.settings.secret_key: a secret must not stand in values');
    expect(refused).toThrow('create secret generic cloud-production --from-file=secret_key');
    expect(refused).not.toThrow('hunter2');
  });

  it('no value of its own README, whose image is the one that is built there', () => {
    const page = readFileSync('deploy/helm/cloud-platform-exporter/README.md', 'utf8');
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const text = JSON.stringify(chart.render(parse(example) as Values).objects);
    expect(text).toContain('"release":"kube-prometheus-stack"');
    const [, built = ''] = /^docker build -t (\S+) \.$/m.exec(page) ?? [];
    expect(new Set(text.match(/(?<="image":")[^"]+/g))).toEqual(new Set([built]));
    expect(page).toContain(`docker push ${built}\n`);
  });
});

import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloudShape } from '../../src/config/schema.ts';
import { chartParts, describeWith } from '../support/real-parts.ts';
import { production } from './chart-values.ts';
import { createChartRenderer, type ChartRenderer, type Values } from './rendered-chart.ts';

const settings = (more: Values) => ({
  clouds: { production: { ...production, settings: { ...production.settings, ...more } } },
});
const demo = (more: Values) => ({ demo: true, ...more });
const longLabel = 'x'.repeat(64);

/** Values that are wrong, and a part of what is said about them. */
const mistakes: readonly (readonly [string, Values, string])[] = [
  ['a misspelt value', demo({ cloud: {} }), 'Additional property cloud is not allowed'],
  ['a misspelt setting', settings({ page_sise: 5 }), 'Additional property page_sise is not allowed'],
  ['a setting out of its range', settings({ page_size: 0 }), 'page_size: Must be greater than or equal to 1'],
  ['a text in place of a number', settings({ concurrency: 'four' }), 'concurrency: Invalid type'],
  ['a duration without a unit', settings({ max_age: '30 seconds' }), 'max_age: Does not match pattern'],
  ['an address without a scheme', settings({ auth_url: 'cloud.example.com' }), 'auth_url: Does not match'],
  ['an address with a password', settings({ base_url: 'https://a:b@c' }), 'base_url: Does not match'],
  ['a label that Prometheus has', settings({ labels: { __name__: 'name' } }), 'Property name of "__name__"'],
  ['a cloud without settings', { clouds: { production: {} } }, 'settings is required'],
  ['a cloud without an address', { clouds: { production: { settings: {} } } }, 'auth_url is required'],
  ['a misspelt key of a cloud', { clouds: { a: { ...production, secret: {} } } }, 'property secret is not'],
  [
    'a misspelt secret',
    { clouds: { a: { ...production, secrets: { pasword: { name: 'a', key: 'b' } } } } },
    'pasword',
  ],
  ['a cloud whose name is a path', { clouds: { 'no/slash': production } }, 'no/slash'],
  ['a port that is none', demo({ service: { port: 70_000 } }), 'service.port: Must be less than or equal'],
  ['a port by name', demo({ service: { port: 'http' } }), 'service.port: Invalid type'],
  ['a label that is too long', demo({ podLabels: { team: longLabel } }), 'podLabels.team: String length'],
  [
    'a label value with a space',
    demo({ commonLabels: { team: 'a b' } }),
    'commonLabels.team: Does not match',
  ],
  ['a flag that is none', demo({ extraArgs: ['log.level=debug'] }), 'extraArgs.0: Does not match'],
  [
    'a scrape longer than its interval',
    demo({ serviceMonitor: { enabled: true, interval: '1m', scrapeTimeout: '1m30s' } }),
    'serviceMonitor.scrapeTimeout (1m30s) is longer than serviceMonitor.interval (1m)',
  ],
  [
    'the same of a target for each cloud',
    demo({ scrapeConfig: { enabled: true, interval: '500ms', scrapeTimeout: '1s' } }),
    'scrapeConfig.scrapeTimeout (1s) is longer than scrapeConfig.interval (500ms)',
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

  it.each(['password', 'token', 'access_key', 'secret_key', 'cas_ticket'])(
    'a literal %s, and says why and what to do',
    (secret) => {
      const refused = () => chart.render(settings({ [secret]: 'hunter2' }));
      expect(refused).toThrow(`clouds.production.settings.${secret}: a secret must not stand in values`);
      expect(refused).toThrow(`create secret generic cloud-production --from-file=${secret}`);
      expect(refused).not.toThrow('hunter2');
    },
  );

  it('nothing that the exporter takes: each setting is known', () => {
    const schema = new URL('../../deploy/helm/cloud-platform-exporter/values.schema.json', import.meta.url);
    const text = readFileSync(schema, 'utf8');
    for (const key of Object.keys(cloudShape)) expect(text).toContain(`"${key}": {`);
    const good = {
      page_size: 1000,
      max_age: 90,
      units: { memory: 'GiB' },
      query: 'scope=system',
      cacert: '/ca',
    };
    expect(chart.render(settings({ ...good, proxy_url: 'http://user:word@proxy:3128' })).error).toBe('');
  });

  it('no value of its own README', () => {
    const page = readFileSync(
      new URL('../../deploy/helm/cloud-platform-exporter/README.md', import.meta.url),
      'utf8',
    );
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const { objects } = chart.render(parse(example) as Values, { release: 'cloud-platform-exporter' });
    const text = JSON.stringify(objects);
    expect(text.includes('"release":"kube-prometheus-stack"')).toBe(true);
    const [, built = ''] = /^docker build -t (\S+) \.$/m.exec(page) ?? [];
    expect(new Set(text.match(/(?<="image":")[^"]+/g))).toEqual(new Set([built]));
  });
});

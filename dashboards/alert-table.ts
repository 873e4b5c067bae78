import { severities } from './look.ts';
import type { Drawing } from './panels.ts';
import { maxBy, ofAlerts, ofJob, select } from './promql.ts';
import { table } from './table.ts';

/** What an alert is about; those that differ in more than this are one row. */
const labels = {
  alertname: 'Alert',
  host: 'Host',
  zone: 'Zone',
  cloud: 'Cloud',
  instance: 'Exporter',
  runbook: 'Runbook',
};
const by = ['alertname', 'severity', 'cloud', 'zone', 'host', 'instance'];

/** The watchdog fires always. */
const firing = `ALERTS{alertstate="firing", alertname!="CloudWatchdog", ${ofAlerts}}`;
const since = maxBy(by, `ALERTS_FOR_STATE{${ofAlerts}} and ignoring (alertstate) ${firing}`);
const ofSeverity = (severity: string) => maxBy(by, firing.replace('{', `{severity="${severity}", `));
const severity = `(3 * ${ofSeverity('critical')} or 2 * ${ofSeverity('warning')} or ${ofSeverity('info')})`;

/** Where the exporter can be reached by people, else where it is scraped: it serves the page. */
const page = `label_replace(topk(1, label_replace(cloud_exporter_external_url_info{${ofJob}}, "base", "$1", "url", "(.*?)/*") or on () label_replace(${select('cloud_exporter_build_info', ofJob)}, "base", "http://$1", "instance", "(.+)")), "runbook", "$1/runbook", "base", "(.+)")`;
const withPage = `(${severity} * on () group_left (runbook) max by (runbook) (0 * ${page} + 1) or on (${by.join(', ')}) ${severity})`;

/** Prometheus' own, of the chosen data source and clouds. */
export const alertTable: Drawing = table({
  title: 'Firing alerts',
  description:
    'Alerts of this product that fire now, for the chosen clouds, the most severe first, and of these the latest. A click on its name opens what to do, on the page of the exporter.',
  height: 7,
  labels,
  by,
  largestBy: `(1e11 * ${severity} + ${since} or 1e11 * ${severity})`,
  columns: [
    { title: 'Severity', list: withPage, texts: severities },
    { title: 'Since', each: `1000 * ${since}`, unit: 'ago' },
  ],
  order: ['Alert', 'Severity', 'Since', 'Host', 'Zone', 'Cloud', 'Exporter'],
  wide: ['Alert', 'Host', 'Zone'],
  forLinks: ['Runbook'],
  uses: ['alerts'],
  nothing: 'No alert fires.',
});

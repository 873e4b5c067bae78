import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';
import { ofExporterJobs, select } from './selectors.ts';
import { datasource } from './variables.ts';

/** Drawn over the lines of every board. */
export const annotations: AnnotationQuery[] = [
  {
    name: 'Firing alerts',
    datasource,
    enable: true,
    hide: false,
    iconColor: 'red',
    expr: 'count by (alertname, cloud, severity) (ALERTS{alertstate="firing", alertname=~"Cloud.+", cloud=~"$cloud|"})',
    titleFormat: '{{alertname}}',
    textFormat: '{{cloud}} {{severity}}',
    step: '60s',
  },
  {
    name: 'Restarts of the exporter',
    datasource,
    enable: true,
    hide: false,
    iconColor: 'blue',
    expr: `1000 * max by (instance) (${select('process_start_time_seconds', ofExporterJobs)} and on (job, instance) ${select('cloud_exporter_build_info', ofExporterJobs)})`,
    titleFormat: 'The exporter started',
    textFormat: '{{instance}}',
    step: '60s',
    useValueForTime: true,
  },
];

import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Board } from '../board.ts';
import { memory } from '../absence.ts';
import {
  ageOfNumbers,
  ageOfSyncs,
  fewAreFine,
  passwordLeft,
  tokenLeft,
  upOrDown,
  yesOrNo,
  type Unit,
} from '../look.ts';
import { bands, lines, stats } from '../panels.ts';
import {
  inWords,
  largestLines,
  maxBy,
  ofInstance,
  ofProcess,
  once,
  select,
  sumBy,
  type Query,
} from '../promql.ts';
import { syncAge } from '../trust.ts';
import { table } from '../table.ts';
import { cloudVariables, instance } from '../variables.ts';

const ofClouds = (metric: string, ...matchers: string[]) => select(metric, ofInstance, ...matchers);
const newest = (metric: string, ...matchers: string[]) =>
  maxBy(['cloud'], once(metric, ofInstance, ...matchers));
const left = (metric: string) => `min by (cloud) (${ofClouds(metric)}) - time()`;
const up = maxBy(['cloud'], ofClouds('cloud_up'));
/** Those that nobody reads any more are missed for a day. */
const lastDay = (metric: string) => maxBy(['cloud'], `max_over_time(${ofClouds(metric)}[${memory}])`);
const wasUp = lastDay('cloud_up');
const upOrLost = `(${up} or 0 * ${wasUp})`;
const age = `time() - (${lastDay('cloud_last_success_timestamp_seconds')} > 0)`;
const took = maxBy(['cloud'], ofClouds('cloud_collection_duration_seconds'));

const rate = (metric: string) => `rate(${ofClouds(metric)}[$__rate_interval])`;
const counted = (metric: string) => `increase(${ofClouds(metric)}[$__rate_interval])`;
const quantile = (share: number, ...labels: string[]) =>
  `histogram_quantile(${share}, ${sumBy(['le', ...labels], rate('cloud_exporter_api_request_duration_seconds_bucket'))})`;
const failed = `topk by (cloud) (1, ${inWords('reason', sumBy(['cloud', 'reason'], `increase(${ofClouds('cloud_exporter_collection_failures_total')}[15m])`))} > 0)`;
/** Whether a cloud is read, and beside one that is not, why. */
const stateAndReason = [
  `((${up} == 0) + on (cloud) group_left (reason) 0 * ${failed})`,
  up,
  `label_replace(0 * ${wasUp}, "reason", "exporter down", "", "")`,
].join(' or on (cloud) ');
/** An increase is remembered for an hour after its exporter is gone: then it says nothing about now. */
const inAnHour = (metric: string) => `round(sum(increase(${ofClouds(metric)}[1h]))) > 0`;

const received = newest('cloud_list_received', 'resource="servers"');
const reported = newest('cloud_list_reported', 'resource="servers"');
/** What is counted for as long as the exporter runs says nothing good of a cloud that is not read any more. */
const leftOut = `${newest('cloud_exporter_series_dropped')} and on (cloud) ${received}`;

const listWords = [
  {
    type: MappingType.ValueToText as const,
    options: {
      isolated_devices: { text: 'devices' },
      cloudproviderregions: { text: 'synchronisations' },
      cloudregions: { text: 'regions' },
    },
  },
];
/** Lists by cloud and what is listed. */
const list = ['resource', 'cloud'];
const ofLists = (metric: string) => maxBy(list, once(metric, ofInstance));
const missing = `clamp_min(${ofLists('cloud_list_reported')} - ${ofLists('cloud_list_received')}, 0)`;
/** Of servers it is said by the cloud itself. */
const listUp = `(${ofLists('cloud_list_up')} or label_replace(${up}, "resource", "servers", "", ""))`;

const syncs = `(${syncAge(['cloud', 'account', 'subscription', 'region'], ofInstance)})`;

/** An exporter may share its job with others: only targets that say that they are one. */
const ofExporters = (vector: string) =>
  `${vector} and on (job, instance) ${select('cloud_exporter_build_info', ofProcess)}`;
const targets = maxBy(['instance'], select('up', ofProcess));
const lastAnswer = maxBy(
  ['instance'],
  `max_over_time(timestamp(${select('up', ofProcess)} == 1)[${memory}:1m])`,
);
const ofEach = (metric: string) => maxBy(['instance'], ofExporters(select(metric, ofProcess)));
const versions = `max by (instance, version, node_version) (${select('cloud_exporter_build_info', ofProcess)})`;
const processor = ofExporters(`rate(${select('process_cpu_seconds_total', ofProcess)}[$__rate_interval])`);

function chart(title: string, unit: Unit, description: string, queries: readonly Query[], width = 12) {
  return lines({ title, description, unit, width, queries, nothing: 'None in this time' });
}

const byCloud = (vector: string) => largestLines(['cloud'], '{{of}}', vector);
const byInstance = (vector: string) => largestLines(['instance'], '{{instance}}', vector);
/** Counters are there from the start: those that counted nothing in the time that is shown are left out. */
function of(first: string, second: string, vector: string): Query[] {
  const sums = sumBy([first, second], vector);
  const counted = `(${sums}) and on (${first}, ${second}) max_over_time((${sums})[$__range:$__interval] @ end()) > 0`;
  const legend = `${first === 'cloud' ? '{{of}}' : `{{${first}}} `}{{${second}}}`;
  return largestLines([first, second], legend, inWords(first, inWords(second, counted)));
}

export const exporter: Board = {
  description:
    'Can the numbers be trusted: is every cloud read, is it fresh and whole, and how is the exporter itself.',
  variables: [...cloudVariables, instance],
  from: 'now-6h',
  rows: [
    {
      panels: [
        table({
          title: 'Each cloud',
          description:
            'Good, fresh and whole: reported is how many servers the platform says it has, received how many it listed. Beside one that is down stands the most frequent reason of the last 15 minutes; a cloud that no exporter reports any more does so for a day. Those that are down stand first, and then the oldest.',
          height: 7,
          labels: { cloud: 'Cloud', reason: 'Reason' },
          by: ['cloud'],
          largestBy: `(1e10 * (1 - ${upOrLost}) + ${age} or 1e12 - ${upOrLost})`,
          columns: [
            { title: 'State', list: stateAndReason, texts: upOrDown },
            { title: 'Last read', each: age, unit: 'age', steps: ageOfNumbers },
            { title: 'Took', each: took, unit: 'seconds' },
            { title: 'Reported', sum: reported },
            { title: 'Received', sum: received },
            { title: 'Projects', sum: newest('cloud_projects_visible') },
            { title: 'Left out', sum: leftOut, steps: fewAreFine },
            {
              title: 'Token left',
              each: left('cloud_token_expiry_timestamp_seconds'),
              unit: 'age',
              steps: tokenLeft,
            },
            {
              title: 'Password left',
              each: left('cloud_password_expiry_timestamp_seconds'),
              unit: 'age',
              steps: passwordLeft,
            },
          ],
        }),
        table({
          title: 'Each exporter',
          description:
            'What runs where, those that are down first: whether Prometheus can scrape it, when it last could, whether the latest configuration was accepted and how long ago one was loaded, and how many samples a scrape has: keep them below sample_limit.',
          height: 7,
          labels: { instance: 'Exporter', version: 'Version', node_version: 'Node.js' },
          by: ['instance'],
          largestBy: `(1e12 * (1 - ${targets}) + ${ofEach('process_resident_memory_bytes')} or 1e12 * (1 - ${targets}))`,
          columns: [
            {
              title: 'State',
              list: `(${targets} + on (instance) group_left (version, node_version) 0 * ${versions} or on (instance) ${targets})`,
              texts: upOrDown,
            },
            { title: 'Last answer', each: `1000 * ${lastAnswer}`, unit: 'ago' },
            {
              title: 'Accepted',
              each: ofEach('cloud_exporter_config_last_reload_successful'),
              texts: yesOrNo,
            },
            {
              title: 'Loaded',
              each: `1000 * ${ofEach('cloud_exporter_config_last_reload_success_timestamp_seconds')}`,
              unit: 'ago',
            },
            { title: 'Samples', each: ofEach('scrape_samples_scraped') },
          ],
          nothing: 'No exporter.',
        }),
        bands({
          title: 'Clouds up and down',
          description:
            'Whether the latest collection of each cloud succeeded: the fifteen clouds that were down most. Red, too, for a day, where no exporter answers.',
          unit: 'none',
          expr: `${upOrLost} and on (cloud) bottomk(15, avg_over_time((${upOrLost})[$__range:$__interval] @ end()))`,
          legend: '{{cloud}}',
          texts: upOrDown,
        }),
        stats({
          title: 'Complete and on time',
          description:
            'Missing: what the platforms say they have, less what they listed. Failed: collections that failed within the last hour. Late: scrapes within the last hour that were answered from an earlier snapshot, because the collection failed or was not done in time.',
          tiles: [
            { name: 'Missing servers', expr: `sum(${reported} - ${received}) > 0` },
            { name: 'Failed in 1 hour', expr: inAnHour('cloud_exporter_collection_failures_total') },
            { name: 'Late in 1 hour', expr: inAnHour('cloud_exporter_stale_answers_total') },
          ].map((tile) => ({ ...tile, steps: fewAreFine })),
        }),
      ],
    },
    {
      title: 'Collections and lists',
      isClosed: true,
      panels: [
        chart(
          'Collections against the scrape timeout',
          'seconds',
          'How long collections take, and the slowest scrape. A collection that takes longer than the timeout is answered late, from the snapshot before. Prometheus has its timeout as a metric only with --enable-feature=extra-scrape-metrics.',
          [
            ...byCloud(took),
            {
              expr: `max(${ofExporters(select('scrape_duration_seconds', ofProcess))})`,
              legend: 'slowest scrape',
              colour: 'orange',
            },
            {
              expr: `min(${ofExporters(select('scrape_timeout_seconds', ofProcess))})`,
              legend: 'scrape timeout',
              colour: 'red',
            },
          ],
          24,
        ),
        chart(
          'Age of the numbers',
          'seconds',
          'How long ago each cloud was last read: the six oldest. It grows through an outage, though what was read then is not shown for longer than max_stale.',
          byCloud(age).slice(0, 1),
        ),
        chart(
          'Failed collections by reason',
          'count',
          'Collections that failed, counted over a few scrapes. Nothing is drawn where none failed.',
          of('cloud', 'reason', counted('cloud_exporter_collection_failures_total')),
        ),
        table({
          title: 'Each list',
          description:
            'What is listed of each cloud: how much is missing of what the platform says it has, and what was rejected. Down: the latest list failed or was refused. Those that are down stand first, and then those of which most is missing.',
          height: 7,
          labels: { resource: 'List', cloud: 'Cloud' },
          colours: { List: listWords },
          nothing: 'No lists.',
          largestBy: `(1e9 * (1 - ${listUp}) + (${missing} or 0 * ${listUp}))`,
          columns: [
            { title: 'State', each: listUp, texts: upOrDown },
            { title: 'Received', sum: ofLists('cloud_list_received') },
            { title: 'Missing', sum: missing, steps: fewAreFine },
            {
              title: 'Rejected',
              sum: sumBy(list, once('cloud_list_rejected', ofInstance)),
              steps: fewAreFine,
            },
          ],
        }),
        table({
          title: 'Synchronisation of public clouds',
          description:
            'When the platform last synchronised what it knows of public clouds, by account, the oldest first. What is older is not seen by anybody.',
          height: 7,
          labels: { account: 'Account', subscription: 'Subscription', region: 'Region', cloud: 'Cloud' },
          largestBy: syncs,
          uses: ['syncs'],
          columns: [{ title: 'Age', each: syncs, unit: 'age', steps: ageOfSyncs }],
          nothing: 'No public cloud is synchronised.',
        }),
      ],
    },
    {
      title: 'Requests to the platform',
      isClosed: true,
      panels: [
        chart(
          'Requests by operation and answer',
          'requests a second',
          'Attempts per second, by status code, or by reason where no answer came.',
          of('operation', 'code', rate('cloud_exporter_api_requests_total')),
        ),
        chart(
          'Latency of requests',
          'seconds',
          'How long all but five in a hundred attempts take, by operation, and half of all: their body included.',
          [
            ...largestLines(
              ['operation'],
              '{{operation}} 95 %',
              inWords('operation', quantile(0.95, 'operation')),
            ).slice(0, 1),
            { expr: quantile(0.5), legend: 'median of all', colour: 'text' },
          ],
        ),
      ],
    },
    {
      title: 'The exporter itself',
      isClosed: true,
      panels: [
        chart(
          'Memory',
          'bytes',
          'Resident memory of the process.',
          byInstance(ofEach('process_resident_memory_bytes')),
        ),
        chart(
          'Processor',
          'share over time',
          'Processor seconds used per second: 100 % is one core.',
          byInstance(maxBy(['instance'], processor)),
        ),
      ],
    },
    {
      title: 'Logins, retries and the event loop',
      isClosed: true,
      panels: [
        chart(
          'Logins',
          'count',
          'Logins by what made them necessary: the start, a token near its end, or one that was refused.',
          of('cloud', 'trigger', counted('cloud_exporter_logins_total')),
        ),
        chart(
          'Failed logins by reason',
          'count',
          'After a refusal the exporter waits before it tries again, up to ten minutes.',
          of('cloud', 'reason', counted('cloud_exporter_login_failures_total')),
        ),
        chart(
          'Retries by reason',
          'count',
          'Attempts that had to be made again, counted over a few scrapes.',
          of('operation', 'reason', counted('cloud_exporter_api_retries_total')),
        ),
        chart(
          'Event loop lag',
          'seconds',
          'How long the exporter could not react: all but one in a hundred delays were shorter.',
          byInstance(ofEach('nodejs_eventloop_lag_p99_seconds')),
        ),
      ],
    },
  ],
};

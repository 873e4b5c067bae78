import type { Board } from '../board.ts';
import { lines } from '../lines.ts';
import { exporter as query } from '../queries/exporter.ts';

export const collectionRows: Board['rows'] = [
  {
    title: 'Fresh, whole and in time',
    panels: [
      lines({
        title: 'Collections against the scrape timeout',
        description:
          'How long collections and scrapes take. A collection that is longer than the timeout is answered late, from the snapshot before. Prometheus tells its timeout only with --enable-feature=extra-scrape-metrics.',
        unit: 'seconds',
        width: 12,
        height: 8,
        queries: [
          { expr: query.duration, legend: 'collection of {{cloud}}' },
          { expr: query.scrape, legend: 'scrape of {{instance}}' },
          { expr: query.scrapeTimeout, legend: 'scrape timeout', colour: 'red' },
        ],
      }),
      lines({
        title: 'Age of the numbers',
        description:
          'How long ago each cloud was last read. It grows through an outage, though what was read then is not shown for longer than max_stale.',
        unit: 'seconds',
        width: 12,
        height: 8,
        queries: [{ expr: query.age, legend: '{{cloud}}' }],
      }),
      lines({
        title: 'Servers that did not arrive',
        description: 'What the platform says it has, less what it listed; rejected records are among them.',
        unit: 'count',
        width: 12,
        height: 7,
        queries: [
          { expr: query.shortfall, legend: 'missing in {{cloud}}' },
          { expr: query.rejected, legend: 'rejected in {{cloud}}: {{reason}}' },
        ],
      }),
      lines({
        title: 'Failed collections by reason',
        description: 'Failed collections per second, beside all collections.',
        unit: 'a second',
        width: 12,
        height: 7,
        queries: [
          { expr: query.failuresByReason, legend: '{{cloud}}: {{reason}}' },
          { expr: query.collections, legend: '{{cloud}}: all collections' },
        ],
      }),
    ],
  },
  {
    title: 'Requests to the platform',
    panels: [
      lines({
        title: 'Requests by operation and answer',
        description: 'Attempts per second, by status code, or by reason where no answer came.',
        unit: 'requests a second',
        width: 12,
        height: 8,
        queries: [{ expr: query.requests, legend: '{{operation}} {{code}}' }],
      }),
      lines({
        title: 'Latency of requests',
        description:
          'How long an attempt takes, its body included: half of them, and all but five in a hundred.',
        unit: 'seconds',
        width: 12,
        height: 8,
        queries: [
          { expr: query.latency.median, legend: '{{operation}} median' },
          { expr: query.latency.high, legend: '{{operation}} 95 %' },
        ],
      }),
      lines({
        title: 'Retries by reason',
        description: 'Attempts per second that had to be made again.',
        unit: 'requests a second',
        width: 12,
        height: 8,
        queries: [{ expr: query.retries, legend: '{{operation}}: {{reason}}' }],
      }),
      lines({
        title: 'Logins',
        description:
          'Logins by what made them necessary: the start, a token near its end, or one that was refused.',
        unit: 'count',
        width: 12,
        height: 8,
        queries: [{ expr: query.logins, legend: '{{cloud}}: {{trigger}}' }],
      }),
      lines({
        title: 'Failed logins by reason',
        description: 'After a refusal the exporter waits before it tries again, up to ten minutes.',
        unit: 'count',
        width: 12,
        height: 8,
        queries: [{ expr: query.loginFailures, legend: '{{cloud}}: {{reason}}' }],
      }),
      lines({
        title: 'Life of the token',
        description: 'Time until the token that is held ends; it is renewed about five minutes before.',
        unit: 'seconds',
        width: 12,
        height: 8,
        queries: [{ expr: query.tokenLeft, legend: '{{cloud}}' }],
      }),
    ],
  },
];

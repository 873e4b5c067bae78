import type { Request, Response } from 'express';
import type { Cloud } from '../cloud.ts';
import type { Collector, CollectorAnswer, CloudView } from '../inventory/collector.ts';
import type { CollectionTrace } from '../inventory/trace.ts';
import type { Format } from '../metrics/exposition.ts';
import type { MetricsPage } from '../metrics/page.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import { preferredType, type Sending } from './send.ts';

/** Left for writing and sending: the last byte has to be there in time, and no slow reader may cost another one. */
const reserveMs = 500;
const reservedShare = 0.1;
/** Prometheus always says how long it waits; a person with curl is given this long. */
const patienceWithoutHeaderMs = 30_000;

const timeoutHeader = 'x-prometheus-scrape-timeout-seconds';

/** How long a scrape may wait for a collection. */
export function patienceOf(timeoutSeconds: string | undefined): number {
  const seconds = Number(timeoutSeconds);
  if (!timeoutSeconds || !Number.isFinite(seconds)) return patienceWithoutHeaderMs;
  return Math.max(0, seconds * 1000 * (1 - reservedShare) - reserveMs);
}

/** With each of these our names stay as they are; `dots` would double every underscore. */
const escapings = ['underscores', 'allow-utf-8', 'values'];
const escaped = (type: string) =>
  escapings.map((escaping) => `${type}; version=1.0.0; charset=utf-8; escaping=${escaping}`);

/** Text 0.0.4 is for everybody who does not say, browsers included. */
const contentTypes = [
  'text/plain; version=0.0.4; charset=utf-8',
  ...escaped('application/openmetrics-text'),
  'application/openmetrics-text; version=0.0.1; charset=utf-8',
  ...escaped('text/plain'),
] as const;

export function contentTypeFor(request: Request): { type: string; format: Format } {
  const type = preferredType(request, contentTypes);
  return { type, format: type.startsWith('application/openmetrics-text') ? 'openmetrics' : 'text' };
}

/** Answers a scrape: 200, whatever the platform does. */
export function createAnswerScrape({ page, send, yieldToEventLoop }: Sending & { page: MetricsPage }) {
  return async (
    request: Request,
    response: Response,
    { collectors, self }: { collectors: readonly Collector[]; self?: SelfMetrics },
  ): Promise<void> => {
    const { format, type } = contentTypeFor(request);
    const patienceMs = patienceOf(request.get(timeoutHeader));
    // HEAD costs the platform nothing.
    const asked = request.method === 'HEAD' ? [] : collectors;
    const views = await Promise.all(asked.map((collector) => collector.answer({ patienceMs })));
    await yieldToEventLoop();
    const pieces = page.write(views, format, self);
    await send(request, response, { type, vary: 'Accept, Accept-Encoding', pieces });
  };
}

/** A probe for a person: what its collection did, step by step, and then the metrics it would have answered. */
export async function answerDebug(
  request: Request,
  response: Response,
  {
    cloud,
    page,
    now,
    send,
    yieldToEventLoop,
  }: Sending & { cloud: Cloud; page: MetricsPage; now: () => number },
): Promise<void> {
  const askedAt = now();
  const patienceMs = patienceOf(request.get(timeoutHeader));
  const answered = cloud.collector.answer({ patienceMs });
  // A collection that starts does so at once, so this is the one that the answer waits for.
  const followed = cloud.trace.latest();
  const view = await answered;
  await yieldToEventLoop();
  const text = [
    `cloud ${view.cloud}, asked at ${new Date(askedAt).toISOString()}`,
    beginnings[view.how],
    '',
    ...(followed?.lines() ?? []),
    '',
    describeAnswer(view, followed),
    '',
    'The metrics:\n\n',
  ].join('\n');
  const pieces = follow(text, page.write([view], 'text'));
  await send(request, response, { type: 'text/plain; charset=utf-8', pieces });
}

const beginnings: Readonly<Record<CollectorAnswer['how'], string>> = {
  started: 'This scrape started a collection:',
  joined: 'This scrape joined a collection that was running:',
  reused:
    'This scrape asked the platform nothing: the snapshot is younger than max_age. It was collected so:',
};

function describeAnswer(view: CloudView, followed: CollectionTrace | undefined): string {
  const late = followed?.isRunning()
    ? 'The collection was not done when patience ended; it goes on, for the next scrape. '
    : '';
  if (!view.snapshot) return `${late}The answer has no numbers of servers: there is no snapshot.`;
  const age = ((view.snapshotAgeMs ?? 0) / 1000).toFixed(3);
  const taken = new Date(view.snapshot.takenAt).toISOString();
  return `${late}The answer is the snapshot of ${taken}, ${age} s old.`;
}

async function* follow(text: string, metrics: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
  yield* metrics;
}

import type { Request, Response } from 'express';
import type { Clock } from '../clock.ts';
import type { Cloud } from '../cloud.ts';
import type { CloudView, Collector, CollectorAnswer } from '../inventory/collector.ts';
import type { CollectionTrace } from '../inventory/trace.ts';
import type { Format } from '../metrics/exposition.ts';
import type { MetricsPage } from '../metrics/page.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import { acceptsGzip, preferredType, type SendLong } from './send.ts';

/** Left for the last byte to travel. */
const reserveMs = 500;
/** Prometheus always says how long it waits; a person with curl is given this long. */
const patienceWithoutHeaderMs = 30_000;
/** For writing and sending the families of a server as gzip, as long as it was not measured. */
const usualMsPerServer = 0.02;

const timeoutHeader = 'x-prometheus-scrape-timeout-seconds';

/** How long who asks may be kept waiting for a collection. */
export function patienceOf(timeoutSeconds: string | undefined, sendingMs = 0): number {
  const seconds = Number(timeoutSeconds);
  if (!timeoutSeconds || !Number.isFinite(seconds)) return patienceWithoutHeaderMs;
  return Math.max(0, seconds * 1000 - reserveMs - 2 * sendingMs);
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

/**
 * Answers a scrape: 200, whatever the platform does. The last byte has to be there in time, not the first. So what
 * writing and sending took for the last answer of the same clouds, format and encoding is kept back twice.
 */
export function createAnswerScrape(parts: { page: MetricsPage; send: SendLong; clock: Clock }) {
  const { page, send, clock } = parts;
  const lastByKind = new Map<string, { readonly ms: number; readonly servers: number }>();

  return async (
    request: Request,
    response: Response,
    { collectors, self }: { collectors: readonly Collector[]; self?: SelfMetrics },
  ): Promise<void> => {
    const { format, type } = contentTypeFor(request);
    const timeout = request.get(timeoutHeader);
    const clouds = collectors.length === 1 ? collectors[0]!.cloud : `${collectors.length} clouds`;
    const kind = `${clouds} ${type} ${acceptsGzip(request)}`;
    const last = lastByKind.get(kind) ?? { ms: 0, servers: 0 };
    const known = countServers(collectors.map((collector) => collector.view()));
    const sendingMs = last.ms + Math.max(0, known - last.servers) * usualMsPerServer;
    const patienceMs = patienceOf(timeout, sendingMs);
    // Who asks for the headers only costs the platform nothing.
    const asked = request.method === 'HEAD' ? [] : collectors;
    const views = await Promise.all(asked.map((collector) => collector.answer({ patienceMs })));

    async function* timed(): AsyncGenerator<Buffer> {
      const startedAt = clock.monotonic();
      try {
        yield* page.write(views, format, self);
      } finally {
        // A person with a slow line says nothing about Prometheus.
        const ms = clock.monotonic() - startedAt;
        if (timeout !== undefined) lastByKind.set(kind, { ms, servers: countServers(views) });
      }
    }
    await send(request, response, { type, vary: 'Accept, Accept-Encoding', pieces: timed() });
  };
}

function countServers(views: readonly CloudView[]): number {
  return views.reduce((sum, { snapshot }) => sum + (snapshot?.lists.get('servers')?.received ?? 0), 0);
}

/** A probe told to a person: what its collection did, step by step, and then the metrics it would have answered. */
export async function answerDebug(
  request: Request,
  response: Response,
  { cloud, page, send, now }: { cloud: Cloud; page: MetricsPage; send: SendLong; now: () => number },
): Promise<void> {
  const askedAt = now();
  const patienceMs = patienceOf(request.get(timeoutHeader));
  const answered = cloud.collector.answer({ patienceMs });
  // A collection that starts does so at once, so this is the one that the answer waits for.
  const followed = cloud.trace.latest();
  const view = await answered;
  const text = [
    `cloud ${view.cloud}, asked at ${new Date(askedAt).toISOString()}`,
    describeScrape(view.how, followed, askedAt),
    '',
    ...(followed?.lines() ?? []),
    '',
    describeAnswer(view, followed),
    '',
    'The metrics:\n\n',
  ].join('\n');
  const pieces = tell(text, page.write([view], 'text'));
  await send(request, response, { type: 'text/plain; charset=utf-8', pieces });
}

function describeScrape(how: CollectorAnswer['how'], trace: CollectionTrace | undefined, askedAt: number) {
  if (how === 'started') return 'This scrape started a collection:';
  const seconds = ((askedAt - (trace?.startedAt ?? askedAt)) / 1000).toFixed(3);
  if (how === 'joined') return `This scrape joined a collection that had been running for ${seconds} s:`;
  return `This scrape asked the platform nothing: the snapshot is younger than max_age. It was collected ${seconds} s before:`;
}

function describeAnswer(view: CloudView, followed: CollectionTrace | undefined): string {
  const late = followed?.isRunning()
    ? 'The collection was not done when patience ended; it goes on, for the next scrape. '
    : '';
  if (!view.snapshot)
    return `${late}The answer has no numbers of servers: there is no snapshot to tell from.`;
  const age = ((view.snapshotAgeMs ?? 0) / 1000).toFixed(3);
  const taken = new Date(view.snapshot.takenAt).toISOString();
  return `${late}The answer is the snapshot of ${taken}, ${age} s old.`;
}

async function* tell(text: string, metrics: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
  yield* metrics;
}

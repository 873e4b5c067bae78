import type { Request, Response } from 'express';
import type { CloudView, Collector } from '../inventory/collector.ts';
import type { CollectionTrace, Trace } from '../inventory/trace.ts';
import type { MetricsPage } from '../metrics/page.ts';
import { patienceOf } from './metrics.ts';
import { sendPieces } from './send.ts';

/** A probe told to a person: what its collection did, step by step, and then the metrics it would have answered. */
export async function answerDebug(
  request: Request,
  response: Response,
  scope: { collector: Collector; trace: Trace; page: MetricsPage; now: () => number },
): Promise<void> {
  const { collector, trace, page, now } = scope;
  const askedAt = now();
  const patienceMs = patienceOf(request.get('x-prometheus-scrape-timeout-seconds'));
  const { answered, how, followed } = askAndFollow(collector, trace, patienceMs);
  const view = await answered;
  const text = [
    `cloud ${view.cloud}, asked at ${new Date(askedAt).toISOString()}`,
    describeScrape(how, followed, askedAt),
    '',
    ...(followed?.lines() ?? []),
    '',
    describeAnswer(view, followed, now()),
    '',
    'The metrics:',
    '',
    '',
  ].join('\n');
  const pieces = tell(text, page.write([view], 'text'));
  await sendPieces(request, response, {
    type: 'text/plain; charset=utf-8',
    vary: 'Accept-Encoding',
    pieces,
  });
}

type How = 'started' | 'joined' | 'reused';

/** A collector decides at once whether a new collection starts, so the trace tells it right after the call. */
function askAndFollow(
  collector: Collector,
  trace: Trace,
  patienceMs: number,
): { answered: Promise<CloudView>; how: How; followed: CollectionTrace | undefined } {
  const before = trace.latest();
  const wasRunning = before?.isRunning() === true;
  const answered = collector.answer({ patienceMs });
  const followed = trace.latest();
  return { answered, followed, how: followed !== before ? 'started' : wasRunning ? 'joined' : 'reused' };
}

function describeScrape(how: How, followed: CollectionTrace | undefined, askedAt: number): string {
  if (how === 'started') return 'This scrape started a collection:';
  const seconds = ((askedAt - (followed?.startedAt ?? askedAt)) / 1000).toFixed(3);
  if (how === 'joined') return `This scrape joined a collection that had been running for ${seconds} s:`;
  return `This scrape asked the platform nothing: the snapshot is younger than max_age. It was collected ${seconds} s before:`;
}

function describeAnswer(view: CloudView, followed: CollectionTrace | undefined, now: number): string {
  const late = followed?.isRunning()
    ? 'The collection was not done when patience ended; it goes on, for the next scrape. '
    : '';
  if (!view.snapshot)
    return `${late}The answer has no numbers of servers: there is no snapshot to tell from.`;
  const { takenAt } = view.snapshot;
  const age = ((now - takenAt) / 1000).toFixed(3);
  return `${late}The answer is the snapshot of ${new Date(takenAt).toISOString()}, ${age} s old.`;
}

async function* tell(text: string, metrics: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
  yield* metrics;
}

import type { Request, Response } from 'express';
import type { CloudView, Collector, CollectorAnswer } from '../inventory/collector.ts';
import type { CollectionTrace, Trace } from '../inventory/trace.ts';
import type { MetricsPage } from '../metrics/page.ts';
import { patienceOf, timeoutHeader } from './metrics.ts';
import type { SendLong } from './send.ts';

/** A probe told to a person: what its collection did, step by step, and then the metrics it would have answered. */
export async function answerDebug(
  request: Request,
  response: Response,
  scope: { collector: Collector; trace: Trace; page: MetricsPage; send: SendLong; now: () => number },
): Promise<void> {
  const { collector, trace, page, send, now } = scope;
  const askedAt = now();
  const patienceMs = patienceOf(request.get(timeoutHeader));
  const answered = collector.answer({ patienceMs });
  // A collection that starts does so at once, so this is the one that the answer waits for.
  const followed = trace.latest();
  const view = await answered;
  const text = [
    `cloud ${view.cloud}, asked at ${new Date(askedAt).toISOString()}`,
    describeScrape(view.how, followed, askedAt),
    '',
    ...(followed?.lines() ?? []),
    '',
    describeAnswer(view, followed),
    '',
    'The metrics:',
    '',
    '',
  ].join('\n');
  const pieces = tell(text, page.write([view], 'text'));
  await send(request, response, {
    type: 'text/plain; charset=utf-8',
    vary: 'Accept-Encoding',
    pieces,
  });
}

function describeScrape(
  how: CollectorAnswer['how'],
  followed: CollectionTrace | undefined,
  askedAt: number,
): string {
  if (how === 'started') return 'This scrape started a collection:';
  const seconds = ((askedAt - (followed?.startedAt ?? askedAt)) / 1000).toFixed(3);
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

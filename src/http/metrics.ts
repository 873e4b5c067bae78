import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { Collector } from '../inventory/collector.ts';
import { formats } from '../metrics/exposition.ts';
import type { MetricsPage } from '../metrics/page.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import { acceptsGzip, chooseFormat } from './negotiate.ts';

/** Left for the answer itself to be written and to travel. */
const reserveMs = 500;
/** Prometheus always says how long it waits; a person with curl is given this long. */
const patienceWithoutHeaderMs = 30_000;

export function patienceOf(scrapeTimeoutSeconds: string | undefined): number {
  const seconds = Number(scrapeTimeoutSeconds);
  if (!scrapeTimeoutSeconds || !Number.isFinite(seconds)) return patienceWithoutHeaderMs;
  return Math.max(0, seconds * 1000 - reserveMs);
}

/** Answers a scrape of these clouds: 200, whatever the platform does. */
export async function answerScrape(
  request: Request,
  response: Response,
  scope: { collectors: readonly Collector[]; page: MetricsPage; self?: SelfMetrics },
): Promise<void> {
  const format = chooseFormat(request.get('accept'));
  const isZipped = acceptsGzip(request.get('accept-encoding'));
  response.status(200).set({ 'Content-Type': formats[format], Vary: 'Accept, Accept-Encoding' });
  if (isZipped) response.set('Content-Encoding', 'gzip');
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const patienceMs = patienceOf(request.get('x-prometheus-scrape-timeout-seconds'));
  const views = await Promise.all(scope.collectors.map((collector) => collector.answer({ patienceMs })));
  const body = Readable.from(scope.page.write(views, format, scope.self));
  // Level 1 costs a third of the usual level's time for a fifth more bytes.
  if (isZipped) await pipeline(body, createGzip({ level: 1 }), response);
  else await pipeline(body, response);
}

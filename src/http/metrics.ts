import type { Request, Response } from 'express';
import type { Collector } from '../inventory/collector.ts';
import type { MetricsPage } from '../metrics/page.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import { negotiate } from './negotiate.ts';
import { sendPieces } from './send.ts';

/** Left for the answer itself to be written and to travel. */
const reserveMs = 500;
/** Prometheus always says how long it waits; a person with curl is given this long. */
const patienceWithoutHeaderMs = 30_000;

export function patienceOf(scrapeTimeoutSeconds: string | undefined): number {
  const seconds = Number(scrapeTimeoutSeconds);
  if (!scrapeTimeoutSeconds || !Number.isFinite(seconds)) return patienceWithoutHeaderMs;
  return Math.max(0, seconds * 1000 - reserveMs);
}

/**
 * The part of the metrics that `collect[]` asks for, as in other exporters; nothing for a word that means none. Where
 * each cloud is a target of its own, what is left is the exporter's state, which no cloud may delay.
 */
export function askedPart(collect: unknown): 'all' | 'exporter' | undefined {
  if (collect === undefined) return 'all';
  return collect === 'exporter' ? 'exporter' : undefined;
}

/** Answers a scrape of these clouds: 200, whatever the platform does. */
export async function answerScrape(
  request: Request,
  response: Response,
  scope: { collectors: readonly Collector[]; page: MetricsPage; self?: SelfMetrics },
): Promise<void> {
  const { format, type } = negotiate(request.get('accept'));
  const patienceMs = patienceOf(request.get('x-prometheus-scrape-timeout-seconds'));
  // Who asks for the headers only costs the platform nothing.
  const asked = request.method === 'HEAD' ? [] : scope.collectors;
  const views = await Promise.all(asked.map((collector) => collector.answer({ patienceMs })));
  const pieces = scope.page.write(views, format, scope.self);
  await sendPieces(request, response, { type, vary: 'Accept, Accept-Encoding', pieces });
}

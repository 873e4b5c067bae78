import { setTimeout as wait } from 'node:timers/promises';
import { cloudsJob } from './observation.ts';
import type { Part } from './part.ts';
import type { Stage } from './stage.ts';
import { ownMetric } from './store.ts';

export interface PartCost {
  readonly name: string;
  /** CPU seconds for each interval, by the kernel's account of the process. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

export interface Cost {
  readonly parts: readonly PartCost[];
  /** Of a scrape of one cloud; by the wall clock. */
  readonly scrapeSeconds: { readonly median: number; readonly p99: number };
  readonly series: number;
  readonly samplesPerSecond: number;
  readonly requestsPerSecond: number;
  /** Evaluations of groups of rules that were made, and those that were left out because the one before took too long. */
  readonly evaluations: { readonly made: number; readonly missed: number };
}

/** What everything costs while nothing happens, over some scrapes of each cloud. */
export async function measureCost(stage: Stage): Promise<Cost> {
  const { size, store, exporters, agents, storePart, rulesPart } = stage;
  const parts = [...exporters, ...agents, storePart, rulesPart];
  const windowSeconds = size.rounds * size.intervalSeconds;
  for (const part of parts) part.resetPeak();
  const rowsBefore = await ownMetric(storePart.url, /^vm_rows_inserted_total/);
  const madeBefore = await ownMetric(rulesPart.url, /^vmalert_iteration_total/);
  const missedBefore = await ownMetric(rulesPart.url, /^vmalert_iteration_missed_total/);
  const cpuBefore = parts.map((part) => part.cpuMs());
  const startedAt = performance.now();
  await wait(windowSeconds * 1000);
  const seconds = (performance.now() - startedAt) / 1000;
  const costs = parts.map((part, index) => costOf(part, (part.cpuMs() - cpuBefore[index]!) / seconds, size));
  const rows = (await ownMetric(storePart.url, /^vm_rows_inserted_total/)) - rowsBefore;
  const one = async (expression: string) => (await store.query(expression))[0]?.value ?? NaN;
  const duration = `avg_over_time(scrape_duration_seconds{job="${cloudsJob}"}[${windowSeconds}s])`;
  return {
    parts: costs,
    scrapeSeconds: {
      median: await one(`quantile(0.5, ${duration})`),
      p99: await one(`quantile(0.99, ${duration})`),
    },
    series: await ownMetric(storePart.url, /^vm_cache_entries\{type="storage\/hour_metric_ids"\}/),
    samplesPerSecond: rows / seconds,
    evaluations: {
      made: (await ownMetric(rulesPart.url, /^vmalert_iteration_total/)) - madeBefore,
      missed: (await ownMetric(rulesPart.url, /^vmalert_iteration_missed_total/)) - missedBefore,
    },
    requestsPerSecond: await one(`sum(rate(cloud_exporter_api_requests_total[${windowSeconds}s]))`),
  };
}

function costOf(part: Part, cpuMsPerSecond: number, { intervalSeconds }: Stage['size']): PartCost {
  return {
    name: part.name,
    cpuSeconds: (cpuMsPerSecond * intervalSeconds) / 1000,
    peakBytes: part.peakBytes(),
  };
}

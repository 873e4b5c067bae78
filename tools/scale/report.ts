import { count, megabytes, table } from '../bench/report.ts';
import type { Cost } from './cost.ts';
import type { Day } from './day.ts';
import { leanLine } from './memory.ts';
import type { Verdict } from './observation.ts';
import type { Size } from './size.ts';

export function headLine(size: Size, heldAlerts: boolean): string {
  const { clouds, servers, shards, agents, intervalSeconds } = size;
  const lines = [
    `${count(clouds)} clouds of ${count(servers)} servers, ${shards} exporters, ${agents} Prometheus agents, one VictoriaMetrics, one vmalert; a scrape every ${intervalSeconds} s`,
  ];
  if (!heldAlerts)
    lines.push(
      'This vmalert is older than 1.92.0 and does not know keep_firing_for: the rules are loaded without it.',
    );
  if (size.lean) lines.push(leanLine(size));
  return lines.join('\n');
}

export function costTable(cost: Cost, { intervalSeconds }: Size): string {
  const rows = cost.parts.map(({ name, cpuSeconds, peakBytes }) => [
    name,
    cpuSeconds.toFixed(2),
    (cpuSeconds / intervalSeconds).toFixed(3),
    megabytes(peakBytes),
  ]);
  const { scrapeSeconds, series, samplesPerSecond, requestsPerSecond, evaluations } = cost;
  return [
    table(['part', 'CPU s a scrape of all', 'cores', 'peak RSS MB'], rows),
    `scrape of one cloud: median ${scrapeSeconds.median.toFixed(2)} s, 99 % within ${scrapeSeconds.p99.toFixed(2)} s`,
    `${count(series)} series, ${count(Math.round(samplesPerSecond))} samples a second`,
    `${requestsPerSecond.toFixed(1)} requests a second to the platforms`,
    `${evaluations.made} evaluations of groups of rules, ${evaluations.missed} left out because the one before took too long`,
  ].join('\n\n');
}

export function verdictLine({ title, holds, numbers }: Verdict): string {
  return `${holds ? 'PASS' : 'FAIL'}  ${title}\n      ${numbers}`;
}

export function dayLine({ scrapes, samples, sampleBytes, indexBytes }: Day, servers: number): string {
  const perSample = (sampleBytes / samples).toFixed(2);
  return `a day of a cloud of ${count(servers)} servers, ${count(scrapes)} scrapes: ${count(samples)} samples in ${megabytes(sampleBytes)} MB (${perSample} bytes each), and ${(indexBytes / 1e6).toFixed(1)} MB of index`;
}

import type { ContestantId } from './contestants.ts';
import type { Heat } from './race.ts';
import { megabyte, of, type Findings } from './report.ts';

export interface Promised {
  readonly words: string;
  /** Undefined where a contestant or a size is missing. */
  readonly value: number | undefined;
  readonly atMost: number;
}

/** What must hold, in figures: each line passes or fails, and says by how much. */
export function judge(findings: Findings, usual: { pageSize: number }): string {
  return verdicts(promises(findings, usual));
}

export function verdicts(promised: readonly Promised[]): string {
  return promised
    .flatMap(({ words, value, atMost }) =>
      value === undefined
        ? []
        : `- ${value <= atMost ? 'PASS' : 'FAIL'}: ${words}: ${value.toFixed(2)} (at most ${atMost})`,
    )
    .join('\n');
}

function promises(findings: Findings, usual: { pageSize: number }): Promised[] {
  const { heats, slow, endurance, written } = findings;
  const four = slow.find((run) => run.concurrency === 4 && run.pageSize === usual.pageSize);
  const share = written.own.series / 600_000;

  return [
    ...racePromises(findings),
    {
      words: `peak RSS after ${endurance.collections} collections of ${endurance.servers} servers, × after 5`,
      value: endurance.lateBytes / endurance.earlyBytes,
      atMost: 1.1,
    },
    { words: 'CPU of the text of 600,000 series, s', value: written.own.cpuMs / 1000 / share, atMost: 0.5 },
    { words: 'longest block of the event loop by it, ms', value: written.own.longestBlockMs, atMost: 25 },
    { words: "texts that differ from prom-client's, sorted", value: Number(!written.isSame), atMost: 0 },
    ...healthPromises(findings),
    {
      words: 'four pages at once on a slow platform, later scrapes, × its own time',
      value: divide(four?.wallMs, four?.leastMs),
      atMost: 1.15,
    },
    ...hostPromises(findings),
    {
      words: 'pages asked for twice',
      value: [...heats, ...slow].reduce((sum, run) => sum + run.pagesAskedTwice, 0),
      atMost: 0,
    },
  ];
}

/** What a scrape may cost beside others that do the same. */
export function racePromises({ heats }: Pick<Findings, 'heats'>): Promised[] {
  const heat = (servers: number, perServer: boolean) =>
    heats.find((one) => one.servers === servers && one.perServer === perServer);
  const sizes = heats.map(({ servers }) => servers);
  const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)];
  const sums = heat(largest, false);
  const single = heat(largest, true);
  const cpu = (one: Heat | undefined, id: ContestantId) => one && of(one, id)?.cpuMs;
  const peak = (one: Heat | undefined) => one && of(one, 'ours')?.peakBytes;
  const perServer = (servers: number) => divide(cpu(heat(servers, false), 'ours'), servers);

  return [
    { words: 'CPU of sums, × the floor', value: divide(cpu(sums, 'ours'), cpu(sums, 'floor')), atMost: 1.45 },
    {
      words: 'CPU of sums, × Go with encoding/json',
      value: divide(cpu(sums, 'ours'), cpu(sums, 'go')),
      atMost: 0.6,
    },
    {
      words: 'CPU of sums, × Go with json-iterator',
      value: divide(cpu(sums, 'ours'), cpu(sums, 'goFast')),
      atMost: 1.35,
    },
    { words: 'peak RSS with sums, MB', value: divide(peak(sums), megabyte), atMost: 200 },
    {
      words: 'peak RSS with sums, × that of 10,000 servers',
      value: divide(peak(sums), peak(heat(10_000, false))),
      atMost: 1.25,
    },
    {
      words: 'CPU with single servers, × Go with encoding/json',
      value: divide(cpu(single, 'ours'), cpu(single, 'go')),
      atMost: 0.4,
    },
    {
      words: `CPU per server at ${largest}, × at ${smallest}`,
      value: divide(perServer(largest), perServer(smallest)),
      atMost: 1.25,
    },
  ];
}

/** How long a health check may wait. */
export function healthPromises({ health }: Pick<Findings, 'health'>): Promised[] {
  return [
    { words: '/-/healthy with sums, p99 ms', value: health.sums.p99Ms, atMost: 25 },
    { words: '/-/healthy with sums, worst ms', value: health.sums.worstMs, atMost: 50 },
    { words: '/-/healthy with single servers, p99 ms', value: health.single.p99Ms, atMost: 25 },
    { words: '/-/healthy with single servers, worst ms', value: health.single.worstMs, atMost: 50 },
  ];
}

/** What it may cost to list hosts too. */
export function hostPromises({
  hosts: { hosts, without, listed, cpuRatio },
}: Pick<Findings, 'hosts'>): Promised[] {
  return [
    { words: 'CPU with hosts listed, × without', value: cpuRatio, atMost: 1.05 },
    {
      words: 'peak RSS more with hosts listed, MB',
      value: (listed.peakBytes - without.peakBytes) / megabyte,
      atMost: 15,
    },
    { words: 'series a host that is listed', value: (listed.series - without.series) / hosts, atMost: 8 },
  ];
}

function divide(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Contestant, Task } from './contestants.ts';
import type { Platform } from './platform.ts';
import { startProgram } from './program.ts';
import { gapMs, median } from './race.ts';
import { inspect, scrape, type Scrape } from './scrape.ts';

export interface HostsPrice {
  readonly servers: number;
  readonly hosts: number;
  readonly without: Priced;
  readonly listed: Priced;
}

export interface Priced {
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly series: number;
}

/** Scrapes that are not counted, while the engine compiles. */
const warmUps = 10;

/** What it costs to list hosts too: the same cloud with list_hosts and without, in turn, round after round. */
export async function priceHosts(input: {
  platform: Platform;
  ours: Contestant;
  task: Omit<Task, 'cloud'>;
  servers: number;
  hosts: number;
  rounds: number;
}): Promise<HostsPrice> {
  const { platform, ours, task, servers, hosts, rounds } = input;
  const cloud = await platform.cloud({ servers, hosts });
  const runners = [];
  for (const listHosts of [false, true]) {
    const program = await startProgram(ours.start({ ...task, cloud, listHosts }));
    const { series } = await inspect(program);
    runners.push({ program, series, scrapes: [] as Scrape[] });
  }
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const { program, scrapes } of runners) {
      await wait(round < warmUps ? 0 : gapMs);
      const one = await scrape(program);
      if (round >= warmUps) scrapes.push(one);
    }
  }
  for (const { program } of runners) await program.stop();
  const [without, listed] = runners.map(({ series, scrapes }) => ({
    series,
    cpuMs: median(scrapes.map(({ cpuMs }) => cpuMs)),
    peakBytes: median(scrapes.map(({ peakBytes }) => peakBytes)),
  }));
  return { servers, hosts, without: without!, listed: listed! };
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Contestant, Task } from './contestants.ts';
import type { Platform } from './platform.ts';
import { startProgram, type Program } from './program.ts';
import { gapMs, median } from './race.ts';
import { inspect, scrape, type Scrape } from './scrape.ts';

export interface HostsPrice {
  readonly servers: number;
  readonly hosts: number;
  readonly without: Priced;
  readonly listed: Priced;
  /**
   * Of all scrapes together, with hosts × without. Now and then a scrape pays for collecting all garbage; a median would
   * leave that out, or not, by chance.
   */
  readonly cpuRatio: number;
}

export interface Priced {
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly series: number;
}

/** Scrapes that are not counted, while the engine compiles. */
const warmUps = 24;

/**
 * What it costs to list hosts too: the same cloud with list_hosts and without, in turn, round after round, and each of
 * them first as often as the other. A machine's speed changes within minutes by more than hosts cost, but less within
 * the seconds of a round.
 */
export async function priceHosts(input: {
  platform: Platform;
  ours: Contestant;
  task: Omit<Task, 'cloud'>;
  servers: number;
  hosts: number;
  rounds: number;
}): Promise<HostsPrice> {
  const { platform, ours, task, servers, hosts, rounds } = input;
  // With the default settings, so needed fields: with whole records all else costs more, and hosts seem to cost less.
  const cloud = await platform.liveCloud(servers, hosts);
  const runners: { program: Program; series: number; scrapes: Scrape[] }[] = [];
  for (const listHosts of [false, true]) {
    const program = await startProgram(ours.start({ ...task, cloud, listHosts }));
    const { series } = await inspect(program);
    runners.push({ program, series, scrapes: [] });
  }
  for (let round = 0; round < warmUps + rounds; round += 1) {
    // What is written of a host is kept while nothing changes on it, which would be too kind.
    await platform.change(cloud, 100);
    for (const { program, scrapes } of round % 2 === 0 ? runners : runners.toReversed()) {
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
  const [allWithout, allListed] = runners.map(({ scrapes }) =>
    scrapes.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  );
  return { servers, hosts, without: without!, listed: listed!, cpuRatio: allListed! / allWithout! };
}

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { startPrometheus } from '../support/real-programs.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { discoveredClouds } from './discovery.ts';
import { singleServers } from './plain-jobs.ts';
import { replacedPod } from './replaced-pod.ts';

function lint(text: string): string {
  return execFileSync(pathOf('promtool'), ['check', 'metrics'], { input: text, encoding: 'utf8' });
}

describeWith(['promtool'], 'promtool', () => {
  it('finds nothing to say about a scrape, healthy or failed, single servers included', async () => {
    const cloud = await simulate({ servers: 300 });
    const exporter = await runExporter({ one: settingsFor(cloud, { per_server: true }) });
    expect(lint(await exporter.text('/metrics'))).toBe('');
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 500 } });
    expect(lint(await exporter.text('/metrics'))).toBe('');
    expect(lint(await exporter.text('/probe?cloud=one'))).toBe('');
  });
});

const scenes = {
  'every family, and each in its own words': singleServers,
  'the clouds that an exporter names, each by itself': discoveredClouds,
  'a pod that is replaced, and counts nothing twice': replacedPod,
};

describeWith(['prometheus'], 'one real Prometheus', () => {
  it('scrapes whatever it is told to', async () => {
    const opened = Object.entries(scenes).map(async ([words, open]) => ({ words, ...(await open()) }));
    const set = await Promise.all(opened);
    const prometheus = await startPrometheus({
      global: { scrape_interval: '2s', scrape_timeout: '2s' },
      scrape_configs: set.flatMap(({ jobs }) => jobs),
    });
    for (const { words, check } of set)
      await check(prometheus).catch((cause: unknown) => {
        throw new Error(`A real Prometheus does not scrape ${words}`, { cause });
      });
  });
});

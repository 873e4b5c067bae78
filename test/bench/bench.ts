import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareContestants } from './contestants.ts';
import { watchHealth } from './health.ts';
import { startPlatform } from './platform.ts';
import { race, type Heat } from './race.ts';
import { healthLine, heatTable, machineLine, slowTable, verdicts, type Findings } from './report.ts';
import { timeSlowPlatform } from './slow-platform.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sizes: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const sizes = (values.sizes ?? (values.quick ? '1000,10000' : '1000,10000,100000')).split(',').map(Number);
const rounds = Number(values.rounds ?? (values.quick ? 3 : 5));

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'exporter-bench-'));
const platform = startPlatform();
const { contestants, missing } = prepareContestants(folder);
for (const words of missing) say(words);
const ours = contestants.find(({ id }) => id === 'ours')!;
const usual = { pageSize: 500, concurrency: 4 };

const heats: Heat[] = [];
for (const servers of sizes) {
  const cloud = await platform.cloud({ servers });
  for (const perServer of [false, true]) {
    say(`${servers} servers, ${perServer ? 'single servers too' : 'sums only'}: ${rounds} rounds`);
    heats.push(await race({ platform, contestants, servers, task: { cloud, perServer, ...usual }, rounds }));
  }
}
const largest = Math.max(...sizes);
say(`health while ${largest} servers are collected`);
const task = { cloud: await platform.cloud({ servers: largest }), perServer: false, ...usual };
const health = await watchHealth(ours, task, Math.min(rounds, 3));
say('a slow platform');
const slow = await timeSlowPlatform(platform, ours, values.quick ? 2000 : 10_000);
platform.stop();
rmSync(folder, { recursive: true, force: true });

const findings: Findings = { heats, health, slow };
const report = [
  '# Benchmark',
  'Written by `npm run bench`. All contestants do the same work against the same simulated cloud, in processes of their own, in turn, with three seconds between two scrapes of each; medians. Ratios hold better than times.',
  machineLine(rounds),
  ...heats.map(heatTable),
  healthLine(findings),
  slowTable(slow),
  '## What should hold',
  verdicts(findings),
].join('\n\n');
say(report);
if (!values.quick) writeFileSync(join('docs', 'benchmark.md'), `${report}\n`);

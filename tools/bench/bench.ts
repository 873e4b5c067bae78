import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cloudShape } from '../../src/config/schema.ts';
import { replaceSection } from '../docs/section.ts';
import { prepareContestants } from './contestants.ts';
import { endure } from './endurance.ts';
import type { WrittenTwice } from './exposition-alone.ts';
import { watchHealth } from './health.ts';
import { priceHosts } from './hosts.ts';
import { modePromises, modeSizingTable, modesTable, tryModes, type ModeRun } from './modes.ts';
import { tryPageSizes } from './page-sizes.ts';
import { startPlatform } from './platform.ts';
import { compiled } from './program.ts';
import { healthPromises, hostPromises, judge, racePromises, verdicts } from './promises.ts';
import { race, type Heat } from './race.ts';
import * as report from './report.ts';
import { sizingTable } from './sizing.ts';
import { timeSlowPlatform } from './slow-platform.ts';
import { compareVersions, recordKinds, versionPromises, versionsTable } from './versions.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sizes: { type: 'string' },
    rounds: { type: 'string' },
    'hosts-only': { type: 'boolean', default: false },
    'health-only': { type: 'boolean', default: false },
    'modes-only': { type: 'boolean', default: false },
    'sums-only': { type: 'boolean', default: false },
    /** A folder with another version of this program. */
    against: { type: 'string' },
    'page-size': { type: 'string', default: String(cloudShape.page_size.parse(undefined)) },
    concurrency: { type: 'string', default: String(cloudShape.concurrency.parse(undefined)) },
  },
});
const { quick } = values;
const sizes = (values.sizes ?? (quick ? '1000,10000' : '1000,10000,100000')).split(',').map(Number);
const rounds = Number(values.rounds ?? (quick ? 3 : 5));
const healthRounds = Math.min(rounds, 3);
const usual = { pageSize: Number(values['page-size']), concurrency: Number(values.concurrency) };
const largest = Math.max(...sizes);
const modeRounds = quick ? 4 : 10;
/** The difference is small beside what two scrapes differ by chance. */
const hostRounds = quick ? 4 : 30;
const sizingPage = join('docs', 'sizing.md');

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'exporter-bench-'));
const platform = startPlatform();
const { contestants, missing } = prepareContestants(folder);
for (const words of missing) say(words);
const ours = contestants.find(({ id }) => id === 'ours')!;
const go = contestants.find(({ id }) => id === 'goFast');

async function hostsPart(): Promise<report.Findings['hosts']> {
  // Of the largest fleet that was measured, a host for 25 servers.
  const [servers, hosts] = [largest, Math.ceil(largest / 25)];
  say(`${hosts} hosts beside ${servers} servers: ${hostRounds} rounds`);
  const task = { perServer: false, ...usual };
  return priceHosts({ platform, ours, task, servers, hosts, rounds: hostRounds });
}

/** Of the largest fleet, and of 10,000 servers. */
async function modesPart(): Promise<ModeRun[]> {
  const runs: ModeRun[] = [];
  for (const servers of new Set([10_000, largest])) {
    say(`${servers} servers, of which some change: ${modeRounds} rounds`);
    const task = { perServer: false, ...usual };
    runs.push(...(await tryModes({ platform, ours, go, task, servers, rounds: modeRounds })));
  }
  return runs;
}

async function healthPart(): Promise<report.Findings['health']> {
  say(`health while ${largest} servers are collected, then 12 clouds of 10000`);
  const task = { cloud: await platform.cloud({ servers: largest }), perServer: false, ...usual };
  const clouds = { ...task, cloud: await platform.cloud({ servers: 10_000 }), clouds: 12 };
  return {
    servers: largest,
    sums: await watchHealth(ours, task, healthRounds),
    single: await watchHealth(ours, { ...task, perServer: true }, healthRounds),
    clouds: await watchHealth(ours, clouds, healthRounds),
  };
}

async function racePart(wanted: readonly boolean[]): Promise<Heat[]> {
  const heats: Heat[] = [];
  for (const servers of sizes) {
    const cloud = await platform.cloud({ servers });
    for (const perServer of wanted) {
      say(`${servers} servers, ${perServer ? 'single servers too' : 'sums only'}: ${rounds} rounds`);
      heats.push(
        await race({ platform, contestants, servers, task: { cloud, perServer, ...usual }, rounds }),
      );
    }
  }
  return heats;
}

/** The parts that can be run by themselves. */
const alone = {
  async 'sums-only'() {
    const heats = await racePart([false]);
    return [report.machineLine(rounds), ...heats.map(report.heatTable), verdicts(racePromises({ heats }))];
  },
  async 'modes-only'() {
    const runs = await modesPart();
    return [report.machineLine(modeRounds), modesTable(runs), verdicts(modePromises(runs))];
  },
  async 'hosts-only'() {
    const hosts = await hostsPart();
    return [report.machineLine(hostRounds), report.hostsTable({ hosts }), verdicts(hostPromises({ hosts }))];
  },
  async 'health-only'() {
    const health = await healthPart();
    const promised = verdicts(healthPromises({ health }));
    return [report.machineLine(healthRounds), report.healthTable({ health }), promised];
  },
  async against() {
    const runs = [];
    const task = { perServer: false, ...usual };
    const input = { platform, against: values.against!, go, task, folder, rounds };
    for (const servers of sizes)
      for (const records of recordKinds) runs.push(await compareVersions({ ...input, servers, records }));
    const promised = verdicts(runs.flatMap(versionPromises));
    return [report.machineLine(rounds), ...runs.map(versionsTable), promised];
  },
};

const chosen = (Object.keys(alone) as (keyof typeof alone)[]).find((part) => values[part]);
if (chosen) {
  say((await alone[chosen]()).join('\n\n'));
  platform.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

const heats = await racePart([false, true]);
const task = { cloud: await platform.cloud({ servers: largest }), perServer: false, ...usual };
const health = await healthPart();

const collections = quick ? 30 : 100;
say(`${collections} collections of ${quick ? sizes[0] : largest} servers`);
const lasting = quick ? { ...task, cloud: await platform.cloud({ servers: sizes[0]! }) } : task;
const endurance = await endure(ours, lasting, { servers: quick ? sizes[0]! : largest, collections });

say('the text alone');
const writer = fork(compiled('exposition-alone.js'), [String(largest)]);
const [written] = (await once(writer, 'message')) as [WrittenTwice];

const hosts = await hostsPart();
const modeRuns = await modesPart();

say('a slow platform');
const pageSizes = quick ? [usual.pageSize] : [...new Set([usual.pageSize, 500])];
const slow = await timeSlowPlatform(platform, ours, { servers: quick ? 2000 : 10_000, pageSizes });

say('page sizes');
const findings: report.Findings = {
  heats,
  health,
  endurance,
  written,
  hosts,
  slow,
  pageSizes: quick ? [] : await tryPageSizes(ours, task, healthRounds),
};
platform.stop();
rmSync(folder, { recursive: true, force: true });

const text = [
  '# Benchmark',
  'Written by `npm run bench`. All contestants do the same work against the same simulated cloud (all 106 documented fields, 4.2 KB a server), in processes of their own, in turn, with at least three seconds between two scrapes of each; medians. Ratios hold better than times.',
  report.machineLine(rounds),
  `Pages of ${usual.pageSize} servers, ${usual.concurrency} at once, as by default.`,
  ...missing,
  ...heats.map(report.heatTable),
  report.healthTable(findings),
  report.enduranceTable(findings),
  report.writerTable(findings),
  report.hostsTable(findings),
  modesTable(modeRuns),
  report.slowTable(findings),
  ...(findings.pageSizes.length > 0 ? [report.pageSizeTable(findings)] : []),
  '## What must hold',
  judge(findings, usual),
  verdicts(modePromises(modeRuns)),
].join('\n\n');
say(text);
if (!quick) {
  writeFileSync(join('tools', 'bench', 'results.md'), `${text}\n`);
  const page = replaceSection(
    readFileSync(sizingPage, 'utf8'),
    'sizing',
    sizingTable(heats, usual.concurrency),
  );
  writeFileSync(sizingPage, replaceSection(page, 'modes', modeSizingTable(modeRuns)));
}

import { Gauge, Registry } from 'prom-client';
import { createSnapshotIntake, type Snapshot } from '../../src/inventory/snapshot.ts';
import { renderBlock, renderHeader } from '../../src/metrics/exposition.ts';
import { serverFamilies } from '../../src/metrics/servers.ts';
import { createServerReader } from '../../src/platform/server.ts';
import { createFleet } from '../../src/simulator/fleet.ts';

/** A process of its own: writes six families of single servers, and has prom-client write the same. */

export interface Written {
  readonly series: number;
  readonly cpuMs: number;
  readonly longestBlockMs: number;
}

export interface WrittenTwice {
  readonly own: Written;
  readonly promClient: Written;
  /** Whether both texts are the same when their lines are sorted. */
  readonly isSame: boolean;
}

const families = serverFamilies.slice(0, 6);
const rounds = 5;

function takeSnapshot(servers: number): Snapshot {
  const now = Date.now();
  const settings = {
    cloud: 'default',
    extraLabels: [],
    bytesPer: { memory: 2 ** 20, disk: 2 ** 20 },
    problems: { limit: 1000, stuckAfterMs: 3_600_000, expiringWithinMs: 7 * 86_400_000 },
    perServer: true,
    seriesLimit: servers * 10,
  };
  const intake = createSnapshotIntake(settings, now, true);
  const read = createServerReader([]);
  const found = createFleet({ servers }).servers.map((record) => read(JSON.parse(JSON.stringify(record))));
  for (const server of found) if (typeof server !== 'string') intake.add(server, 0);
  return intake.finish(now, { reported: servers, received: servers, rejected: new Map(), pages: 1 });
}

async function writeOwn(snapshot: Snapshot): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for (const family of families) {
    chunks.push(renderHeader(family, 'text'), ...(await renderBlock(family, snapshot)).chunks);
  }
  return chunks;
}

async function writeWithPromClient(snapshot: Snapshot): Promise<Buffer[]> {
  const registry = new Registry();
  for (const { name, help, labels, samples } of families) {
    const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
    for (const [values, value] of samples(snapshot)) {
      gauge.set(Object.fromEntries(labels.map((label, index) => [label, values[index]!])), value);
    }
  }
  return [Buffer.from(await registry.metrics())];
}

/** What a piece of work costs, and the longest time for which nothing else had its turn meanwhile. */
async function measure<Done>(
  work: () => Promise<Done>,
): Promise<{ done: Done; cpuMs: number; longestBlockMs: number }> {
  let [longestBlockMs, lastTurnAt, isOver] = [0, performance.now(), false];
  const look = () => {
    const now = performance.now();
    longestBlockMs = Math.max(longestBlockMs, now - lastTurnAt);
    lastTurnAt = now;
    if (!isOver) setImmediate(look);
  };
  look();
  const before = process.cpuUsage();
  const done = await work();
  const { user, system } = process.cpuUsage(before);
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  return { done, cpuMs: (user + system) / 1000, longestBlockMs };
}

function sortedLines(chunks: readonly Buffer[]): string[] {
  const lines = Buffer.concat(chunks).toString().split('\n');
  return lines.filter((line) => line !== '').toSorted();
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

const middle = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const servers = Number(process.argv[2]);
const snapshot = takeSnapshot(servers);
const series = servers * families.length;
await writeOwn(snapshot);
const runs = [];
for (let round = 0; round < rounds; round += 1) runs.push(await measure(() => writeOwn(snapshot)));
const rival = await measure(() => writeWithPromClient(snapshot));
process.send!({
  own: {
    series,
    cpuMs: middle(runs.map(({ cpuMs }) => cpuMs)),
    longestBlockMs: middle(runs.map(({ longestBlockMs }) => longestBlockMs)),
  },
  promClient: { series, cpuMs: rival.cpuMs, longestBlockMs: rival.longestBlockMs },
  isSame: isSame(sortedLines(runs[0]!.done), sortedLines(rival.done)),
} satisfies WrittenTwice);

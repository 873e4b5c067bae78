import { Gauge, Registry } from 'prom-client';
import { createSlices, render, renderHeader } from '../../src/metrics/exposition.ts';
import { serverTables } from '../../src/metrics/servers.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { snapshotOf } from '../../test/metrics/hand-made.ts';

/** A process of its own: writes the families of single servers, and has prom-client write the same. */

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

type Write = (servers: readonly Server[], stopwatch: Stopwatch) => Promise<Buffer[]>;

const rounds = 5;

async function writeOwn(servers: readonly Server[], stopwatch: Stopwatch): Promise<Buffer[]> {
  const snapshot = snapshotOf({ servers });
  const slices = createSlices(async () => {
    stopwatch.stop();
    await new Promise((resolve) => setImmediate(resolve));
    stopwatch.start();
  });
  const chunks: Buffer[] = [];
  for (const table of serverTables)
    for (const [index, block] of (await render(table, snapshot, slices)).entries())
      chunks.push(renderHeader(table.families[index]!, 'text'), ...block.chunks);
  return chunks;
}

async function writeWithPromClient(servers: readonly Server[]): Promise<Buffer[]> {
  const snapshot = snapshotOf({ servers });
  const registers = [new Registry()];
  for (const { families, labels, samples } of serverTables) {
    const labelNames = ['cloud', ...labels(snapshot)];
    const gauges = families.map(({ name, help }) => new Gauge({ name, help, labelNames, registers }));
    for (const [values, numbers] of samples(snapshot)) {
      const all = [snapshot.cloud, ...values];
      const named = Object.fromEntries(labelNames.map((label, index) => [label, all[index]!]));
      for (const [index, number] of numbers.entries())
        if (number !== undefined) gauges[index]!.set(named, number);
    }
  }
  return [Buffer.from(await registers[0]!.metrics())];
}

interface Stopwatch {
  start(): void;
  stop(): void;
  readonly total: { cpuMs: number; longestBlockMs: number };
}

/** Adds up pieces of work; each blocks the event loop from its start to its stop. */
function createStopwatch(): Stopwatch {
  const total = { cpuMs: 0, longestBlockMs: 0 };
  let startedAt = 0;
  let before = process.cpuUsage();
  return {
    total,
    start() {
      startedAt = performance.now();
      before = process.cpuUsage();
    },
    stop() {
      const { user, system } = process.cpuUsage(before);
      total.cpuMs += (user + system) / 1000;
      total.longestBlockMs = Math.max(total.longestBlockMs, performance.now() - startedAt);
    },
  };
}

async function measure(write: Write, servers: readonly Server[]) {
  const stopwatch = createStopwatch();
  stopwatch.start();
  const chunks = await write(servers, stopwatch);
  stopwatch.stop();
  return { chunks, ...stopwatch.total };
}

function sortedLines(chunks: readonly Buffer[]): string[] {
  const lines = Buffer.concat(chunks).toString().split('\n');
  return lines.filter((line) => line !== '').toSorted();
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

const middle = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const read = createServerReader([]);
/** The simulated records are let go of: they would make the collection of garbage dear. */
const servers = createFleet({ servers: Number(process.argv[2]) }).servers.map(
  (record) => read(JSON.parse(JSON.stringify(record))) as Server,
);
await measure(writeOwn, servers);
const runs = [];
let ownChunks: Buffer[] = [];
for (let round = 0; round < rounds; round += 1) {
  const { chunks, ...costs } = await measure(writeOwn, servers);
  runs.push(costs);
  ownChunks = chunks;
}
const rival = await measure(writeWithPromClient, servers);
const isSample = (line: string) => line !== '' && !line.startsWith('#');
const series = sortedLines(ownChunks).filter(isSample).length;
process.send!({
  own: {
    series,
    cpuMs: middle(runs.map(({ cpuMs }) => cpuMs)),
    longestBlockMs: middle(runs.map(({ longestBlockMs }) => longestBlockMs)),
  },
  promClient: { series, cpuMs: rival.cpuMs, longestBlockMs: rival.longestBlockMs },
  isSame: isSame(sortedLines(ownChunks), sortedLines(rival.chunks)),
} satisfies WrittenTwice);

import { Gauge, Registry } from 'prom-client';
import { renderHeader } from '../../src/metrics/exposition.ts';
import { createServerText } from '../../src/metrics/server-text.ts';
import { serverFamilies } from '../../src/metrics/servers.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';

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

interface Writer {
  add(server: Server, offset: number): void;
  finish(): Buffer[] | Promise<Buffer[]>;
}

const families = serverFamilies.slice(0, 6);
const pageSize = 500;
const rounds = 5;
const settings = {
  cloud: 'default',
  extraLabels: [],
  bytesPer: { memory: 2 ** 20, disk: 2 ** 20 },
  seriesLimit: Infinity,
};
const read = createServerReader([]);

/** As bytes, like the answers of a platform: a fleet of objects would make the collection of garbage dear. */
function fleetPages(count: number): Buffer[] {
  const records = createFleet({ servers: count }).servers;
  const starts = Array.from({ length: Math.ceil(count / pageSize) }, (_, index) => index * pageSize);
  return starts.map((start) => Buffer.from(JSON.stringify(records.slice(start, start + pageSize))));
}

function createOwnWriter(): Writer {
  const text = createServerText(settings, families);
  return {
    add: text.add,
    finish() {
      const blocks = text.finish();
      return families.flatMap((family, index) => [renderHeader(family, 'text'), ...blocks[index]!.chunks]);
    },
  };
}

function createPromClientWriter(): Writer {
  const registry = new Registry();
  const writers = families.map(({ name, help, values, measure, ...family }) => {
    const others = family.labels.filter((label) => label !== 'cloud' && label !== 'id');
    const labels = ['cloud', 'id', ...others];
    const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] });
    return (server: Server) => {
      const texts = [settings.cloud, server.id, ...values(server)];
      gauge.set(
        Object.fromEntries(labels.map((label, index) => [label, texts[index]!])),
        measure(server, settings)!,
      );
    };
  });
  return {
    add(server) {
      for (const write of writers) write(server);
    },
    finish: async () => [Buffer.from(await registry.metrics())],
  };
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

/** Reads page after page, as the exporter does; only the writing counts. */
async function measure(writer: Writer, pages: readonly Buffer[]) {
  const stopwatch = createStopwatch();
  for (const [index, page] of pages.entries()) {
    const servers = (JSON.parse(page.toString()) as unknown[]).map(read) as Server[];
    stopwatch.start();
    for (const server of servers) writer.add(server, index * pageSize);
    stopwatch.stop();
  }
  stopwatch.start();
  const chunks = await writer.finish();
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

const servers = Number(process.argv[2]);
const pages = fleetPages(servers);
const series = servers * families.length;
await measure(createOwnWriter(), pages);
const runs = [];
let ownChunks: Buffer[] = [];
for (let round = 0; round < rounds; round += 1) {
  const { chunks, ...costs } = await measure(createOwnWriter(), pages);
  runs.push(costs);
  ownChunks = chunks;
}
const rival = await measure(createPromClientWriter(), pages);
process.send!({
  own: {
    series,
    cpuMs: middle(runs.map(({ cpuMs }) => cpuMs)),
    longestBlockMs: middle(runs.map(({ longestBlockMs }) => longestBlockMs)),
  },
  promClient: { series, cpuMs: rival.cpuMs, longestBlockMs: rival.longestBlockMs },
  isSame: isSame(sortedLines(ownChunks), sortedLines(rival.chunks)),
} satisfies WrittenTwice);

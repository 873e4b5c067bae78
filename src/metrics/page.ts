import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { CloudView } from '../inventory/collector.ts';
import type { Snapshot, TextBlock } from '../inventory/snapshot.ts';
import { createBudget } from './budget.ts';
import { collectionFamilies } from './collection.ts';
import { openMetricsEnd, renderBlock, renderHeader, renderTable, type Format } from './exposition.ts';
import type { Family, FamilyHead, FamilyTable } from './family.ts';
import { brokenDownTables, fleetFamilies, fleetTable } from './fleet.ts';
import { hostFamilies, hostStateTable, hostTable } from './hosts.ts';
import { optionalFamilies, optionalTables } from './optional.ts';
import { problemCounts, problemFamilies, problemTables } from './problems.ts';
import { renderRegistryFamily, type SelfMetrics } from './self.ts';
import { serverFamilies } from './servers.ts';
import { createSnapshotTexts, type SnapshotText } from './snapshot-texts.ts';
import type { TextChunks } from './text-chunks.ts';

export interface MetricsPage {
  /** The samples of each family of these clouds, without headers. */
  blocks(views: readonly CloudView[]): AsyncGenerator<FamilyBlocks>;
  /** How many series of a snapshot the budget left out. */
  dropped(snapshot: Snapshot): Promise<number>;
  /** The exposition of these clouds, piece by piece. */
  write(views: readonly CloudView[], format: Format, self?: SelfMetrics): AsyncGenerator<Buffer>;
}

export interface FamilyBlocks {
  readonly family: FamilyHead<never>;
  readonly blocks: readonly TextBlock[];
}

const snapshotFamilies: readonly FamilyHead<never>[] = [
  ...fleetFamilies,
  ...problemFamilies,
  ...hostFamilies,
  ...optionalFamilies,
  ...serverFamilies,
];

/** Renders each snapshot once, however many scrapes and formats ask for it. */
export function createMetricsPage(): MetricsPage {
  const texts = createSnapshotTexts(renderSnapshot);

  async function* blocksOf(views: readonly CloudView[]): AsyncGenerator<FamilyBlocks> {
    for (const family of collectionFamilies) {
      yield { family, blocks: views.map((view) => renderBlock(family, view)) };
    }
    const snapshots = views.map(({ snapshot }) => snapshot).filter((snapshot) => snapshot !== undefined);
    const readings = snapshots.map(texts.open);
    try {
      const rendered = await Promise.all(readings.map(({ text }) => text));
      for (const family of snapshotFamilies) {
        const blocks = rendered.map((text) => text.blocks.get(family.name));
        yield { family, blocks: blocks.filter((block) => block !== undefined) };
      }
      const losses = snapshots.map(({ cloud }, index) => ({ cloud, dropped: rendered[index]!.dropped }));
      yield { family: droppedFamily, blocks: losses.map((loss) => renderBlock(droppedFamily, loss)) };
    } finally {
      for (const reading of readings) reading.close();
    }
  }

  return {
    blocks: blocksOf,
    async dropped(snapshot) {
      const reading = texts.open(snapshot);
      const { dropped } = await reading.text;
      reading.close();
      return dropped;
    },
    async *write(views, format, self) {
      for await (const { family, blocks } of blocksOf(views)) yield* writeFamily(family, blocks, format);
      for (const family of (await self?.families()) ?? []) yield renderRegistryFamily(family, format);
      if (format === 'openmetrics') yield openMetricsEnd;
    },
  };
}

const droppedFamily: Family<{ cloud: string; dropped: number }> = {
  name: 'cloud_exporter_series_dropped',
  help: 'Series that series_limit left out: whole families of servers, hosts or those of the setting families, or label sets counted under the place other.',
  type: 'gauge',
  labels: ['cloud'],
  *samples({ cloud, dropped }) {
    yield [[cloud], dropped];
  },
};

/** The fleet comes first; families of hosts, optional ones, then of single servers, are added whole while the budget lasts. */
async function renderSnapshot(snapshot: Snapshot, memory: TextChunks): Promise<SnapshotText> {
  const { seriesLimit, mergedSets, received, written } = snapshot;
  const blocks = new Map<string, TextBlock>();
  const budget = createBudget(seriesLimit, mergedSets);
  const fleet = [
    ...(await renderTable(fleetTable, snapshot, memory)),
    ...(await renderTables(brokenDownTables, snapshot, memory)),
    [problemCounts.name, renderBlock(problemCounts, snapshot)] as const,
    ...(await renderTables(problemTables, snapshot, memory)),
  ];
  for (const [name, block] of fleet) {
    blocks.set(name, block);
    budget.spend(block.series);
  }
  const extras = new Map([
    ...(await renderTable(hostTable, snapshot, memory)),
    ...(await renderTable(hostStateTable, snapshot, memory)),
    ...(await renderTables(optionalTables, snapshot, memory)),
  ]);
  for (const { name } of [...hostFamilies, ...optionalFamilies]) {
    const block = extras.get(name)!;
    if (budget.affords(block.series)) blocks.set(name, block);
  }
  for (const [index, { name }] of written ? serverFamilies.entries() : []) {
    const isAfforded = budget.affords(received);
    const block = written?.[index];
    if (block && isAfforded) blocks.set(name, block);
  }
  return { blocks, dropped: budget.dropped() };
}

async function renderTables<Row extends object>(
  tables: readonly FamilyTable<Snapshot, Row>[],
  snapshot: Snapshot,
  memory: TextChunks,
): Promise<Map<string, TextBlock>> {
  const blocks = new Map<string, TextBlock>();
  for (const table of tables)
    for (const [name, block] of await renderTable(table, snapshot, memory)) blocks.set(name, block);
  return blocks;
}

/** So many chunks are written in one go; a reader that keeps up would else leave the event loop no turn. */
const chunksPerTurn = 16;
/** So many are copied to one: each piece of an answer has its price. */
const chunksPerPiece = 16;

async function* writeFamily(
  family: FamilyHead<never>,
  blocks: readonly TextBlock[],
  format: Format,
): AsyncGenerator<Buffer> {
  if (blocks.every(({ series }) => series === 0)) return;
  yield renderHeader(family, format);
  // Those of single servers were written as the servers arrived, and not in borrowed memory: they stay as they are.
  const isBorrowed = !serverFamilies.some(({ name }) => name === family.name);
  const step = isBorrowed ? chunksPerPiece : 1;
  for (const { chunks } of blocks) {
    for (let index = 0; index < chunks.length; index += step) {
      yield isBorrowed ? Buffer.concat(chunks.slice(index, index + step)) : chunks[index]!;
      if ((index + step) % chunksPerTurn === 0) await yieldToEventLoop();
    }
  }
}

/** Every family that is not of prom-client's making, for the documentation and its checks. */
export const cloudFamilies: readonly FamilyHead<never>[] = [
  ...collectionFamilies,
  ...snapshotFamilies,
  droppedFamily,
];

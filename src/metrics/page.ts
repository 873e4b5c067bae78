import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { CloudView } from '../inventory/collector.ts';
import type { Snapshot, TextBlock } from '../inventory/snapshot.ts';
import { createBudget } from './budget.ts';
import { collectionFamilies } from './collection.ts';
import { openMetricsEnd, renderBlock, renderHeader, renderTable, type Format } from './exposition.ts';
import type { Family, FamilyHead, FamilyTable } from './family.ts';
import { brokenDownTables, fleetFamilies, fleetTable } from './fleet.ts';
import { hostFamilies, hostStateTable, hostTable } from './hosts.ts';
import { problemCounts, problemFamilies, problemTables } from './problems.ts';
import { renderRegistryFamily, type SelfMetrics } from './self.ts';
import { createPieces } from './pieces.ts';
import { serverFamilies } from './servers.ts';
import { createSnapshotTexts, type SnapshotText } from './snapshot-texts.ts';
import type { TextChunks } from './text-chunks.ts';

export interface MetricsPage {
  /** The samples of each family of these clouds, without headers. */
  blocks(views: readonly CloudView[]): AsyncGenerator<FamilyBlocks>;
  /** How many series of a snapshot the budget left out. */
  dropped(snapshot: Snapshot): Promise<number>;
  forget(cloud: string): void;
  /** The exposition of these clouds, piece by piece; each holds until the next one is asked for. */
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
    forget: texts.forget,
    async dropped(snapshot) {
      const reading = texts.open(snapshot);
      const { dropped } = await reading.text;
      reading.close();
      return dropped;
    },
    async *write(views, format, self) {
      const answer = createPieces();
      for await (const { family, blocks } of blocksOf(views))
        for (const chunk of chunksOf(family, blocks, format)) {
          const piece = answer.add(chunk);
          if (!piece) continue;
          yield piece;
          // A reader that keeps up would else leave the event loop no turn.
          await yieldToEventLoop();
        }
      for (const family of (await self?.families()) ?? []) {
        const piece = answer.add(renderRegistryFamily(family, format));
        if (piece) yield piece;
      }
      const last = format === 'openmetrics' && answer.add(openMetricsEnd);
      if (last) yield last;
      yield answer.finish();
    },
  };
}

const droppedFamily: Family<{ cloud: string; dropped: number }> = {
  name: 'cloud_exporter_series_dropped',
  help: 'Series that series_limit left out: whole families of servers or hosts, or label sets counted under the place other.',
  type: 'gauge',
  labels: ['cloud'],
  *samples({ cloud, dropped }) {
    yield [[cloud], dropped];
  },
};

/** The fleet comes first; families of hosts, then of single servers, are added whole while the budget lasts. */
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
  ]);
  for (const { name } of hostFamilies) {
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

function* chunksOf(
  family: FamilyHead<never>,
  blocks: readonly TextBlock[],
  format: Format,
): Generator<Buffer> {
  if (blocks.every(({ series }) => series === 0)) return;
  yield renderHeader(family, format);
  for (const { chunks } of blocks) yield* chunks;
}

/** Every family that is not of prom-client's making, for the documentation and its checks. */
export const cloudFamilies: readonly FamilyHead<never>[] = [
  ...collectionFamilies,
  ...snapshotFamilies,
  droppedFamily,
];

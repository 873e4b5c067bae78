import type { CloudView } from '../inventory/collector.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { collectionFamilies } from './collection.ts';
import { openMetricsEnd, renderBlock, renderHeader, type Block, type Format } from './exposition.ts';
import type { Family } from './family.ts';
import { fleetFamilies } from './fleet.ts';
import { problemFamilies } from './problems.ts';
import { renderOwnFamily, type SelfMetrics } from './self.ts';

/** Everything that comes from a snapshot, in the order in which it is exported. */
export const snapshotFamilies: readonly Family<Snapshot>[] = [...fleetFamilies, ...problemFamilies];

export interface MetricsPage {
  /** The exposition of these clouds, piece by piece. */
  write(views: readonly CloudView[], format: Format, self?: SelfMetrics): AsyncGenerator<Buffer>;
}

/** Renders each snapshot once, however many scrapes and formats ask for it. */
export function createMetricsPage(): MetricsPage {
  const rendered = new WeakMap<Snapshot, Promise<readonly Block[]>>();

  function blocksOf(snapshot: Snapshot): Promise<readonly Block[]> {
    const known = rendered.get(snapshot);
    if (known) return known;
    const blocks = renderAll(snapshot);
    rendered.set(snapshot, blocks);
    return blocks;
  }

  return {
    async *write(views, format, self) {
      for (const family of collectionFamilies) {
        const blocks = await Promise.all(views.map((view) => renderBlock(family, view)));
        yield* writeFamily(family, blocks.flat(), format);
      }
      const snapshots = views.map(({ snapshot }) => snapshot).filter((snapshot) => snapshot !== undefined);
      const blocks = await Promise.all(snapshots.map(blocksOf));
      for (const [index, family] of snapshotFamilies.entries()) {
        yield* writeFamily(
          family,
          blocks.flatMap((ofCloud) => ofCloud[index]!),
          format,
        );
      }
      for (const family of (await self?.families()) ?? []) yield renderOwnFamily(family, format);
      if (format === 'openmetrics') yield openMetricsEnd;
    },
  };
}

async function renderAll(snapshot: Snapshot): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const family of snapshotFamilies) blocks.push(await renderBlock(family, snapshot));
  return blocks;
}

function* writeFamily(family: Family<never>, chunks: readonly Buffer[], format: Format): Generator<Buffer> {
  if (chunks.length === 0) return;
  yield renderHeader(family, format);
  yield* chunks;
}

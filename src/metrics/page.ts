import type { CloudView } from '../inventory/collector.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { failureOf } from '../transport/failure.ts';
import { collectionTables } from './collection.ts';
import { openMetricsEnd, render, renderHeader, type Format, type TextBlock } from './exposition.ts';
import { familiesOf, tableOf, type FamilyHead } from './family.ts';
import { fleetTables } from './fleet.ts';
import { hostTables, storageTable } from './hosts.ts';
import { networkTable, syncTable } from './networks.ts';
import { problemTables } from './problems.ts';
import { renderRegistryFamily, type RegistryFamily, type SelfMetrics } from './self.ts';
import { serverTables } from './servers.ts';
import { createSlices, type YieldToEventLoop } from '../yield-to-event-loop.ts';

export type MetricsPage = ReturnType<typeof createMetricsPage>;

/** The text of each family, by its name. */
type Text = ReadonlyMap<string, TextBlock>;

const roomTables = [...hostTables, storageTable, networkTable, syncTable];

const droppedTable = tableOf<{ readonly cloud: string; readonly dropped: number }, number>({
  series: 'one per cloud',
  rows: ({ dropped }) => [dropped],
  columns: {
    cloud_exporter_series_dropped: {
      help: 'Series not exported because of series_limit.',
      example: 'cloud_exporter_series_dropped > 0',
      value: (dropped) => dropped,
    },
  },
});

/** Every family that is not of prom-client's making, in the order of the page. */
export const cloudFamilies: readonly FamilyHead[] = [
  ...collectionTables.flatMap(familiesOf),
  ...[...fleetTables, ...problemTables, ...roomTables, ...serverTables].flatMap(familiesOf),
  ...familiesOf(droppedTable),
];

/** Each piece of an answer has its price; those of this length are so few that it does not matter. */
const pieceBytes = 65_536;

/** Renders each snapshot once, however many scrapes and formats ask for it. */
export function createMetricsPage({
  yieldToEventLoop,
  onBug = () => undefined,
}: {
  yieldToEventLoop: YieldToEventLoop;
  onBug?: (cloud: string, error: unknown) => void;
}) {
  const rendered = new WeakMap<Snapshot, Promise<Text>>();

  function textOf(snapshot: Snapshot): Promise<Text> {
    const text = rendered.get(snapshot) ?? renderSnapshot(snapshot, yieldToEventLoop);
    rendered.set(snapshot, text);
    return text;
  }

  async function textsOf(view: CloudView): Promise<Text[]> {
    const collection = (shown: CloudView) => render(collectionTables, shown, createSlices(yieldToEventLoop));
    if (!view.snapshot) return [await collection(view)];
    try {
      return await Promise.all([collection(view), textOf(view.snapshot)]);
    } catch (error) {
      // One cloud's snapshot that cannot be written is a bug, and no reason to hide the other clouds.
      onBug(view.cloud, error);
      const failure = failureOf(error, 'list_servers');
      return [await collection({ ...view, up: false, failure, snapshot: undefined }).catch(() => new Map())];
    }
  }

  return {
    /** The exposition of these clouds, piece by piece. */
    async *write(views: readonly CloudView[], format: Format, self?: SelfMetrics): AsyncGenerator<Buffer> {
      const texts = (await Promise.all(views.map(textsOf))).flat();
      let piece: Buffer[] = [];
      let bytes = 0;
      for (const chunk of chunksOf(texts, (await self?.families()) ?? [], format)) {
        piece.push(chunk);
        bytes += chunk.length;
        if (bytes < pieceBytes) continue;
        // Most are one long chunk: to copy each of these cost a fifth of all that is written.
        yield piece.length === 1 ? piece[0]! : Buffer.concat(piece);
        piece = [];
        bytes = 0;
        // A reader that keeps up would else leave the event loop no turn.
        await yieldToEventLoop();
      }
      yield Buffer.concat(piece);
    },
  };
}

function* chunksOf(
  texts: readonly Text[],
  own: readonly RegistryFamily[],
  format: Format,
): Generator<Buffer> {
  for (const family of cloudFamilies) {
    const chunks = texts.flatMap((text) => text.get(family.name)?.chunks ?? []);
    if (chunks.length > 0) yield renderHeader(family, format);
    yield* chunks;
  }
  for (const family of own) yield renderRegistryFamily(family, format);
  if (format === 'openmetrics') yield openMetricsEnd;
}

/** The fleet comes first; families of hosts and what is listed beside them, then of single servers, are added whole while `series_limit` lasts. */
async function renderSnapshot(snapshot: Snapshot, yieldToEventLoop: YieldToEventLoop): Promise<Text> {
  const slices = createSlices(yieldToEventLoop);
  const fleet = await render([...fleetTables, ...problemTables], snapshot, slices);
  let left = snapshot.seriesLimit;
  let dropped = snapshot.mergedSets;
  for (const { series } of fleet.values()) left -= series;

  /** What comes after a family that was dropped is dropped too. */
  function affords(series: number): boolean {
    left -= series;
    if (left < 0) dropped += series;
    return left >= 0;
  }

  const rooms = await render(roomTables, snapshot, slices);
  const roomsKept = [...rooms].filter(([, { series }]) => affords(series));
  const { cloud, servers = [], exportsServers } = snapshot;
  const tables = (exportsServers ? serverTables : []).map((table) => ({
    ...table,
    columns: Object.fromEntries(Object.entries(table.columns).filter(() => affords(servers.length))),
  }));
  const single = await render(tables, snapshot, slices);
  const loss = await render([droppedTable], { cloud, dropped }, slices);
  return new Map([...fleet, ...roomsKept, ...single, ...loss]);
}

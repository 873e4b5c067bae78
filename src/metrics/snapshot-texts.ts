import type { Snapshot, TextBlock } from '../inventory/snapshot.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { createChunkPool, type LentChunks, type TextChunks } from './text-chunks.ts';

/** A snapshot as text, family by family, and how many series its budget cost. */
export interface SnapshotText {
  readonly blocks: ReadonlyMap<string, TextBlock>;
  readonly dropped: number;
}

/** The texts of snapshots, each rendered once. That of the next snapshot of a cloud is written in the same memory. */
export interface SnapshotTexts {
  /** The text stays as it is until it is closed; what is to be sent after that has to be copied. */
  open(snapshot: Snapshot): { readonly text: Promise<SnapshotText>; close(): void };
  /** There is no such cloud any more: nothing of its texts is kept for the next one. */
  forget(cloud: string): void;
}

interface Rendered {
  readonly text: Promise<SnapshotText>;
  readonly lease: Lease;
}

/** Outlives its text: memory that was not given back would be lost to the next one. */
interface Lease {
  readonly memory: LentChunks;
  readers: number;
  isLatest: boolean;
  isDone: boolean;
}

export function createSnapshotTexts(
  render: (snapshot: Snapshot, memory: TextChunks) => Promise<SnapshotText>,
): SnapshotTexts {
  const rendered = new WeakMap<Snapshot, Rendered>();
  /** Of each cloud. */
  const latest = new Map<string, Lease>();
  const pools = new Map<string, ReturnType<typeof createChunkPool>>();

  function giveBackIfUnused({ isLatest, isDone, readers, memory }: Lease): void {
    if (!isLatest && isDone && readers === 0) memory.giveBack();
  }

  function renderAnew(snapshot: Snapshot): Rendered {
    const { cloud } = snapshot;
    const before = latest.get(cloud);
    if (before) {
      before.isLatest = false;
      giveBackIfUnused(before);
    }
    const pool = pools.get(cloud) ?? createChunkPool();
    pools.set(cloud, pool);
    const memory = pool.lend();
    // Each in its turn: the first slices of many clouds would else be one long piece of work.
    const text = yieldToEventLoop()
      .then(() => render(snapshot, memory))
      .finally(() => (lease.isDone = true));
    const lease: Lease = { memory, readers: 0, isLatest: true, isDone: false };
    const fresh = { text, lease };
    rendered.set(snapshot, fresh);
    latest.set(cloud, lease);
    return fresh;
  }

  return {
    forget(cloud) {
      pools.delete(cloud);
      latest.delete(cloud);
    },
    open(snapshot) {
      const known = rendered.get(snapshot);
      const { text, lease } = known?.lease.isLatest ? known : renderAnew(snapshot);
      lease.readers += 1;
      return {
        text,
        close() {
          lease.readers -= 1;
          giveBackIfUnused(lease);
        },
      };
    },
  };
}

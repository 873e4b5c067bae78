/** Lines of one family, of one row behind the other. */
export interface Chunk {
  readonly bytes: Buffer;
  used: number;
  /** The number of its first row in the table. */
  firstRow: number;
  /** How many rows it has, and where the line of each ends. A row without a number has an empty one. */
  rows: number;
  readonly ends: number[];
  /** Who needs it as it is: those who read its text, and the next text, which copies from it. */
  holders: number;
  /** Those that were made since the pool was emptied last; others do not serve again. */
  readonly batch: number;
}

/** The rows of a table and the text of each of its columns, for the next text to copy what is the same. */
export interface LastingTable {
  readonly rows: readonly object[];
  readonly columns: readonly (readonly Chunk[])[];
}

/** Memory for the tables of one text. */
export interface TextChunks {
  /** With room for so many bytes at the least. */
  take(bytes: number, firstRow: number): Chunk;
  /** The table as it was written last. It belongs to the caller, who is done with its chunks one by one. */
  takeTable(table: object): LastingTable | undefined;
  isCopied(chunk: Chunk): void;
  keepTable(table: object, lasting: LastingTable): void;
}

export interface LentChunks extends TextChunks {
  /** Nobody reads this text any more. */
  giveBack(): void;
}

const chunkBytes = 16_384;
/** So many may be spare beside as many as a text has: until it has copied from the one before, there are two. */
const usuallySpare = 64;
/** So many are made at once. */
const mostMade = 16;

/** Memory for one text of a cloud after the other: garbage of this size is swept away late. */
export function createChunkPool(): { lend(): LentChunks } {
  let free: Chunk[] = [];
  let made = 1;
  let batch = 0;
  /** How many chunks the latest text took. */
  let taken = 0;
  const tables = new Map<object, LastingTable>();

  function release(chunk: Chunk): void {
    chunk.holders -= 1;
    const servesAgain = chunk.bytes.length === chunkBytes && chunk.batch === batch;
    if (chunk.holders === 0 && servesAgain) free.push(chunk);
  }

  /** All at once: a few of them would hold on to the memory of the others. */
  function empty(): void {
    free = [];
    made = 1;
    batch += 1;
  }

  /** Many at once for a text that is long: what is between small pieces of memory serves nobody. */
  function more(): Chunk {
    const slab = Buffer.allocUnsafeSlow(made * chunkBytes);
    made = Math.min(2 * made, mostMade);
    for (let start = 0; start < slab.length; start += chunkBytes)
      free.push(newChunk(slab.subarray(start, start + chunkBytes), batch));
    return free.pop()!;
  }

  return {
    lend() {
      const lent: Chunk[] = [];
      if (free.length > taken + usuallySpare) empty();
      taken = 0;
      return {
        isCopied: release,
        take(bytes, firstRow) {
          const isUsual = bytes <= chunkBytes;
          const chunk = isUsual ? (free.pop() ?? more()) : newChunk(Buffer.allocUnsafeSlow(bytes), batch);
          taken += 1;
          chunk.used = 0;
          chunk.rows = 0;
          chunk.firstRow = firstRow;
          chunk.holders = 2;
          lent.push(chunk);
          return chunk;
        },
        takeTable(table) {
          const lasting = tables.get(table);
          tables.delete(table);
          return lasting;
        },
        keepTable(table, lasting) {
          // Two texts may be written at the same time; nothing is copied from the one that was done first.
          tables.get(table)?.columns.flat().forEach(release);
          tables.set(table, lasting);
        },
        giveBack: () => lent.splice(0).forEach(release),
      };
    },
  };
}

function newChunk(bytes: Buffer, batch: number): Chunk {
  return { bytes, used: 0, firstRow: 0, rows: 0, ends: [], holders: 0, batch };
}

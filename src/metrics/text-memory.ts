import type { TextBlock } from '../inventory/snapshot.ts';

/** Memory for one text after the other. A piece of its own for each would have to be made and swept away by itself. */
export interface TextMemory {
  write(text: string | Uint8Array): Buffer;
  /** Labels that last from one text to the next, by the table that they are of and what stands for them. */
  readonly labels?: WeakMap<object, WeakMap<object, string>>;
  /** Tables that last from one text to the next, by what they are made of. */
  readonly tables?: Map<object, LastingTable>;
}

/** The text of a table, in memory of its own, and the rows that it is of. */
export interface LastingTable {
  readonly rows: readonly object[];
  readonly blocks: Map<string, TextBlock>;
}

/** Memory that serves the next text once nobody reads this one any more; garbage of this size is swept away late. */
export interface LentMemory extends TextMemory {
  giveBack(): void;
}

const blockBytes = 262_144;
/** Of UTF-8, for each unit of the length of a text. */
export const mostBytesPerUnit = 3;

export function createTextMemory(
  newBlock: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafeSlow(bytes),
): TextMemory {
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  return {
    write(text) {
      const isText = typeof text === 'string';
      const needed = isText ? text.length * mostBytesPerUnit : text.length;
      if (block.length - used < needed) {
        block = newBlock(Math.max(blockBytes, needed));
        used = 0;
      }
      const start = used;
      if (isText) used += block.write(text, start);
      else {
        block.set(text, start);
        used += text.length;
      }
      return block.subarray(start, used);
    },
  };
}

export function createMemoryPool(): { lend(): LentMemory } {
  let free: Buffer[] = [];
  const labels = new WeakMap<object, WeakMap<object, string>>();
  const tables = new Map<object, LastingTable>();
  return {
    lend() {
      const lent: Buffer[] = [];
      const { write } = createTextMemory((bytes) => {
        const block = (bytes === blockBytes ? free.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
        lent.push(block);
        return block;
      });
      return {
        write,
        labels,
        tables,
        giveBack() {
          if (lent.length === 0) return;
          // What the text before this one left over was not needed for it.
          free = lent.splice(0).filter(({ length }) => length === blockBytes);
        },
      };
    },
  };
}

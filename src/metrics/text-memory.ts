/** Memory for one text after the other. A piece of its own for each would have to be made and swept away by itself. */
export interface TextMemory {
  write(text: string): Buffer;
}

const blockBytes = 262_144;
/** Of UTF-8, for each unit of the length of a text. */
export const mostBytesPerUnit = 3;

export function createTextMemory(): TextMemory {
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  return {
    write(text) {
      const needed = text.length * mostBytesPerUnit;
      if (block.length - used < needed) {
        block = Buffer.allocUnsafeSlow(Math.max(blockBytes, needed));
        used = 0;
      }
      const start = used;
      used += block.write(text, start);
      return block.subarray(start, used);
    },
  };
}

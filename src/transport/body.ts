import type { Readable } from 'node:stream';

/** Beyond what is read. */
export class AnswerTooLarge extends Error {}

/** Bodies differ a little in length; memory with some room serves the next one too. */
const roomFactor = 1.125;

/**
 * Reads one body at a time, each into the memory of the one before: what network and parser leave behind is garbage
 * enough. Node hands over one chunk of a connection in each turn of the event loop, so others are served meanwhile.
 */
export function createBodyReader(): (
  stream: Readable,
  announcedBytes: number,
  maxBytes: number,
) => Promise<Buffer> {
  let memory: Buffer = Buffer.alloc(0);

  function grow(bytes: number, used: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.ceil(bytes * roomFactor));
    memory.copy(larger, 0, 0, used);
    memory = larger;
  }

  return async (stream, announcedBytes, maxBytes) => {
    let length = 0;
    if (announcedBytes > maxBytes) {
      stream.destroy();
      throw new AnswerTooLarge(`${announcedBytes} bytes announced, ${maxBytes} accepted`);
    }
    // Node ends a body that stops short of its Content-Length with an error, so this one is whole.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const end = length + chunk.length;
      if (end > maxBytes) throw new AnswerTooLarge(`more than ${maxBytes} bytes`);
      if (end > memory.length) grow(Math.max(end, announcedBytes, 2 * length), length);
      length += chunk.copy(memory, length);
    }
    return memory.subarray(0, length);
  };
}

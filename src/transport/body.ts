import type { Readable } from 'node:stream';

/** Beyond what is read. */
export class AnswerTooLarge extends Error {}

/** Bodies differ a little in length; memory with some room serves the next one too. */
const roomFactor = 1.125;
/** So many pieces of memory wait for the next answer at most: about as many as one cloud reads at once. */
const mostAtRest = 12;

export type BodyMemory = ReturnType<typeof createBodyMemory>;

/**
 * Memory for the bodies of answers, of all clouds together and from scrape to scrape: it is no part of V8's heap, but
 * when it is garbage, V8 collects the whole heap for it.
 */
export function createBodyMemory() {
  /** The smallest first. */
  const atRest: Buffer[] = [];
  return {
    /** The smallest that is large enough; the largest where nothing was announced. */
    take(announcedBytes: number): Buffer {
      const fitting = atRest.findIndex(({ length }) => length >= announcedBytes);
      if (fitting < 0) return Buffer.allocUnsafeSlow(Math.ceil(announcedBytes * roomFactor));
      return atRest.splice(announcedBytes > 0 ? fitting : -1, 1)[0]!;
    },
    giveBack(memory: Buffer): void {
      atRest.push(memory);
      atRest.sort((one, other) => one.length - other.length);
      if (atRest.length > mostAtRest) atRest.shift();
    },
  };
}

/**
 * Reads bodies, each into the memory of the one before: what network and parser leave behind is garbage enough. Node
 * hands over one chunk of a connection in each turn of the event loop, so others are served meanwhile.
 */
export function createBodyReader(bodies: BodyMemory) {
  let memory: Buffer | undefined;
  return {
    async read(stream: Readable, announcedBytes: number, maxBytes: number): Promise<Buffer> {
      let length = 0;
      if (announcedBytes > maxBytes) {
        stream.destroy();
        throw new AnswerTooLarge(`${announcedBytes} bytes announced, ${maxBytes} accepted`);
      }
      memory ??= bodies.take(announcedBytes);
      // Node ends a body that stops short of its Content-Length with an error, so this one is whole.
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        const end = length + chunk.length;
        if (end > maxBytes) throw new AnswerTooLarge(`more than ${maxBytes} bytes`);
        if (end > memory.length) {
          const larger = Buffer.allocUnsafeSlow(
            Math.ceil(Math.max(end, announcedBytes, 2 * length) * roomFactor),
          );
          memory.copy(larger, 0, 0, length);
          memory = larger;
        }
        length += chunk.copy(memory, length);
      }
      return memory.subarray(0, length);
    },
    /** Nobody needs the latest body any more. */
    end(): void {
      if (memory) bodies.giveBack(memory);
      memory = undefined;
    },
  };
}

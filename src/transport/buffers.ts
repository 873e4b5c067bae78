export interface BufferPool {
  /** A buffer of at least this length, with whatever was in it before. */
  take(length: number): Buffer;
  /** For a buffer, or a part of it, at which nobody looks any more; one that is not of this pool is left alone. */
  giveBack(buffer: Buffer): void;
}

/**
 * How many a program with any number of clouds keeps: for as many pages as one reads at once, and its hosts. One too few
 * is made and dropped for every page, and leaves holes between which nothing fits.
 */
export const keptBuffers = 5;

/** Pages differ a little in length; a buffer with some room serves the next one too. */
const roomFactor = 1.125;

/** Keeps a few large buffers: to allocate and drop one for each page costs more in garbage collection than it looks. */
export function createBufferPool(limit: number): BufferPool {
  const own = new WeakSet<ArrayBufferLike>();
  /** The smallest first: a page of hosts should not take what a page of servers needs. */
  const free: Buffer[] = [];
  return {
    take(length) {
      const fitting = free.findIndex((buffer) => buffer.length >= length);
      if (fitting >= 0) return free.splice(fitting, 1)[0]!;
      const buffer = Buffer.allocUnsafeSlow(Math.ceil(length * roomFactor));
      own.add(buffer.buffer);
      return buffer;
    },
    giveBack({ buffer }) {
      if (!own.has(buffer)) return;
      free.push(Buffer.from(buffer));
      free.sort((a, b) => a.length - b.length);
      if (free.length > limit) free.shift();
    },
  };
}

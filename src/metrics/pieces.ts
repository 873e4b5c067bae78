/** Puts what is written to an answer together to few pieces: each piece of an answer has its price. */
export interface Pieces {
  /** Copies the bytes. Gives a piece if they do not fit it any more. */
  add(bytes: Buffer): Buffer | undefined;
  finish(): Buffer;
}

/** Large enough that the price does not matter, small enough that the same memory serves one after the other. */
const pieceBytes = 65_536;

export function createPieces(): Pieces {
  let piece = Buffer.alloc(0);
  let used = 0;
  return {
    add(bytes) {
      const full = piece.subarray(0, used);
      const isFull = piece.length - used < bytes.length;
      if (isFull) {
        piece = Buffer.allocUnsafeSlow(Math.max(pieceBytes, bytes.length));
        used = 0;
      }
      piece.set(bytes, used);
      used += bytes.length;
      return isFull && full.length > 0 ? full : undefined;
    },
    finish: () => piece.subarray(0, used),
  };
}

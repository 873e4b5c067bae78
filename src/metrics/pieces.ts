/** Puts what is written to an answer together to few pieces: each piece of an answer has its price. */
export interface Pieces {
  /** Copies the bytes. Gives a piece if they do not fit it any more; it holds until the next one is given. */
  add(bytes: Buffer): Buffer | undefined;
  finish(): Buffer;
}

/** Large enough that the price does not matter. */
const pieceBytes = 65_536;

export function createPieces(): Pieces {
  let piece = Buffer.alloc(0);
  let other = Buffer.alloc(0);
  let used = 0;
  return {
    add(bytes) {
      const full = piece.subarray(0, used);
      const isFull = piece.length - used < bytes.length;
      if (isFull) {
        const room = other.length < bytes.length ? newPiece(bytes.length) : other;
        other = piece;
        piece = room;
        used = 0;
      }
      piece.set(bytes, used);
      used += bytes.length;
      return isFull && full.length > 0 ? full : undefined;
    },
    finish: () => piece.subarray(0, used),
  };
}

function newPiece(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(Math.max(pieceBytes, bytes));
}

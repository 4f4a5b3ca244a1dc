/** Collects the bytes of an answer. */
export interface AnswerBytes {
  add(piece: Buffer): void;
  whole(): Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Copies pieces into one buffer that grows: a million small pieces would take a hundred times their size. */
export function collectBytes(): AnswerBytes {
  let buffer: Buffer = NOTHING;
  let length = 0;
  return {
    add(piece) {
      const needed = length + piece.byteLength;
      if (length === 0) {
        // Usually it is the only one.
        buffer = piece;
      } else {
        if (needed > buffer.byteLength) {
          const grown = Buffer.allocUnsafe(needed * 2);
          buffer.copy(grown, 0, 0, length);
          buffer = grown;
        }
        piece.copy(buffer, length);
      }
      length = needed;
    },
    whole: () => (length === buffer.byteLength ? buffer : buffer.subarray(0, length)),
  };
}

/** A key is recognised by any piece of this length. */
export const KEY_PIECE = 6;

/** Whether a piece of a key stands in a text; false for a key that is shorter than a piece. Both in one case. */
export function holdsPiece(text: string, key: string): boolean {
  for (let start = 0; start + KEY_PIECE <= key.length; start += 1) if (text.includes(key.slice(start, start + KEY_PIECE))) return true;
  return false;
}

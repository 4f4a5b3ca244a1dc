/** A key is recognised by any piece of this length. */
export const KEY_PIECE = 6;

/** Whether a text contains a piece of a key. False for a key shorter than a piece. Both must have the same case. */
export function holdsPiece(text: string, key: string): boolean {
  for (let start = 0; start + KEY_PIECE <= key.length; start += 1) if (text.includes(key.slice(start, start + KEY_PIECE))) return true;
  return false;
}

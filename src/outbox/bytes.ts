const CHUNK = 0x8000;

/** Bytes over a buffer that is not shared: WebCrypto takes no others. */
export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // In chunks, since too many arguments would overflow the stack.
  for (let from = 0; from < bytes.length; from += CHUNK) text += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  return btoa(text);
}

/** The bytes of base64 or base64url text. Undefined if the text is neither. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text.trim().replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

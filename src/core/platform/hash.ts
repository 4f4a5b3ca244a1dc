/** The part of Node.js's `crypto` that is used here. Deno, Bun and Cloudflare Workers have it too. */
interface NativeCrypto {
  createHash(algorithm: 'sha256'): Hash;
  createHmac(algorithm: 'sha256', key: unknown): Hash;
  KeyObject: { from(key: CryptoKey): unknown };
}

interface Hash {
  update(text: string): Hash;
  digest(encoding: 'hex'): string;
}

type Scope = { process?: { getBuiltinModule?: (name: string) => unknown } };

/**
 * The runtime's own hashing, if there is any. It is synchronous and costs a twentieth of WebCrypto for a report, since
 * WebCrypto passes each text to another thread. It is looked up and not imported, so that portable code stays portable.
 */
const nativeCrypto = /* @__PURE__ */ (globalThis as Scope).process?.getBuiltinModule?.('node:crypto') as
  | NativeCrypto
  | undefined;

const toHex = (bytes: ArrayBuffer | Uint8Array): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export const sha256 = async (text: string): Promise<string> =>
  nativeCrypto
    ? nativeCrypto.createHash('sha256').update(text).digest('hex')
    : toHex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

/** The runtime's own form of a key, made once: making it costs more than hashing a report. */
const nativeKeys = new WeakMap<CryptoKey, unknown>();

function nativeKey({ KeyObject }: NativeCrypto, key: CryptoKey): unknown {
  const known = nativeKeys.get(key) ?? KeyObject.from(key);
  nativeKeys.set(key, known);
  return known;
}

/** Whether a key for `hmacSha256` must be extractable: Node.js warns of any other, and will refuse it. */
export const MUST_BE_EXTRACTABLE = nativeCrypto !== undefined;

export const hmacSha256 = async (key: CryptoKey, text: string): Promise<string> =>
  nativeCrypto
    ? nativeCrypto.createHmac('sha256', nativeKey(nativeCrypto, key)).update(text).digest('hex')
    : toHex(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)));

/**
 * The name of a player for a page's outbox and the relay: always the same for one player, and it does not reveal who it
 * is (our decision).
 */
export const playerTag = (player: string): Promise<string> => sha256(`location-sdk player ${player}`);

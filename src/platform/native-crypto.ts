/** The part of Node.js's `crypto` that is used here; Deno, Bun and Cloudflare Workers have it too. */
export interface NativeCrypto {
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
 * A runtime's own hashing, where there is any: done at once, it costs a twentieth of WebCrypto for a text as short as a
 * report, since that hands each one to another thread. Asked for rather than imported, so that portable code stays portable.
 */
export const nativeCrypto = /* @__PURE__ */ (globalThis as Scope).process?.getBuiltinModule?.('node:crypto') as NativeCrypto | undefined;

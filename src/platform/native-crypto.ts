/** The part of Node.js's `crypto` that is used here. Deno, Bun and Cloudflare Workers have it too. */
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
 * The runtime's own hashing, if there is any. It is synchronous and costs a twentieth of WebCrypto for a report, since
 * WebCrypto passes each text to another thread. It is looked up and not imported, so that portable code stays portable.
 */
export const nativeCrypto = /* @__PURE__ */ (globalThis as Scope).process?.getBuiltinModule?.('node:crypto') as NativeCrypto | undefined;

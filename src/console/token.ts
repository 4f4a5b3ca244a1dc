import { hmacSha256, MUST_BE_EXTRACTABLE } from '../platform/hash.js';

const VALID_MS = 12 * 60 * 60 * 1_000;

/** Proves that an action comes from a page which this console gave to the same visitor. */
export interface ActionTokens {
  give(visitor: string): Promise<string>;
  holds(token: string | null, visitor: string): Promise<boolean>;
}

/** `secret` is asked for once: every process that serves the console over the same store must know the same one. */
export function createTokens(secret: () => Promise<string>, now: () => number): ActionTokens {
  let key: Promise<CryptoKey> | undefined;
  const keyOf = async (): Promise<CryptoKey> => {
    const bytes = new TextEncoder().encode(await secret());
    return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, MUST_BE_EXTRACTABLE, ['sign']);
  };
  const signed = async (until: string, visitor: string): Promise<string> => {
    // A store that cannot answer now may answer later.
    key ??= keyOf().catch((error: unknown) => {
      key = undefined;
      throw error;
    });
    return `${until}.${await hmacSha256(await key, `${until}\n${visitor}`)}`;
  };
  return {
    give: (visitor) => signed(String(now() + VALID_MS), visitor),
    async holds(token, visitor) {
      const [until = ''] = token?.split('.', 1) ?? [];
      if (token === null || !/^\d{1,15}$/.test(until) || Number(until) < now()) return false;
      return isSame(token, await signed(until, visitor));
    },
  };
}

/** Takes as long for a wrong text as for the right one. */
export function isSame(given: string, right: string): boolean {
  let differing = given.length ^ right.length;
  for (let index = 0; index < right.length; index += 1) differing |= (given.charCodeAt(index) || 0) ^ right.charCodeAt(index);
  return differing === 0;
}

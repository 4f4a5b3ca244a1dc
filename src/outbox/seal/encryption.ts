import { asOwnRecord, asRecord } from '../../platform/as-record.js';
import type { HkdfKeyLike } from '../../platform/web-types.js';
import { issue, type ValidationIssue } from '../../schema/issue.js';
import { type Bytes, fromBase64 } from '../bytes.js';

/**
 * A key: 32 random bytes, as they are or as base64, or a `CryptoKey` made of them with
 * `crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])`.
 */
export type EncryptionKey = Uint8Array | string | HkdfKeyLike;

/**
 * Encrypts what the store keeps of a report: bodies with AES-256-GCM, each bound to its row. The keys of both bodies
 * and fingerprints are derived from yours (HKDF-SHA-256), which is not stored.
 *
 * To rotate, add a key and name it as `current`. An old one is needed until no report that was sealed with it waits
 * or is quarantined, and as long as you want to tell its fingerprints: the same report enqueued again needs it too.
 *
 * @example
 * ```ts
 * const encryption = { keys: { '2026-08': oldKey, '2026-11': newKey }, current: '2026-11' };
 * ```
 */
export interface OutboxEncryption {
  /** Keys by ids of yours, which stand beside what was sealed with them. An id: up to 64 letters, digits, `_` and `-`. */
  readonly keys: Readonly<Record<string, EncryptionKey>>;
  /** The id of the key that seals from now on. */
  readonly current: string;
}

/** The encryption with its keys as bytes, or as they were given. */
export interface ReadEncryption {
  readonly keys: ReadonlyMap<string, Bytes | HkdfKeyLike>;
  readonly current: string;
}

export const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Checks the option; issues never show a key. */
export function readEncryption(given: unknown, issues: ValidationIssue[]): ReadEncryption | undefined {
  if (given === undefined) return undefined;
  const { keys, current, ...unknown } = asOwnRecord(given);
  const entries = Object.entries(asRecord(keys));
  const refuse = (path: readonly string[], message: string) => void issues.push(issue(['encryption', ...path], 'invalid', message));
  for (const name of Object.keys(unknown)) refuse([name], 'is not an option; known are keys, current');
  if (entries.length === 0) refuse(['keys'], "expected an object with at least one key, such as { '2026-11': key }");
  // An id that is none may be a key that was put in the wrong place.
  if (!entries.every(([id]) => ID.test(id))) refuse(['keys'], 'expected ids of up to 64 letters, digits, _ and -');
  if (typeof current !== 'string' || !entries.some(([id]) => id === current)) refuse(['current'], 'expected the id of one of encryption.keys');
  const read = new Map<string, Bytes | HkdfKeyLike>();
  for (const [id, key] of entries) {
    const usable = readKey(key);
    if (usable) read.set(id, usable);
    else if (ID.test(id)) refuse(['keys'], `of '${id}', expected ${KEY_BYTES} bytes, their base64, or a CryptoKey of HKDF with the usage deriveKey`);
  }
  return { keys: read, current: String(current) };
}

function readKey(given: unknown): Bytes | HkdfKeyLike | undefined {
  const bytes = typeof given === 'string' ? fromBase64(given) : given;
  if (bytes instanceof Uint8Array) return bytes.length === KEY_BYTES ? Uint8Array.from(bytes) : undefined;
  const { algorithm, usages } = asRecord(given);
  const fits = asRecord(algorithm).name === 'HKDF' && Array.isArray(usages) && usages.includes('deriveKey');
  return fits ? (given as HkdfKeyLike) : undefined;
}

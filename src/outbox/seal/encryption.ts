import { asOwnRecord, asRecord } from '../../core/platform/as-record.js';
import { issue, type ValidationIssue } from '../../core/schema/issue.js';

/**
 * Encrypts the stored bodies with AES-256-GCM, each bound to its row. The keys of bodies and fingerprints are derived
 * from your key (HKDF-SHA-256). Your key is not stored.
 *
 * To rotate, add a key and name it as `current`. Keep an old key while a report that was sealed with it waits or is
 * quarantined, and while you may enqueue a report of that time again: the old key compares the fingerprints.
 *
 * @example
 * ```ts
 * const encryption = { keys: { '2026-08': oldKey, '2026-11': newKey }, current: '2026-11' };
 * ```
 */
export interface OutboxEncryption {
  /**
   * Your keys by their ids: 32 random bytes each, as an array or as base64. The id is stored with the sealed body: up
   * to 64 letters, digits, `_` and `-`.
   */
  readonly keys: Readonly<Record<string, Uint8Array | string>>;
  /** The id of the key that seals new reports. */
  readonly current: string;
}

export interface ReadEncryption {
  readonly keys: ReadonlyMap<string, Bytes>;
  readonly current: string;
}

export const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Checks the option. The issues never show a key. */
export function readEncryption(given: unknown): {
  readonly encryption: ReadEncryption | undefined;
  readonly issues: readonly ValidationIssue[];
} {
  if (given === undefined) return { encryption: undefined, issues: [] };
  const { keys, current, ...unknown } = asOwnRecord(given);
  const entries = Object.entries(asRecord(keys));
  const issues: ValidationIssue[] = [];
  const refuse = (path: readonly string[], message: string) =>
    void issues.push(issue(['encryption', ...path], 'invalid', message));
  for (const name of Object.keys(unknown)) refuse([name], 'is not an option; the options are keys and current');
  if (entries.length === 0) refuse(['keys'], "expected an object with at least one key, such as { '2026-11': key }");
  // An invalid id is not shown, since it may be a key in the wrong place.
  if (!entries.every(([id]) => ID.test(id))) refuse(['keys'], 'expected ids of up to 64 letters, digits, _ and -');
  if (typeof current !== 'string' || !entries.some(([id]) => id === current))
    refuse(['current'], 'expected the id of one of encryption.keys');
  const read = new Map<string, Bytes>();
  for (const [id, key] of entries) {
    const usable = readKey(key);
    if (usable) read.set(id, usable);
    else if (ID.test(id)) refuse(['keys'], `for '${id}', expected ${KEY_BYTES} bytes, or their base64`);
  }
  return { encryption: { keys: read, current: String(current) }, issues };
}

function readKey(given: unknown): Bytes | undefined {
  const bytes = typeof given === 'string' ? fromBase64(given) : given;
  return bytes instanceof Uint8Array && bytes.length === KEY_BYTES ? Uint8Array.from(bytes) : undefined;
}

const CHUNK = 0x8000;

/** Bytes over a buffer that is not shared: WebCrypto takes no others. */
export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // In chunks, since too many arguments would overflow the stack.
  for (let from = 0; from < bytes.length; from += CHUNK)
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  return btoa(text);
}

/** The bytes of base64 or base64url text. Undefined if the text is neither. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text.trim().replace(/-/g, '+').replace(/_/g, '/')), (character) =>
      character.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}

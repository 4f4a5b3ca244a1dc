import type { Row } from './record.js';

/** Which report a body belongs to: bound to the sealed bytes, so that they cannot be moved to another row. */
export type SealContext = Pick<Row, 'id' | 'environment' | 'operation' | 'reference'>;

/** What a store keeps of a body. */
export interface Sealed {
  /** Text, for every database to hold. */
  readonly body: string;
  /** Tells the same bytes from others; still there when the body is not. */
  readonly fingerprint: string;
}

/** Stands between the outbox and its store: what the store holds of a body is what `seal` made of it. */
export interface Seal {
  seal(body: string, about: SealContext): Promise<Sealed>;
  /**
   * The bytes as they were sealed. Rejects with a `ConfigurationError` where a setting is missing that would open them
   * (the environment is paused until it is there), with anything else where they are damaged (the row is quarantined).
   */
  open(sealed: string, about: SealContext): Promise<string>;
  /** Whether a fingerprint that `seal` made is of these bytes. */
  matches(fingerprint: string, body: string, about: SealContext): Promise<boolean>;
}

const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The body as it is, with its hash. */
export function plainSeal(): Seal {
  const fingerprintOf = async (body: string) => hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)));
  return {
    seal: async (body) => ({ body, fingerprint: await fingerprintOf(body) }),
    open: async (sealed) => sealed,
    matches: async (fingerprint, body) => fingerprint === (await fingerprintOf(body)),
  };
}

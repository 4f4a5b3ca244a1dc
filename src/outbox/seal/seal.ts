import { ConfigurationError } from '../../errors/errors.js';
import type { ValidationIssue } from '../../schema/issue.js';
import type { Row } from '../state-machine.js';
import type { OutboxStore } from '../store.js';

/** Which report a body belongs to: bound to the sealed bytes, so that they cannot be moved to another row. */
export type SealContext = Pick<Row, 'id' | 'account' | 'environment' | 'operation' | 'reference'>;

/** What a store keeps of a body. */
export interface Sealed {
  /** Text, for every database to hold. */
  readonly body: string;
  /** Tells the same bytes from others; still there when the body is not. */
  readonly fingerprint: string;
}

/** Stands between the outbox and its store: what the store holds of a body is what `seal` made of it. */
export interface Seal {
  /** Called once when the outbox is made, for what takes time or writes; a failure shows again when the seal is used. */
  prepare?(): Promise<void>;
  /** Makes of a body what the store keeps, and its fingerprint. */
  seal(body: string, about: SealContext): Promise<Sealed>;
  /**
   * The bytes as they were sealed. Rejects with what `missingKey` makes where one key is missing (the rows that need it
   * wait), with any other `ConfigurationError` where nothing can be opened (the environment is paused until it can), with
   * anything else where the bytes are damaged (the row is quarantined).
   */
  open(sealed: string, about: SealContext & Pick<Row, 'fingerprint'>): Promise<string>;
  /** Whether a fingerprint that `seal` made is of these bytes. Rejects as `open` does where a key is missing. */
  matches(fingerprint: string, body: string, about: SealContext): Promise<boolean>;
}

const KEY_ID = Symbol.for('location-sdk.missing-key');

/**
 * The error of a seal that lacks one key. Rows that were sealed with it wait until it is there; the others go on.
 *
 * @example
 * ```ts
 * if (!keys.has(keyId)) throw missingKey(keyId);
 * ```
 */
export function missingKey(keyId: string, why = 'is not among encryption.keys'): ConfigurationError {
  const error = new ConfigurationError(
    `The key ${JSON.stringify(keyId)} ${why}; give the outbox that key, and what was sealed with it goes on. Nothing is lost.`,
  );
  return Object.defineProperty(error, KEY_ID, { value: keyId });
}

/** Which key an error says is missing, of whichever copy of the package it is. */
export const missingKeyOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null ? (error as { [KEY_ID]?: string })[KEY_ID] : undefined;

/** Checks the option `encryption`, whose issues it adds, and makes the seal of a store that is given none. */
export type MakeSeal = (encryption: unknown, issues: ValidationIssue[]) => (store: Pick<OutboxStore, 'remember'>) => Seal;

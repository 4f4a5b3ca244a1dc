import { StoreError, type StoreErrorCode } from '../../../core/errors/store-error.js';

const BY_CLIENT = 'Use client.reportBetEvent instead.';

const MESSAGES = {
  full: `The browser's storage is full. Nothing was stored; earlier reports are kept. ${BY_CLIENT}`,
  timeout: "The browser's storage did not answer in time; try the same again.",
  newer: 'A newer version wrote this outbox; load the page again.',
  older: 'An older version wrote this outbox; give the store another name.',
  closed: 'The store is closed.',
  unavailable: `The browser's storage is switched off, or it failed. Nothing was stored. ${BY_CLIENT}`,
} as const satisfies Partial<Record<StoreErrorCode, string>>;

type Code = keyof typeof MESSAGES;

const PROBLEMS: Readonly<Record<string, Code>> = { QuotaExceededError: 'full', VersionError: 'newer' };

const nameOf = (error: unknown): string => String((error as { name?: unknown } | null)?.name);

/** Web Cryptography, which names a player's database: only pages over https have it. */
export const noWebCrypto = (): StoreError =>
  new StoreError(
    'unavailable',
    `The store needs https for a player's reports (WebCrypto). Nothing was stored. ${BY_CLIENT}`,
  );

export const indexedDbError = (code: Code, cause?: unknown): StoreError =>
  new StoreError(code, MESSAGES[code], { cause });

/**
 * Maps an error of the browser to a `StoreError`. Any other error is a bug or already mapped, and stays as it is.
 */
export const asStoreError = (error: unknown): unknown =>
  error instanceof DOMException ? indexedDbError(PROBLEMS[nameOf(error)] ?? 'unavailable', error) : error;

/** Whether the connection may be lost, so that a new one may work. Nothing was committed. */
export const isLost = (error: unknown): boolean => /^(?:InvalidState|Abort|Unknown)Error$/.test(nameOf(error));

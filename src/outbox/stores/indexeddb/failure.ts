/** The kind of a failure of the store. */
export type IndexedDbProblem =
  /** The browser's storage is full. Send the event with the client. */
  | 'quota'
  /** No answer within `timeoutMs`; another tab may hold the database. Enqueue the same again. */
  | 'timeout'
  /** A newer version of your page has written it. Load the page again. */
  | 'newer'
  /** An older version has written it; it is unchanged. Give the store another name. */
  | 'older'
  /** `close` was called. Make a store for the player who is logged in. */
  | 'closed'
  /** Storage is switched off, broken, or was cleared. Send the event with the client. */
  | 'unavailable';

/**
 * The error of the methods of the store. It contains no report. After a `'timeout'` the commit may have been made: call
 * the method again, which is safe. After any other code nothing was changed.
 */
export interface IndexedDbError extends Error {
  /** The name of its class. */
  readonly name: 'IndexedDbError';
  /** A stable name of the kind of failure, to branch on. */
  readonly code: IndexedDbProblem;
}

const BY_CLIENT = 'Report with the client instead: client.reportBetEvent(event).';

const MESSAGES: Readonly<Record<IndexedDbProblem, string>> = {
  quota: `The browser's storage is full. The report was not stored; earlier reports are kept. ${BY_CLIENT}`,
  timeout: "The browser's storage did not answer in time; try the same again.",
  newer: 'A newer version wrote the outbox, which is unchanged; load the page again.',
  older: 'An older version wrote the outbox, which is unchanged; give the store another name.',
  closed: 'The store is closed.',
  unavailable: `The browser's storage is switched off for this page, or it failed. Nothing was stored. ${BY_CLIENT}`,
};

const PROBLEMS: Readonly<Record<string, IndexedDbProblem>> = { QuotaExceededError: 'quota', VersionError: 'newer' };

const nameOf = (error: unknown): string => String((error as { name?: unknown } | null)?.name);

export const indexedDbError = (code: IndexedDbProblem, cause?: unknown): IndexedDbError =>
  Object.assign(new Error(MESSAGES[code], { cause }), { name: 'IndexedDbError', code } as const);

/**
 * Maps an error of the browser to an `IndexedDbError`. Any other error is a bug or already mapped, and stays as it is.
 */
export const asIndexedDbError = (error: unknown): unknown =>
  error instanceof DOMException ? indexedDbError(PROBLEMS[nameOf(error)] ?? 'unavailable', error) : error;

/** Whether the connection may be lost, so that a new one may work. Nothing was committed. */
export const isLost = (error: unknown): boolean => /^(?:InvalidState|Abort|Unknown)Error$/.test(nameOf(error));

/** What kept the store from doing what it was asked. */
export type IndexedDbProblem =
  /** The browser's storage is full. */
  | 'quota'
  /** No answer within `timeoutMs`; another tab may hold the database. */
  | 'timeout'
  /** The database was written by a newer version of this package, and was left as it is. */
  | 'newer'
  /** The database was written by an older version of this package that this one cannot read, and was left as it is. */
  | 'older'
  /** `close` was called. */
  | 'closed'
  /** Anything else: storage is switched off, broken, or was cleared while it was in use. */
  | 'unavailable';

/**
 * What the methods of the store reject with. Holds no report. But for `'timeout'` nothing was done; after a
 * `'timeout'` the commit may have been made, and doing the same again is safe.
 */
export interface IndexedDbError extends Error {
  /** The name of its class. */
  readonly name: 'IndexedDbError';
  /** A stable name of the kind of failure, to branch on. */
  readonly code: IndexedDbProblem;
}

const MESSAGES: Readonly<Record<IndexedDbProblem, string>> = {
  quota: "The browser's storage is full; this was not stored, what was before is kept.",
  timeout: "The browser's storage did not answer in time; try the same again.",
  newer: 'The outbox was written by a newer version, and left as it is; load the page again.',
  older: 'The outbox was written by an older version, and left as it is; give the store another name.',
  closed: 'The store is closed.',
  unavailable: "The browser's storage is switched off for this page, or it failed. Nothing was stored.",
};

const PROBLEMS: Readonly<Record<string, IndexedDbProblem>> = { QuotaExceededError: 'quota', VersionError: 'newer' };

const nameOf = (error: unknown): string => String((error as { name?: unknown } | null)?.name);

export const indexedDbError = (code: IndexedDbProblem, cause?: unknown): IndexedDbError =>
  Object.assign(new Error(MESSAGES[code], { cause }), { name: 'IndexedDbError', code } as const);

/** What a failed transaction or opening means. What is not the browser's is a bug, or has its name already. */
export const asIndexedDbError = (error: unknown): unknown =>
  error instanceof DOMException ? indexedDbError(PROBLEMS[nameOf(error)] ?? 'unavailable', error) : error;

/** Whether the connection may be gone, and a new one may do it: nothing was committed. */
export const isLost = (error: unknown): boolean => /^(?:InvalidState|Abort|Unknown)Error$/.test(nameOf(error));

import type { ErrorCode } from '../errors/errors.js';

/** A stable name of the kind of failure: the code of an error; or `'damaged'`, the stored row is not as it was written. */
export type ProblemCode = ErrorCode | 'damaged';

/** Why the latest attempt did not end well; free of secrets and personal data. */
export interface Problem {
  /** A stable name of the kind of failure, to branch on. */
  readonly code: ProblemCode;
  /** What happened, in words; free of secrets and personal data. */
  readonly message: string;
  /** The id of the key that was missing, where the report could not be opened for that. */
  readonly keyId?: string;
  /** The HTTP status of the answer. */
  readonly status?: number;
  /** Whether the gateway holds other data than this report's. */
  readonly conflict?: boolean;
  /** The id that the gateway gave to the request, by which its operator finds it. */
  readonly requestId?: string;
  /** What the gateway answered, as JSON, with every value that was sent masked. */
  readonly details?: unknown;
}

/** What a person decided about a row, and why. */
export interface Decision {
  /** What was decided. */
  readonly action: 'retry' | 'recorded' | 'dismissed';
  /** Why, in the words of whoever decided. */
  readonly reason: string;
  /** Milliseconds since 1970, by the clock of whoever decided. */
  readonly at: number;
}

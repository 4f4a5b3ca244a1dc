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
  /** By whom, where that is known. */
  readonly by?: string;
  /** The id of the decision that this was a part of, where it was about many reports: a row is touched by each once. */
  readonly id?: string;
  /** How the row was before, for a retry that may be taken back. */
  readonly before?: {
    /** Its fence: a higher one says that a worker has claimed the row since. */
    readonly fence: number;
    /** Why it was quarantined. */
    readonly problem?: Problem | undefined;
  };
  /** That the retry was taken back, before anything had left. */
  readonly undone?: {
    /** The reason that the person gave. */
    readonly reason: string;
    /** The time, in milliseconds since 1970. */
    readonly at: number;
    /** The person who took it back. */
    readonly by: string;
  };
}

/** Words of a group are cut here: an index of a database holds them. */
export const MOST_WORDS = 400;

/**
 * What is wrong with a report, apart from its name: reports with which the same is wrong are one group. A message begins with the
 * name of its report and a colon. Databases compute the same by themselves.
 */
export function wrongOf(problem: Problem | undefined): { readonly code: string; readonly words: string } {
  const { code = 'unknown', message = '', conflict } = problem ?? {};
  const words = message.slice(message.includes(': ') ? message.indexOf(': ') + 2 : 0);
  return { code: conflict ? 'conflict' : code, words: Array.from(words).slice(0, MOST_WORDS).join('') };
}

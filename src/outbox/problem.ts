import type { ErrorCode } from '../errors/errors.js';

/** A stable name of the kind of failure: the code of an error, or `'damaged'` for a damaged stored row. */
export type ProblemCode = ErrorCode | 'damaged';

/** The problem of the latest attempt, without secrets and personal data. */
export interface Problem {
  /** A stable name of the kind of failure, to branch on. */
  readonly code: ProblemCode;
  /** The problem in a sentence, without secrets and personal data. */
  readonly message: string;
  /** The id of the missing key, if the report could not be opened without it. */
  readonly keyId?: string;
  /** The HTTP status of the answer. */
  readonly status?: number;
  /** Whether the gateway holds other data than this report's. */
  readonly conflict?: boolean;
  /** The id that the gateway gave to the request, with which its support finds it. */
  readonly requestId?: string;
  /** The answer of the gateway as JSON: known words and an HTTP status, like its message. All else is masked. */
  readonly details?: unknown;
}

/** The decision of a person about a row, and its reason. */
export interface Decision {
  /** The action that was decided. */
  readonly action: 'retry' | 'recorded' | 'dismissed';
  /** The reason, in the words of the person who decided. */
  readonly reason: string;
  /** The time, in milliseconds since 1970, by the clock of the process that decided. */
  readonly at: number;
  /** The person who decided, if known. */
  readonly by?: string;
  /** The id of the decision about many reports that this is a part of. Each of those changes a row once. */
  readonly id?: string;
  /** The state of the row before a retry, so that the retry can be undone. */
  readonly before?: {
    /** Its fence. A higher one means that a worker has claimed the row since. */
    readonly fence: number;
    /** Its problem: the cause of the quarantine. */
    readonly problem?: Problem | undefined;
  };
  /** Present if the retry was undone before the report was sent. */
  readonly undone?: {
    /** The reason that the person gave. */
    readonly reason: string;
    /** The time, in milliseconds since 1970. */
    readonly at: number;
    /** The person who undid it. */
    readonly by: string;
  };
}

/** The words of a group are cut to this length, since they are part of a database index. */
export const MOST_WORDS = 400;

/**
 * The group of a problem: its code, and its message without the name of the report. Reports with the same problem are one group.
 * A message begins with the name of its report and a colon. The databases compute the same value in SQL.
 */
export function wrongOf(problem: Problem | undefined): { readonly code: string; readonly words: string } {
  const { code = 'unknown', message = '', conflict } = problem ?? {};
  const words = message.slice(message.includes(': ') ? message.indexOf(': ') + 2 : 0);
  return { code: conflict ? 'conflict' : code, words: Array.from(words).slice(0, MOST_WORDS).join('') };
}

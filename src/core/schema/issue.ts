import { MASK } from '../platform/messages.js';

/** The kind of problem with a field. Stable, for your branches. */
export type IssueCode =
  /** A required field is missing. */
  | 'missing'
  /** The value has another type. */
  | 'wrong-type'
  /** The type is right, but the value is not allowed. */
  | 'invalid'
  /** The specification has no such field. */
  | 'unknown-field'
  /** A name that could change how objects behave. */
  | 'forbidden-field'
  /** The value cannot be sent as JSON. */
  | 'not-json'
  /** The same parameter was given twice, with different values. */
  | 'conflict';

/** One problem of a payload or of the options. `message` never contains the value. */
export interface ValidationIssue {
  /** The path, for example `user.nin`. Empty for the payload as a whole. */
  readonly path: string;
  /** The kind of problem, in a word for your branches. */
  readonly code: IssueCode;
  /** The problem and what is expected. Never the value of a sensitive field. */
  readonly message: string;
}

/** A name that is not an identifier may be misplaced data, so it is masked. */
export const printableKey = (key: PropertyKey): string =>
  typeof key === 'number' || /^[A-Za-z_$][\w$-]{0,63}$/.test(String(key)) ? String(key) : MASK;

export type Path = readonly PropertyKey[];

export const issue = (path: Path, code: IssueCode, message: string): ValidationIssue => ({
  path: path.map(printableKey).join('.'),
  code,
  message,
});

/** Names that could change how objects behave. */
export const FORBIDDEN_NAMES = /^(?:__proto__|constructor|prototype)$/;

export const forbiddenName = (path: Path): ValidationIssue =>
  issue(path, 'forbidden-field', 'this name is never accepted; remove the field');

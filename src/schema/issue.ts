/** What is wrong with a field; stable, to branch on. */
export type IssueCode =
  /** A required field is not there. */
  | 'missing'
  /** The value is of another type. */
  | 'wrong-type'
  /** The type is right and the value is not. */
  | 'invalid'
  /** The specification has no such field. */
  | 'unknown-field'
  /** A name that could change how objects behave. */
  | 'forbidden-field'
  /** The value cannot be sent as JSON. */
  | 'not-json'
  /** The same thing was given twice, and differently. */
  | 'conflict';

/** One problem of a payload or of the options. `message` never holds the value. */
export interface ValidationIssue {
  /** Where, for example `user.nin`; empty for the payload as a whole. */
  readonly path: string;
  /** What is wrong, in a word to branch on. */
  readonly code: IssueCode;
  /** What is wrong and what is expected; never the value of a sensitive field. */
  readonly message: string;
}

/** A name that is no identifier may be data in the wrong place, so it is masked. */
export const printableKey = (key: PropertyKey): string => (typeof key === 'number' || /^[A-Za-z_$][\w$-]{0,63}$/.test(String(key)) ? String(key) : '[masked]');

export const issue = (path: readonly PropertyKey[], code: IssueCode, message: string): ValidationIssue => ({
  path: path.map(printableKey).join('.'),
  code,
  message,
});

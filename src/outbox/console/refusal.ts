/** The reason why the console refuses a request. The message says what to do. */
export type ConsoleRefusalCode =
  /** A value is wrong or missing (HTTP 422). */
  | 'invalid'
  /** The report or decision does not exist (HTTP 404). */
  | 'not-found'
  /** The id was used for another decision, or the state of the report does not allow it (HTTP 409). */
  | 'conflict'
  /** The body cannot be opened here (HTTP 423). */
  | 'locked'
  /** This store does not support it (HTTP 501). */
  | 'store-cannot';

/** The error of a refused request. Nothing was changed. */
export class ConsoleRefusal extends Error {
  /** The name of its class. */
  override readonly name = 'ConsoleRefusal';
  /** The reason, to branch on. */
  readonly code: ConsoleRefusalCode;

  constructor(code: ConsoleRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Why the console does not do what was asked for; the message says what to do. */
export type ConsoleRefusalCode =
  /** A wrong or missing value; HTTP 422. */
  | 'invalid'
  /** No such report or decision; HTTP 404. */
  | 'not-found'
  /** The id of this decision was used for another one, or the report is not in a state for it; HTTP 409. */
  | 'conflict'
  /** The body cannot be opened here; HTTP 423. */
  | 'locked'
  /** This store cannot do it at all; HTTP 501. */
  | 'store-cannot';

/** What the console refuses. Nothing was changed. */
export class ConsoleRefusal extends Error {
  /** The name of its class. */
  override readonly name = 'ConsoleRefusal';
  /** Why, to branch on. */
  readonly code: ConsoleRefusalCode;

  constructor(code: ConsoleRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

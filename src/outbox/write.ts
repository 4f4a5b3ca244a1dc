import type { Change, Row } from './state-machine.js';

/** A change of a row, made only if the row still has the state and the fence that it was decided for. */
export interface Write {
  /** The id of the row. */
  readonly id: string;
  /** The state and fence that the row must have, or the write is not made. */
  readonly expected: Pick<Row, 'state' | 'fence'>;
  /** The change of the row. */
  readonly change: Change;
}

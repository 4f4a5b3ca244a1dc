import type { Change, Row } from './state-machine.js';

/** A change of a row, made only if the row still has the state and the fence that it was decided for. */
export interface Write {
  /** The id of the row. */
  readonly id: string;
  /** What the row must be for the write to be made. */
  readonly expected: Pick<Row, 'state' | 'fence'>;
  /** What becomes of the row. */
  readonly change: Change;
}

import type { Operator } from '../../operator/operator.js';
import type { OutboxStore } from '../../outbox/store/store.js';

/** The outbox that a command has opened. */
export interface OpenedOutbox {
  readonly store: OutboxStore;
  /** Reads and decides as the console does. */
  readonly operator: Operator;
  /** The beginning of commands to copy. */
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

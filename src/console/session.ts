import type { ConsoleAbilities } from '../outbox/console/data.js';

/** Facts of its visitor and of the store, which the page reads first. */
export interface ConsoleSession {
  readonly name: string;
  readonly mayAct: boolean;
  readonly mayReadBodies: boolean;
  readonly readOnly: boolean;
  readonly can: ConsoleAbilities;
  /** The accounts that are shown; null: all that the store has. */
  readonly accounts: readonly string[] | null;
  /** Every action sends it along, as `x-console-token`. */
  readonly token: string;
}

import type { Clock } from '../../platform/time.js';
import type { ConsoleStore } from '../console-store.js';
import type { Seal } from '../seal/seal.js';
import type { Decision, Row } from '../state-machine.js';
import type { OutboxStore } from '../store.js';
import { ConsoleRefusal } from './refusal.js';

/** What the console's data are made of. */
export interface ConsoleParts {
  readonly store: OutboxStore;
  readonly seal: Seal;
  readonly clock: Clock;
  /** Accounts that are shown; undefined: all. */
  readonly accounts: readonly string[] | undefined;
  /** Whether a final row keeps its body. */
  readonly keepBodies: boolean;
  /** How commands to copy begin. */
  readonly command: string;
  /** Is told of rows as they are after a decision. */
  decided(rows: readonly Row[], action: Decision['action']): void;
  /** Is told that nothing more comes of a decision for now. */
  settled(action: Decision['action']): Promise<void>;
  /** Lifts the pauses of an environment; false where there was none. */
  resume(account: string, environment: Row['environment']): Promise<boolean>;
}

/** What the store offers the console. Throws where it offers nothing. */
export function consoleOf({ store }: Pick<ConsoleParts, 'store'>, what: string): ConsoleStore {
  if (store.console) return store.console;
  throw new ConsoleRefusal('store-cannot', `This store cannot ${what}. Nothing was done. Use sqliteStore or postgresStore.`);
}

/** Whether the console shows an account. */
export const isShown = ({ accounts }: Pick<ConsoleParts, 'accounts'>, account: string): boolean => accounts?.includes(account) ?? true;

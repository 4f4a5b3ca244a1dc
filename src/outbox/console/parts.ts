import type { Clock } from '../../platform/time.js';
import type { ConsoleStore } from '../console-store.js';
import type { BoundDestination } from '../destination.js';
import type { Seal } from '../seal/seal.js';
import type { Decision, Row } from '../state-machine.js';
import type { OutboxStore } from '../store.js';
import { ConsoleRefusal } from './refusal.js';

/** The parts that the console's data use. */
export interface ConsoleParts {
  readonly store: OutboxStore;
  readonly seal: Seal;
  readonly clock: Clock;
  /** The accounts that are shown. Undefined: all. */
  readonly accounts: readonly string[] | undefined;
  /** Whether a final row keeps its body. */
  readonly keepBodies: boolean;
  /** The destinations of this process with its gateways. Empty over a store. */
  readonly bound: readonly (BoundDestination & { readonly mockMode: boolean })[];
  /** The begin of the commands to copy. */
  readonly command: string;
  /** Called with the rows that a decision has changed. */
  decided(rows: readonly Row[], action: Decision['action']): void;
  /** Called at the end of each call of `decide`. */
  settled(action: Decision['action']): Promise<void>;
  /** Ends the pauses of an environment. False if there was none. */
  resume(account: string, environment: Row['environment']): Promise<boolean>;
}

/** The console methods of the store. Throws if it has none. */
export function consoleOf({ store }: Pick<ConsoleParts, 'store'>, what: string): ConsoleStore {
  if (store.console) return store.console;
  throw new ConsoleRefusal('store-cannot', `This store cannot ${what}. Nothing was done. Use sqliteStore or postgresStore.`);
}

/** Whether the console shows an account. */
export const isShown = ({ accounts }: Pick<ConsoleParts, 'accounts'>, account: string): boolean => accounts?.includes(account) ?? true;

import { ConfigurationError } from '../../errors/errors.js';
import { systemClock } from '../../platform/time.js';
import { liftPauses } from '../operator/lift-pauses.js';
import { appendReceipts } from '../receipts/log.js';
import { standardSeal } from '../seal/standard-seal.js';
import type { OutboxStore } from '../store.js';
import { consoleData } from './console-data.js';
import type { ConsoleData } from './data.js';
import { type ConsoleRoot, rootOf } from './root.js';

/** The options of `createConsoleData`. */
export interface ConsoleDataOptions {
  /**
   * The outbox of `createOutbox`: the console shows only its accounts, wakes its worker and emits its events. Or a store, as the
   * command line uses it: the console shows all accounts, and does not open encrypted bodies.
   */
  readonly over: object;
  /** The begin of the commands to copy. Default: `npx location-sdk outbox <store>`. */
  readonly command?: string | undefined;
}

/** Makes the data of the operator's console. Throws a `ConfigurationError` if `over` is neither an outbox nor a store. */
export function createConsoleData({ over, command = 'npx location-sdk outbox <store>' }: ConsoleDataOptions): ConsoleData {
  const root = rootOf(over) ?? (isStore(over) ? rootOfStore(over) : undefined);
  if (!root) throw new ConfigurationError('outbox: expected what createOutbox of location-sdk/outbox returned. The console was not made.');
  return consoleData({ ...root, command });
}

const isStore = (value: object): value is OutboxStore => 'turn' in value && 'outlook' in value && 'receipts' in value;

/** The parts of a store without an outbox. It has no listeners, and the console itself writes the receipts. */
const rootOfStore = (store: OutboxStore): ConsoleRoot => ({
  store,
  seal: standardSeal(store, undefined),
  clock: systemClock,
  accounts: undefined,
  keepBodies: false,
  bound: [],
  decided() {},
  async settled(action) {
    if (action !== 'retry') await appendReceipts(store);
  },
  resume: async (account, environment) => (await liftPauses(store, account, environment)).length > 0,
});

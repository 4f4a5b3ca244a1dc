import { ConfigurationError } from '../../errors/errors.js';
import { systemClock } from '../../platform/time.js';
import { liftPauses } from '../operator/lift-pauses.js';
import { appendReceipts } from '../receipts/log.js';
import { standardSeal } from '../seal/standard-seal.js';
import type { OutboxStore } from '../store.js';
import { consoleData } from './console-data.js';
import type { ConsoleData } from './data.js';
import { type ConsoleRoot, rootOf } from './root.js';

/** What the console's data are made over. */
export interface ConsoleDataOptions {
  /**
   * The outbox that `createOutbox` made: its accounts alone are shown, its worker is woken and its events come. Or a store, as the
   * command line has it: all of its accounts are shown, and a body that is encrypted is not opened.
   */
  readonly over: object;
  /** How commands to copy begin. Default: `npx location-sdk outbox <store>`. */
  readonly command?: string | undefined;
}

/** The data of the operator's console. Throws a `ConfigurationError` where there is neither an outbox nor a store. */
export function createConsoleData({ over, command = 'npx location-sdk outbox <store>' }: ConsoleDataOptions): ConsoleData {
  const root = rootOf(over) ?? (isStore(over) ? rootOfStore(over) : undefined);
  if (!root) throw new ConfigurationError('outbox: expected what createOutbox of location-sdk/outbox returned. The console was not made.');
  return consoleData({ ...root, command });
}

const isStore = (value: object): value is OutboxStore => 'turn' in value && 'outlook' in value && 'receipts' in value;

/** A store without an outbox: nobody listens, and receipts are written here. */
const rootOfStore = (store: OutboxStore): ConsoleRoot => ({
  store,
  seal: standardSeal(store, undefined),
  clock: systemClock,
  accounts: undefined,
  keepBodies: false,
  decided() {},
  async settled(action) {
    if (action !== 'retry') await appendReceipts(store);
  },
  resume: async (account, environment) => (await liftPauses(store, account, environment)).length > 0,
});
